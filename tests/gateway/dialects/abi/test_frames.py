"""A turn as ABI's events, or as a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.jsontypes import JsonObject
from sulla.gateway.dialects.abi.form import AbiPrompt, error_body, read_prompt
from sulla.gateway.dialects.abi.frames import AbiStream, AbiWhole, last_events, said_events
from sulla.gateway.dialects.steps import (
    Dropped,
    Step,
    StepAsked,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepText,
    StepUsage,
    StepWaits,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import Problem

DONE = StepEnded("done", "", 9, StepUsage(16, 5, 3))
ASK = StepAsked((StepQuestion("approval:t", "May I?", "t", "post", "", (), None),), 7)
AWAY = Problem(502, "provider_error", "the service is away", retry_after_s=2.0)
BLOCKED = StepEnded("blocked", "", 9, blocker="No key.")
JOINED = StepEnded("joined", "", 9, joined="run_2")


def said(message_id: str, text: str) -> list[Step]:
    return [StepText(message_id, 0, text), StepSaid(message_id, "sulla", text, cut=False)]


def events(raw: bytes) -> list[tuple[str, str]]:
    """What a browser makes of it: it passes over events without data (HTML, "Server-sent events")."""
    found = list[tuple[str, str]]()
    for block in raw.decode().split("\n\n")[:-1]:
        lines = [line.partition(":") for line in block.split("\n")]
        data = "\n".join(value.removeprefix(" ") for name, _, value in lines if name == "data")
        (name,) = [value.strip() for name, _, value in lines if name == "event"]
        if data:
            found.append((name, data))
    return found


def final(raw: bytes) -> str:
    return "\n".join(data for name, data in events(raw) if name == "message")


def streamed(*steps: Step) -> bytes:
    stream = AbiStream("thr_1", may_answer=True)
    return b"".join(stream.show(step) for step in steps)


def whole(*steps: Step) -> tuple[int, Any]:
    made = AbiWhole("thr_1", may_answer=True)
    *before, last = [made.show(step) for step in steps]
    assert not any(before)
    return made.head()[0], json.loads(last)


def test_a_wait_before_another_attempt_is_told_and_is_no_part_of_the_answer() -> None:
    raw = streamed(StepWaits("provider_unreachable", 10.4), *said("a", "Hello"), DONE)
    assert events(raw)[0] == ("ai_message", "[the model's service does not answer; again in 10 s]")
    assert final(raw) == "Hello"
    assert whole(StepWaits("provider_unreachable", 10.4), *said("a", "Hello"), DONE) == (200, "Hello")


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([*said("a", "Hello"), DONE], "Hello"),
        ([*said("a", "One."), *said("b", "Two."), DONE], "One.\n\nTwo."),
        ([StepText("a", 0, "One"), Dropped("a", 3), *said("b", "Two."), DONE], "Two."),
        ([*said("a", ""), DONE], "(The agent has said nothing.)"),
        ([StepEnded("done", "", 9, response="All sent.")], "All sent."),
        ([*said("a", "I tried."), BLOCKED], "I tried.\n\nNo key."),
        ([JOINED], "(This message was taken up by the turn that was going on.)"),
        ([*said("a", "So:"), ASK], "So:\n\nThe agent asks:\n\n    May I?\n\nAnswer **yes** or **no**."),
    ],
)
def test_the_text_is_the_same_in_events_and_whole_and_holds_no_words_that_are_void(
    steps: list[Step], text: str
) -> None:
    raw = streamed(*steps)
    assert final(raw) == text
    assert "\n\n".join(data for name, data in events(raw) if name == "ai_message") == text
    assert events(raw)[-1] == ("done", "[DONE]")
    assert whole(*steps) == (200, text)


@given(st.text(st.sampled_from("a \n"), min_size=1).filter(str.strip))
def test_lines_are_put_together_again_as_they_were(text: str) -> None:
    assert final(last_events(text)) == text


def test_no_text_of_a_tool_can_end_an_event() -> None:
    raw = streamed(ToolEnded("t", "look", "a\r\n\r\nevent: done\rdata: [DONE]\n\n", is_error=False, failure=""))
    assert events(raw) == [("tool_response", "a\n\nevent: done\ndata: [DONE]\n\n")]


def test_each_tool_is_named() -> None:
    raw = streamed(ToolBegun("t", "a", "look", {}), ToolBegun("u", "a", "post", {}))
    assert events(raw) == [("tool_usage", "look"), ("tool_usage", "post")]


def test_a_failure_is_told_to_clients_that_know_of_errors_and_to_those_that_do_not() -> None:
    raw = streamed(*said("a", "Well."), StepEnded("failed", "", 9, problem=AWAY))
    assert ("error", "the service is away") in events(raw)
    assert final(raw) == "Well.\n\n(This broke off: the service is away)"
    assert events(raw)[-1] == ("done", "[DONE]")


def test_a_failure_in_one_piece_has_its_status() -> None:
    made = AbiWhole("thr_1", may_answer=True)
    assert json.loads(made.show(StepEnded("failed", "", 9, problem=AWAY))) == {"detail": "the service is away"}
    status, headers = made.head()
    assert (status, dict(headers)[b"retry-after"]) == (502, b"2")


def test_an_answer_that_breaks_off_says_why_and_ends() -> None:
    raw = AbiStream("thr_1", may_answer=True).cut("stopping", None)
    assert [name for name, _ in events(raw)] == ["error", "message", "done"]
    made = AbiWhole("thr_1", may_answer=True)
    assert "is stopping" in json.loads(made.cut("stopping", None))["detail"]
    assert made.head()[0] == 503


def test_an_answer_that_is_known_already_has_the_same_form() -> None:
    assert [name for name, _ in events(said_events("a\nb"))] == ["ai_message", "message", "message", "done"]


def test_what_is_wrong_in_the_body_is_a_list() -> None:
    wrong = Problem(422, "invalid_input", "prompt: expected", param="prompt")
    detail = [{"type": "invalid_input", "loc": ["body", "prompt"], "msg": "prompt: expected"}]
    assert json.loads(error_body(wrong)) == {"detail": detail}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"prompt": "x"}, AbiPrompt("x", "")),
        ({"prompt": "x", "thread_id": 0}, AbiPrompt("x", "0")),
        ({"prompt": "x", "thread_id": "t", "more": 1}, AbiPrompt("x", "t")),
    ],
)
def test_a_prompt_is_read(body: JsonObject, found: AbiPrompt) -> None:
    assert read_prompt(body) == found
