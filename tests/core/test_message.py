"""Messages and their JSON."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, MessageId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import (
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    part_from_json,
    part_to_json,
)

ORIGINS: tuple[Origin, ...] = get_args(Origin)

VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)
WORDS = st.text(max_size=8)
CALL_IDS = WORDS.map(CallId)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, WORDS, st.sampled_from(ORIGINS), WORDS),
    st.builds(Reasoning, WORDS, st.none() | OBJECTS, st.booleans()),
    st.builds(ToolCall, CALL_IDS, WORDS, OBJECTS),
    st.builds(ToolResult, CALL_IDS, WORDS, st.booleans(), st.sampled_from(ORIGINS)),
)


@given(PARTS)
def test_a_part_comes_back_as_it_was(part: Part) -> None:
    assert part_from_json(json.loads(json.dumps(part_to_json(part)))) == part


@given(PARTS)
def test_what_is_done_to_the_json_does_not_reach_the_part(part: Part) -> None:
    before = part_to_json(part)
    spoiled = part_to_json(part)
    for value in spoiled.values():
        if isinstance(value, dict):
            value["spoiled"] = True
    assert part_to_json(part) == before


SOUND: list[JsonObject] = [
    {"type": "text", "text": "hi", "origin": "user"},
    {"type": "reasoning", "text": "hm", "raw": None},
    {"type": "tool_call", "id": "c1", "name": "look", "args": {}},
    {"type": "tool_result", "call_id": "c1", "text": "seen", "is_error": False, "origin": "tool"},
]
BROKEN: list[Json] = [
    *({name: value for name, value in part.items() if name != missing} for part in SOUND for missing in part),
    *({**part, name: 7} for part in SOUND for name in part),
    {"type": "picture", "text": "hi", "origin": "user"},
    None,
    "text",
    [],
    {},
]


@pytest.mark.parametrize("part", SOUND, ids=lambda part: part["type"])
def test_the_smallest_form_of_each_part_is_read(part: JsonObject) -> None:
    assert part_to_json(part_from_json(part)) == part


@pytest.mark.parametrize("value", BROKEN, ids=str)
def test_anything_else_is_refused_and_never_read_as_empty(value: Json) -> None:
    with pytest.raises(CorruptRecord):
        part_from_json(value)


def test_an_unknown_origin_is_named_beside_the_known_ones() -> None:
    with pytest.raises(CorruptRecord, match=r"'radio'.*operator, user, tool, web"):
        part_from_json({"type": "text", "text": "hi", "origin": "radio"})


def test_the_complaint_about_a_huge_value_is_short() -> None:
    with pytest.raises(CorruptRecord) as raised:
        part_from_json({"type": "picture", "data": "x" * 100_000})
    assert len(raised.value.message) < 300


def test_a_message_knows_its_text_and_its_calls_in_their_order() -> None:
    calls = (ToolCall(CallId("c1"), "look", {}), ToolCall(CallId("c2"), "listen", {}))
    parts = (Reasoning("hm"), Text("one "), calls[0], Text("two"), calls[1], ToolResult(CallId("c0"), "no text"))
    message = Message(MessageId("m1"), "assistant", parts)
    assert message.text == "one two"
    assert message.calls == calls
    assert not message.hidden
