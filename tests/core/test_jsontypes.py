"""Words replaced in JSON."""

from __future__ import annotations

from typing import Any

from sulla.core.jsontypes import replaced


def test_words_are_replaced_in_every_text_and_in_no_name() -> None:
    value: Any = {"a": "Bearer M", "b": ["M", 1, None, {"c": "MM"}], "d": True, "M": "none"}
    assert replaced(value, {"M": "s"}) == {"a": "Bearer s", "b": ["s", 1, None, {"c": "ss"}], "d": True, "M": "none"}


def test_what_was_given_is_not_changed() -> None:
    value: Any = {"a": ["M"]}
    replaced(value, {"M": "s"})
    assert value == {"a": ["M"]}
