"""A turn as events of Snippbot's chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.gateway.dialects.snippbot.form import SnippbotChat, SnippbotDecision, read_chat, read_decision
from sulla.gateway.dialects.snippbot.frames import SnippbotFrames
from sulla.gateway.dialects.steps import (
    Dropped,
    Step,
    StepAsked,
    StepEnded,
    StepQuestion,
    StepText,
    StepUsage,
    StepWaits,
    Thought,
    ToolEnded,
    WentOn,
)
from sulla.gateway.problems import DEFECT, Malformed, Problem
from sulla.gateway.wire import QuestionRow

DONE = StepEnded("done", "", 9, StepUsage(16, 5, 3))
ASK = StepQuestion("approval:t", "May I?", "t", "post", "host:x", (), 1_800_000_000_000)


def events(raw: bytes) -> list[tuple[str, Any]]:
    """What a client reads, without the session, which has to be there."""
    found = list[tuple[str, Any]]()
    for block in raw.decode().split("\n\n")[:-1]:
        name, _, data = block.partition("\ndata: ")
        value = json.loads(data)
        assert value.pop("session_id") == "s"
        found.append((name.removeprefix("event: "), value))
    return found


def shown(*steps: Step) -> list[tuple[str, Any]]:
    frames = SnippbotFrames("s", "thr_1", "run_1")
    return events(b"".join(frames.show(step) for step in steps))


def test_words_that_are_void_are_followed_by_a_line_that_says_so() -> None:
    found = shown(StepText("a", 0, "One"), Dropped("a", 3), StepText("b", 0, "Two."), DONE)
    text = "".join(data["text"] for name, data in found if name == "delta")
    assert text == "One\n\n(The answer broke off here, and begins again.)\n\nTwo."
    assert found[-1] == ("done", {"token_usage": {"input": 16, "output": 3}, "status": "done"})


def test_a_wait_before_another_attempt_is_told() -> None:
    (told,) = shown(StepWaits("provider_unreachable", 10.4))
    assert told == ("delta", {"text": "[the model's service does not answer; again in 10 s]\n\n"})


def test_reasoning_is_not_shown() -> None:
    assert shown(Thought("a", 0, "Hm.")) == []


def test_a_turn_without_words_says_that_it_is_done() -> None:
    assert shown(DONE)[0] == ("delta", {"text": "(The agent has said nothing.)"})


def test_a_request_says_all_that_is_known() -> None:
    ((name, data),) = shown(StepAsked((ASK,), 7), StepAsked((ASK,), 8))
    assert (name, data) == (
        "approval_request",
        {
            "approval_id": "approval:t",
            "kind": "approval",
            "prompt": "May I?",
            "tool": "post",
            "id": "t",
            "target": "host:x",
            "choices": [],
            "expires_at": "2027-01-15T08:00:00.000Z",
        },
    )


def test_a_rejected_call_says_why_it_was_not_made() -> None:
    result = ToolEnded("t", "post", "the user rejected this", is_error=True, failure="human_rejected")
    ((_, data),) = shown(WentOn("answered"), result)
    assert (data["failure"], data["is_error"], data["output"]) == ("human_rejected", True, "the user rejected this")


def test_what_is_in_the_way_comes_first_but_not_what_the_turn_itself_asks() -> None:
    ahead = [QuestionRow("thr_1", "run_0", "approval:a", "A?"), QuestionRow("thr_1", "run_1", "approval:b", "B?")]
    frames = SnippbotFrames("s", "thr_1", "run_1", ahead)
    assert [data["approval_id"] for _, data in events(frames.opening)] == ["approval:a"]
    assert SnippbotFrames("s", "thr_1", "run_1", ahead[1:]).opening == b":\n\n"


@pytest.mark.parametrize(
    ("problem", "error", "status"),
    [
        (None, "shutting_down", 503),
        (DEFECT, DEFECT.code, 500),
        (Problem(401, "unauthorized", "the token is good no more"), "unauthorized", 401),
    ],
)
def test_an_answer_that_breaks_off_says_why_and_ends(problem: Problem | None, error: str, status: int) -> None:
    (first, failed), last = events(SnippbotFrames("s", "thr_1", "run_1").cut("stopping", problem))
    assert (first, failed["error"], failed["status"]) == ("error", error, status)
    assert last == ("done", {"token_usage": {"input": 0, "output": 0}, "status": "in_progress"})


def test_a_defect_is_named_where_nothing_else_is_known() -> None:
    assert events(SnippbotFrames("s", "thr_1", "run_1").cut("failed", None))[0][1]["status"] == 500


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"message": "x"}, SnippbotChat("x", "")),
        ({"message": "x", "session_id": None, "stream": True}, SnippbotChat("x", "")),
        ({"message": "x", "session_id": "s"}, SnippbotChat("x", "s")),
    ],
)
def test_a_message_is_read(body: JsonObject, found: SnippbotChat) -> None:
    assert read_chat(body) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"session_id": "s", "approved": True}, SnippbotDecision("s", "approve", "")),
        ({"session_id": "s", "approved": False, "text": "no"}, SnippbotDecision("s", "reject", "no")),
        ({"session_id": "s", "decision": "result", "text": "blue"}, SnippbotDecision("s", "result", "blue")),
    ],
)
def test_an_answer_is_read(body: JsonObject, found: SnippbotDecision) -> None:
    assert read_decision(body) == found


@pytest.mark.parametrize("body", [{"session_id": "s", "decision": ["approve"]}, {"session_id": "s", "approved": 1}])
def test_nothing_else_is_a_yes(body: JsonObject) -> None:
    with pytest.raises(Malformed):
        read_decision(body)
