"""What is asked of ``/agui``."""

from __future__ import annotations

from typing import Any

import pytest
from ag_ui.core import RunAgentInput

from sulla.gateway.dialects.agui.form import read_input
from sulla.gateway.dialects.conversation import ChatMessage
from sulla.gateway.problems import Malformed

HELLO: Any = {"id": "u1", "role": "user", "content": "Hello"}
BODY: Any = {"threadId": "t", "runId": "r", "messages": [HELLO]}


def said(*messages: Any) -> Any:
    roles = ("user", "assistant")
    return [{"id": f"m{at}", "role": roles[at % 2], "content": text} for at, text in enumerate(messages)]


def test_what_the_protocol_does_not_know_is_passed_over() -> None:
    strange: Any = {"id": "x", "role": "oracle", "content": "?", "mood": 3}
    found = read_input({**BODY, "messages": [strange, HELLO], "tempo": "presto", "protocolVersion": "1.7"})
    assert [one.text for one in found.messages if one.role == "user"] == ["Hello"]


def test_whatever_the_protocol_s_own_types_write_is_read() -> None:
    every = {
        **BODY,
        "messages": [
            {"id": "d", "role": "developer", "content": "Be brief."},
            HELLO,
            {
                "id": "a",
                "role": "assistant",
                "toolCalls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"id": "o", "role": "tool", "toolCallId": "c", "content": [{"type": "text", "text": "Green."}]},
            {"id": "n", "role": "reasoning", "content": "Hm."},
            {"id": "p", "role": "activity", "activityType": "PLAN", "content": {"steps": []}},
        ],
        "state": {"a": 1},
        "tools": [{"name": "paint", "description": "Paints.", "parameters": {}}],
        "context": [{"description": "Page", "value": "Orders"}],
        "forwardedProps": [1],
        "resume": [{"interruptId": "i", "status": "resolved", "payload": {"a": [None]}}],
    }
    written: Any = RunAgentInput.model_validate(every).model_dump(mode="json", by_alias=True)
    found = read_input(written)
    assert ([one.role for one in found.messages], found.context) == (
        ["developer", "user", "assistant", "tool", "reasoning", "activity"],
        "Page: Orders",
    )
    assert [(one.id, one.resolved, one.payload) for one in found.resume] == [("i", True, {"a": [None]})]
    assert [one["id"] for one in found.restated()] == ["d", "u1", "a", "o"]


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"threadId": 1}, "threadId"),
        ({"threadId": ""}, "threadId"),
        ({"runId": None}, "runId"),
        ({"messages": None}, "messages"),
        ({"messages": ["hello"]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": "Hello"}]}, "messages[0].id"),
        ({"messages": [{**HELLO, "content": ["Hello"]}]}, "messages[0].content[0]"),
        ({"messages": [{**HELLO, "content": [{"type": "text", "text": 3}]}]}, "messages[0].content[0].text"),
        ({"context": [{"description": "Page"}]}, "context[0].value"),
        ({"resume": {}}, "resume"),
        ({"resume": [{"interruptId": "i", "status": "maybe"}]}, "resume[0].status"),
        ({"resume": [{"status": "resolved"}]}, "resume[0].interruptId"),
        ({"resume": [{"interruptId": "i", "status": status} for status in ("resolved", "cancelled")]}, "resume"),
        ({"messages": [HELLO] * 10_001}, "messages"),
    ],
)
def test_what_is_of_another_form_is_refused_by_its_place(more: Any, param: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_input({**BODY, **more})
    problem = refused.value.problem
    assert (problem.status, problem.param) == (422, param)
    assert problem.message.startswith(f"{param}:")


def test_what_is_new_is_what_came_after_the_message_that_was_passed_on_last() -> None:
    found = read_input({**BODY, "messages": [*said("One", "1", "Two", "2"), {**HELLO, "id": "m9"}]})
    marks = [one.mark for one in found.messages]
    assert found.chat().fresh == (ChatMessage("user", "Hello"),)
    assert [one.text for one in found.chat(marks[0]).fresh] == ["Two", "Hello"]
    assert [one.text for one in found.chat(marks[0]).before] == ["One"]
    assert [one.text for one in found.chat(marks[4], again=True).fresh] == ["Hello"]
    assert [one.text for one in found.chat("msg_other").fresh] == ["Hello"]


def test_a_message_with_other_words_is_another_one() -> None:
    one, other = (read_input({**BODY, "messages": [{**HELLO, "content": text}]}).newest for text in ("Hello", "Ho"))
    assert one is not None
    assert other is not None
    assert one.mark != other.mark


def test_a_snapshot_keeps_what_the_person_said_and_not_what_is_told_again() -> None:
    found = read_input({**BODY, "messages": [*said("One", "1", "Two", "2"), HELLO]})
    assert [one["content"] for one in found.restated(found.messages[2].mark)] == ["One", "1", "Two", "Hello"]
