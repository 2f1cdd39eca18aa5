"""A turn as the reply of a tool."""

from __future__ import annotations

import pytest

from sulla.gateway.dialects.mcp.projection import McpProjection, reply_json, reply_words
from sulla.gateway.dialects.steps import (
    Called,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepText,
    StepWaits,
    ToolBegun,
    ToolEnded,
    WentOn,
)
from sulla.gateway.problems import Problem

ASK = StepQuestion("approval:t", "May I?", "t", "post", "", (), None)
AWAY = Problem(502, "provider_error", "the service is away")


def heard(*steps: Step) -> McpProjection:
    made = McpProjection()
    for step in steps:
        made.show(step)
    return made


def said(message_id: str, text: str) -> list[Step]:
    return [StepText(message_id, 0, text), StepSaid(message_id, "sulla", text, cut=False)]


def test_replies_stand_apart_and_what_was_taken_back_is_not_there() -> None:
    steps = [*said("m1", "Let me look."), StepText("m2", 0, "It is"), Dropped("m2", 5), *said("m3", "It is empty.")]
    assert heard(*steps, StepEnded("done", "", 9)).text == "Let me look.\n\nIt is empty."


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (StepEnded("done", "", 9), "(The agent has said nothing.)"),
        (StepEnded("done", "", 9, response="It is so."), "It is so."),
        (StepEnded("blocked", "", 9, blocker="No key.\nA key."), "No key.\nA key."),
        (StepEnded("joined", "", 9, joined="run_2"), "(This message was taken up by the turn that was going on.)"),
        (StepEnded("failed", "", 9, problem=AWAY), ""),
    ],
)
def test_a_turn_that_said_nothing_has_a_word_all_the_same(ended: StepEnded, text: str) -> None:
    assert heard(ended).text == text


def test_what_is_told_meanwhile() -> None:
    made = McpProjection()
    steps: list[tuple[Step, str]] = [
        (StepBegun("run_1", "sulla"), "sulla is at work"),
        (Called("m1", "sulla", 1), "a reply is being written"),
        (StepText("m1", 0, "Hello"), ""),
        (StepSaid("m1", "sulla", "x" * 300, cut=False), f"sulla: {'x' * 200}"),
        (Dropped("m2", 3), "what was written is void: it is written again"),
        (ToolBegun("t", "m1", "look", {}), "tool look begins"),
        (ToolEnded("t", "look", "nothing", is_error=True, failure=""), "tool look failed"),
        (ToolEnded("u", "", "nothing", is_error=False, failure=""), "tool u is done"),
        (StepAsked((ASK,), 7), ""),
        (StepWaits("provider_unreachable", 10.4), "the model's service does not answer; again in 10 s"),
        (WentOn("answered"), "it goes on"),
        (StepEnded("done", "", 9), ""),
    ]
    assert [made.show(step).decode() for step, _ in steps] == [words for _, words in steps]


def test_a_reply_that_is_not_whole_says_how_to_wait_on() -> None:
    reply = reply_json(heard(*said("m1", "Let me look.")), "thr_1", "run_1", 3)
    assert reply_words(reply, by_tool=False) == (
        "Let me look.\n\n(It is not done yet. wait_for_reply waits on: thread_id=thr_1 run_id=run_1 after=3)"
    )


@pytest.mark.parametrize(("by_tool", "how"), [(False, "with `sulla approvals`"), (True, "with answer_approval")])
def test_a_reply_that_waits_for_people_has_what_they_are_asked_and_where_to_answer(by_tool: bool, how: str) -> None:
    made = heard(StepAsked((ASK,), 7))
    words = reply_words(reply_json(made, "thr_1", "run_1", 3), by_tool=by_tool)
    assert [one for one in ("`sulla approvals`", "answer_approval") if one in words] == [how.removeprefix("with ")]
    assert (made.status, made.seq) == ("waiting", 7)
    assert "(People are asked: 'May I?'; the question's id is approval:t.)" in words
    assert "wait_for_reply has the rest: thread_id=thr_1 run_id=run_1 after=3" in words


def test_a_failure_and_an_end_from_outside_are_errors() -> None:
    failed = heard(*said("m1", "Let me look."), StepEnded("failed", "", 9, problem=AWAY))
    assert (
        reply_words(reply_json(failed, "thr_1", "run_1", 3), by_tool=False)
        == "Let me look.\n\nprovider_error: the service is away"
    )
    stopped = heard(*said("m1", "Let me look."))
    assert stopped.cut("stopping", None) == b""
    reply = reply_json(stopped, "thr_1", "run_1", 3)
    assert reply["status"] == "in_progress"
    assert isinstance(reply["error"], dict)
    assert reply["error"]["code"] == "shutting_down"
