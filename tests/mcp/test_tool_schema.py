"""Schemas of strangers: whatever they hold, checking arguments against what is left of them never breaks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.mcp.tool_schema import MAX_DEPTH, tidy
from sulla.tools.schema import validate

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type properties required items enum additionalProperties minimum maxLength a b".split()),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


def test_what_is_well_formed_stays_as_it_is() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"anyOf": [{"type": "null"}]}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert tidy(schema) == schema


def test_a_field_that_may_be_anything_is_said_in_one_way() -> None:
    assert tidy({"properties": {"a": True}}) == {"properties": {"a": {}}}


def test_invisible_text_is_taken_out_of_every_depth() -> None:
    assert tidy({"properties": {"a": {"description": "x\u200by", "enum": ["\u202ez"]}}}) == {
        "properties": {"a": {"description": "xy", "enum": ["z"]}}
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": []},
        {"properties": {"a": 5}},
        {"properties": {"a\u200b": {}}},
        {"properties": {"a": {"properties": "x"}}},
        {"required": "a"},
        {"required": [1]},
        {"items": {"items": {"required": 1}}},
    ],
)
def test_what_cannot_be_checked_against_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        tidy(schema)


def test_one_that_is_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        schema = {"items": schema}
    with pytest.raises(InvalidInput, match="deep"):
        tidy(schema)


@given(st.dictionaries(st.sampled_from("type properties required items a".split()), JSON, max_size=4), JSON)
def test_checking_never_breaks(schema: dict[str, Any], value: Any) -> None:
    try:
        tidied = tidy(schema)
    except InvalidInput:
        return
    assert isinstance(validate({"a": value, "b": [value]}, tidied), tuple)
