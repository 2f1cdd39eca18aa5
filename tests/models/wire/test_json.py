"""JSON to and from services."""

from __future__ import annotations

from types import MappingProxyType
from typing import cast

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.models.wire.json import dumps, shortened, string


def test_a_frozen_mapping_is_an_object() -> None:
    assert dumps(cast(Json, {"a": MappingProxyType({"b": 1})})) == b'{"a":{"b":1}}'


@pytest.mark.parametrize("value", ["half a pair \ud83d", {1: "x"}, {"a": {1}}, object()])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="not JSON"):
        dumps(cast(Json, value))


@pytest.mark.parametrize("value", [None, 1, b"x", ["x"]])
def test_only_a_string_is_a_string(value: object) -> None:
    assert string("x") == "x"
    with pytest.raises(TypeError):
        string(value)


def test_long_words_are_cut_onto_one_line() -> None:
    assert shortened("a\n b") == "a b"
    assert shortened("x" * 400) == "x" * 300 + "…"
