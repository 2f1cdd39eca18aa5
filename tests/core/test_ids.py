"""Ids that follow from what they name."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sulla.core.ids import derived_id

PARTS = st.lists(st.text(max_size=6), max_size=4).map(tuple)


def test_the_form_is_the_prefix_and_24_hex_digits() -> None:
    prefix, _, digits = derived_id("run", "thr_1", "msg_1").partition("_")
    assert prefix == "run"
    assert len(digits) == 24
    assert set(digits) <= set("0123456789abcdef")


def test_an_id_is_the_same_in_every_version() -> None:
    # It is kept in logs: if this changes, a message that is sent again after an upgrade is answered twice.
    assert derived_id("run", "thr_1", "msg_1") == "run_eed9831c305fdb74ac7a5ac9"


@given(PARTS, PARTS)
def test_two_ids_are_equal_only_if_all_parts_are(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert (derived_id("x", *one) == derived_id("x", *other)) == (one == other)


def test_borders_between_parts_count() -> None:
    forms = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("a", "b", "c"), ()]
    ids = sorted(derived_id("x", *form) for form in forms)
    assert all(one != other for one, other in pairwise(ids))


def test_text_that_is_no_unicode_has_an_id_too() -> None:
    assert derived_id("x", "\udcff") != derived_id("x", "\udcfe")
