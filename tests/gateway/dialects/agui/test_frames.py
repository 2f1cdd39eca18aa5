"""A turn as events of AG-UI."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sulla.gateway.dialects.agui import frames as agui_frames
from sulla.gateway.dialects.agui.frames import AguiFrames, AguiRun, AguiTranscript
from sulla.gateway.dialects.content import AGAIN
from sulla.gateway.dialects.steps import (
    Called,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepSaid,
    StepSuggests,
    StepText,
    StepUsage,
    StepWaits,
    Thought,
    ToolBegun,
    ToolEnded,
)
from sulla.gateway.problems import DEFECT, Problem
from tests.gateway.dialects.talker import Heard, heard

RUN = AguiRun("kitchen", "run-1", "", "thr_1", may_answer=True)
DONE = StepEnded("done", "", 9, StepUsage(16, 5, 3))
ASK = StepQuestion("approval:t", "May I?", "t", "post", "host:x", (), 1_800_000_000_000)
AWAY = Problem(502, "provider_error", "the service is away")


def told(*steps: Step, run: AguiRun = RUN) -> Heard:
    made = AguiFrames(run, AguiTranscript(()))
    return heard((made.opening + b"".join(made.show(step) for step in steps)).decode(), [])


def ended(*steps: Step) -> Any:
    made = AguiFrames(RUN, AguiTranscript(()))
    return json.loads(b"".join(made.show(step) for step in steps).decode().split("data: ")[-1])


@pytest.mark.parametrize(
    ("steps", "texts", "outcome"),
    [
        ([StepText("a", 0, "Hel"), StepText("a", 3, "lo"), DONE], ["Hello"], "success"),
        ([StepText("a", 0, "One."), StepText("b", 0, "Two."), DONE], ["One.", "Two."], "success"),
        (
            [Called("a", "sulla", 1), StepText("a", 0, "One"), Dropped("a", 3), StepText("b", 0, "Two."), DONE],
            ["Two."],
            "success",
        ),
        ([Dropped("a", 0), StepText("b", 0, "Two."), DONE], ["Two."], "success"),
        ([DONE], ["(The agent has said nothing.)"], "success"),
        ([StepEnded("done", "", 9, response="All sent.")], ["All sent."], "success"),
        (
            [StepText("a", 0, "I tried."), StepEnded("blocked", "", 9, blocker="No key.")],
            ["I tried.", "No key."],
            "success",
        ),
        ([StepText("a", 0, "Half"), StepEnded("cancelled", "stopped", 9, problem=AWAY)], ["Half"], "cancelled"),
        ([StepText("a", 0, "Half"), StepEnded("failed", "", 9, problem=AWAY)], ["Half"], "error"),
        ([StepText("a", 0, "So:"), StepAsked((ASK,), 7)], ["So:"], "interrupt"),
    ],
)
def test_the_text_and_the_end(steps: list[Step], texts: list[str], outcome: str) -> None:
    found = told(*steps)
    assert (found.texts, found.outcome) == (texts, outcome)


def test_what_a_turn_waits_for_is_told_as_a_thought() -> None:
    found = told(StepText("a", 0, "One"), StepWaits("provider_unreachable", 10.4), StepText("a", 3, "."), DONE)
    assert found.thoughts == "[the model's service does not answer; again in 10 s]"
    assert found.outcome == "success"


def test_thoughts_stand_apart_and_are_closed_before_anything_else_begins() -> None:
    found = told(
        Thought("a", 0, "Hm"),
        Thought("a", 2, "."),
        StepText("a", 0, "Let me"),
        Thought("a", 3, "Or?"),
        StepSaid("a", "sulla", "Let me", cut=False),
        Thought("b", 0, "So."),
        ToolBegun("t", "b", "look", {}),
        ToolEnded("t", "look", "Green.", is_error=False, failure=""),
        DONE,
    )
    assert (found.thoughts, found.texts, found.results) == ("Hm.Or?So.", ["Let me"], ["Green."])


def test_a_call_that_went_wrong_says_so() -> None:
    raw = AguiFrames(RUN, AguiTranscript(())).show(
        ToolEnded("t", "post", "no", is_error=True, failure="human_rejected")
    )
    assert json.loads(raw.removeprefix(b"data: ")) == {
        "type": "TOOL_CALL_RESULT",
        "messageId": "t_result",
        "toolCallId": "t",
        "role": "tool",
        "content": "no",
        "metadata": {"sulla": {"is_error": True, "failure": "human_rejected"}},
    }


def test_words_that_are_void_are_taken_back_as_far_as_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agui_frames, "KEPT_CHARS", 4)
    found = told(StepText("a", 0, "Hello"), Dropped("a", 5), StepText("b", 0, "Hi"), DONE)
    assert found.texts == [f"Hello\n\n{AGAIN}", "Hi"]


def test_a_snapshot_has_all_that_was_said_before_and_since() -> None:
    before: list[Any] = [{"id": "u", "role": "user", "content": "Hello"}]
    made = AguiFrames(RUN, AguiTranscript(before))
    steps: list[Step] = [
        StepText("a", 0, "Let me look."),
        ToolBegun("t", "a", "look", {"at": "home"}),
        ToolEnded("t", "look", "Green.", is_error=False, failure=""),
        StepText("b", 0, "It"),
        Dropped("b", 2),
        DONE,
    ]
    found = heard((made.opening + b"".join(made.show(step) for step in steps)).decode(), before)
    assert [one["role"] for one in found.messages] == ["user", "assistant", "tool"]
    assert (found.calls, found.results) == ([("look", '{"at":"home"}')], ["Green."])


def test_a_question_says_how_it_is_answered() -> None:
    (interrupt,) = ended(StepAsked((ASK,), 7))["outcome"]["interrupts"]
    assert interrupt == {
        "id": "approval:t",
        "reason": "tool_call",
        "message": "May I?",
        "toolCallId": "t",
        "expiresAt": "2027-01-15T08:00:00.000Z",
        "responseSchema": {
            "type": "object",
            "properties": {
                "approved": {"type": "boolean"},
                "always": {"type": "boolean", "description": "Allow its like from now on."},
            },
            "required": ["approved"],
            "additionalProperties": False,
        },
        "metadata": {"sulla": {"kind": "approval", "tool": "post", "target": "host:x"}},
    }


@pytest.mark.parametrize(
    ("wait", "choices", "reason", "required"),
    [
        ("human:h", (), "confirmation", "approved"),
        ("review:r", (), "input_required", "verdict"),
        ("answer:q", ("red", "blue"), "input_required", "answer"),
    ],
)
def test_every_kind_of_question_has_its_reason(wait: str, choices: tuple[str, ...], reason: str, required: str) -> None:
    (interrupt,) = told(StepAsked((StepQuestion(wait, "?", "", "", "", choices, None),), 7)).interrupts
    schema: Any = interrupt.response_schema
    assert (interrupt.reason, interrupt.tool_call_id, schema["required"]) == (reason, None, [required])
    assert schema["properties"][required].get("enum", []) == [*choices] or wait.startswith("review")


def test_how_a_run_ended_and_what_it_took() -> None:
    usage = [{"inputTokens": 16, "outputTokens": 3, "totalTokens": 19, "cachedInputTokens": 5}]
    ids = {"threadId": "kitchen", "runId": "run-1"}
    success = {"result": {"status": "done"}, "outcome": {"type": "success"}}
    assert ended(DONE) == {"type": "RUN_FINISHED", **ids, **success, "usage": usage}
    failed = ended(StepEnded("failed", "", 9, StepUsage(16, 5, 3), AWAY))
    assert failed == {"type": "RUN_ERROR", "message": AWAY.message, "code": AWAY.code, "usage": usage}


@pytest.mark.parametrize("problem", [None, DEFECT])
def test_an_answer_that_breaks_off_is_an_error(problem: Problem | None) -> None:
    made = AguiFrames(RUN, AguiTranscript(()))
    raw = made.opening + made.show(StepText("a", 0, "Hel")) + made.cut("stopping", problem)
    assert heard(raw.decode(), []).error.code == ("shutting_down" if problem is None else DEFECT.code)


def test_the_run_that_began_it_is_named() -> None:
    opening = AguiFrames(AguiRun("t", "r", "r0", "thr_1", may_answer=True), AguiTranscript(())).opening
    assert json.loads(opening.removeprefix(b"data: "))["parentRunId"] == "r0"


def test_each_message_has_the_name_of_who_speaks() -> None:
    made = AguiFrames(RUN, AguiTranscript(()))
    steps = (
        StepBegun("run_1", "sulla"),
        StepText("a", 0, "To the cook."),
        StepBegun("run_1", "cook", handed="sulla hands over: cook has it"),
        StepText("b", 0, "Soup."),
        DONE,
    )
    lines = b"".join(made.show(step) for step in steps).decode().splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert [one["name"] for one in events if one["type"] == "TEXT_MESSAGE_START"] == ["sulla", "cook"]


def test_what_might_be_asked_next_is_an_event_of_its_own() -> None:
    made = AguiFrames(RUN, AguiTranscript(()))
    made.show(StepText("a", 0, "Hello"))
    blocks = [json.loads(block) for block in made.show(StepSuggests(("And?",))).decode().split("data: ")[1:]]
    assert [block["type"] for block in blocks] == ["TEXT_MESSAGE_END", "CUSTOM"]
    assert (blocks[1]["name"], blocks[1]["value"]) == ("suggestions", ["And?"])
