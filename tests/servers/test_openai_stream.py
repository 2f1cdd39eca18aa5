"""What the fake of OpenAI's API says and refuses."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.jsontypes import JsonObject
from tests.servers.openai_stream import (
    asked_of,
    chat_events,
    error_body,
    error_event,
    fault_of,
    responses_events,
)
from tests.servers.script import Asked, Failure, Reply, ToolUse

USER: JsonObject = {"role": "user", "content": "hello"}
CALL: JsonObject = {"role": "assistant", "tool_calls": [{"id": "c1"}]}
RESULT: JsonObject = {"role": "tool", "tool_call_id": "c1", "content": "x"}
CALL_ITEM: JsonObject = {"type": "function_call", "call_id": "c1"}
RESULT_ITEM: JsonObject = {"type": "function_call_output", "call_id": "c1"}


def test_rules_look_at_the_last_text_and_its_results_in_either_form() -> None:
    assert asked_of({"messages": [USER, CALL, RESULT]}) == Asked("hello", 1)
    assert asked_of({"input": [USER, CALL_ITEM, RESULT_ITEM]}) == Asked("hello", 1)
    assert asked_of({}) == Asked("", 0)


def test_a_good_request_has_no_fault() -> None:
    assert fault_of({"model": "m", "messages": [USER, CALL, RESULT, USER]}) is None
    assert fault_of({"model": "m", "input": [USER, CALL_ITEM, RESULT_ITEM]}) is None


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [USER]},
        {"model": "m", "messages": []},
        {"model": "m", "messages": [USER, CALL]},
        {"model": "m", "messages": [USER, CALL, USER]},
        {"model": "m", "messages": [USER, RESULT]},
        {"model": "m", "input": [USER, CALL_ITEM]},
        {"model": "m", "input": [USER, RESULT_ITEM]},
    ],
)
def test_what_the_service_refuses_is_a_fault(body: JsonObject) -> None:
    assert fault_of(body) is not None


CHAT: JsonObject = {"model": "m", "messages": [USER], "tools": [{"type": "function", "function": {"name": "t"}}]}
ITEMS: JsonObject = {"model": "m", "input": [USER], "tools": [{"type": "function", "name": "t"}]}


@pytest.mark.parametrize(
    ("body", "choice", "good"),
    [
        (CHAT, "auto", True),
        (CHAT, "required", True),
        (CHAT, {"type": "function", "function": {"name": "t"}}, True),
        (CHAT, {"type": "function", "function": {"name": "u"}}, False),
        (CHAT, {"type": "function", "name": "t"}, False),
        (CHAT, {"type": "tool", "name": "t"}, False),
        (CHAT, "t", False),
        (ITEMS, {"type": "function", "name": "t"}, True),
        (ITEMS, {"type": "function", "function": {"name": "t"}}, False),
        ({**CHAT, "tools": []}, "required", False),
    ],
)
def test_a_forced_tool_is_named_in_the_right_form(body: JsonObject, choice: str | JsonObject, good: bool) -> None:
    assert (fault_of({**body, "tool_choice": choice}) is None) == good


def test_the_same_request_gets_the_same_bytes_and_ends_as_the_service_does() -> None:
    reply = Reply("Hi", "hm", (ToolUse("t", {"a": 1}),))
    for events, last in ((chat_events, b"data: [DONE]\n\n"), (responses_events, b'"status":"completed"')):
        first, second = (list(events(reply, {"model": "m"}, "x")) for _ in range(2))
        assert first == second
        assert last in first[-1].data
        assert [event.shows_text for event in first].count(True) == 2


def test_a_failure_is_worded_as_the_service_words_it() -> None:
    said = orjson.loads(error_body(Failure(500, message="no")))["error"]
    assert (said["message"], said["type"]) == ("no", "server_error")
    assert error_event(Failure(400)).startswith(b'data: {"error":')
