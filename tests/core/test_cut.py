"""A text that is shortened so that it shows."""

from __future__ import annotations

from sulla.core.cut import cut


def test_what_is_longer_ends_in_a_mark_and_is_as_long_as_allowed() -> None:
    assert [cut("abcd", most) for most in (5, 4, 3, 1)] == ["abcd", "abcd", "ab…", "…"]
