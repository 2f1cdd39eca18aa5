"""One reading of a turn for all dialects."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.dialects.step_reader import Retellings, StepReader, status_of_end
from sulla.gateway.dialects.steps import (
    Called,
    ChildAsks,
    Dropped,
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
    WentOn,
)
from tests.gateway.dialects.events import Log, full_turn, steps

ASK = StepQuestion("approval:t2", "May I post this?", "t2", "post", "host:x", (), None)


def test_a_turn_is_told_step_by_step() -> None:
    assert steps(full_turn()) == [
        StepBegun("run_1", "sulla"),
        Called("a", "sulla", 1),
        Thought("a", 0, "Hm."),
        StepText("a", 0, "Le"),
        Dropped("a", 2),
        Called("b", "sulla", 2),
        StepText("b", 0, "Let me "),
        StepText("b", 7, "look"),
        StepText("b", 11, "."),
        StepSaid("b", "sulla", "Let me look.", False),
        ToolBegun("t1", "b", "look", {"at": "home"}),
        ToolBegun("t2", "b", "post", {"text": "grüß 🙂"}),
        ToolEnded("t1", "look", "It is green.", False, ""),
        StepAsked((ASK,), 10),
        WentOn("answered"),
        ToolEnded("t2", "post", "no such host", True, ""),
        Called("c", "sulla", 1),
        StepText("c", 0, "It did not work."),
        StepSaid("c", "sulla", "It did not work.", False),
        StepEnded("done", "", 19, StepUsage(16, 5, 3), response="No."),
    ]


def test_words_that_were_shown_and_are_not_in_the_whole_reply_are_void() -> None:
    log = Log()
    log.kept("MODEL_STARTED", call_id="c", message_id="a", attempt=1)
    log.live("TEXT_MESSAGE_CONTENT", message_id="a", offset=0, delta="Nine")
    log.kept("TEXT_MESSAGE_END", message_id="a", text="")
    assert steps(log)[-1] == Dropped("a", 4)


def test_another_turn_is_not_told_and_nothing_comes_behind_the_end() -> None:
    log = full_turn()
    assert steps(log, "run_2") == [StepBegun("run_2", "sulla")]
    log.kept("TEXT_MESSAGE_END", message_id="z", text="late")
    assert isinstance(steps(log)[-1], StepEnded)


@given(st.text(min_size=1, max_size=40), st.lists(st.integers(0, 39), max_size=6), st.integers(0, 39))
def test_however_a_text_comes_its_pieces_make_it_up_once(text: str, borders: list[int], lost: int) -> None:
    """Pieces that overlap, that come twice, and an end that no piece has brought."""
    log, places = Log(), sorted({0, *(border for border in borders if border < len(text)), len(text)})
    log.kept("MODEL_STARTED", message_id="a")
    for first, last in pairwise(places):
        if last > lost and len(places) > 2:
            break
        for start in {max(0, first - 1), first}:
            log.live("TEXT_MESSAGE_CONTENT", message_id="a", offset=start, delta=text[start:last])
    log.kept("TEXT_MESSAGE_END", message_id="a", text=text)
    found = [step for step in steps(log) if isinstance(step, StepText)]
    assert "".join(step.delta for step in found) == text
    assert [step.offset for step in found] == [sum(len(one.delta) for one in found[:n]) for n in range(len(found))]
    assert steps(log)[-1] == StepSaid("a", "sulla", text, False)


def test_a_question_that_no_person_answers_is_no_question() -> None:
    log = Log()
    log.kept("SUSPENDED", waits=[{"wait_id": "child:run_x", "call_id": "t"}, {"wait_id": "time:x", "call_id": ""}])
    assert steps(log) == []


def test_of_two_questions_the_other_one_is_asked_when_one_was_answered() -> None:
    log = Log()
    log.kept("SUSPENDED", waits=[{"wait_id": f"approval:t{n}", "call_id": f"t{n}", "prompt": str(n)} for n in (1, 2)])
    log.kept("RESUMED", reason="answered", wait_id="approval:t2", input_seq=2)
    log.kept("RESUMED", reason="expired", wait_id="approval:t1")
    one, two = (StepQuestion(f"approval:t{n}", str(n), f"t{n}", "", "", (), None) for n in (1, 2))
    assert steps(log) == [StepAsked((one, two), 1), WentOn("answered"), StepAsked((one,), 2), WentOn("expired")]


def test_a_turn_that_waits_before_another_attempt_says_for_what_and_how_long() -> None:
    log = Log()
    log.kept("RUN_WAITING", reason="provider_unreachable", wait_s=10.4)
    (waits,) = steps(log)
    assert waits == StepWaits("provider_unreachable", 10.4)
    assert isinstance(waits, StepWaits)
    assert waits.words == "the model's service does not answer; again in 10 s"


def test_what_a_sub_agent_asks_is_told_and_other_notices_are_none_of_the_turns() -> None:
    log = Log()
    log.kept("NOTICE", text="Tea is ready.")
    log.kept("NOTICE", text="The sub-agent cook asks: May I?", wait_id="approval:c:d:0")
    assert steps(log) == [ChildAsks("The sub-agent cook asks: May I?")]


def test_who_comes_in_the_middle_is_told_nothing_of_before_but_goes_by_it() -> None:
    log = full_turn()
    retelling = StepReader("run_1", after=10)
    border = next(place for place, event in enumerate(log.events) if event.seq == 10)
    events = [event for place, event in enumerate(log.events) if place > border or event.seq is not None]
    told = [step for event in events for step in retelling.take(event)]
    whole = steps(log)
    assert told == whole[whole.index(WentOn("answered")) :]


def test_of_several_only_those_of_people_are_told() -> None:
    log = Log()
    choice = {"wait_id": "answer:run:step:1", "call_id": "", "prompt": "Which?", "choices": ["a", "b"], "expires_ms": 5}
    log.kept("SUSPENDED", waits=[{"wait_id": "child:run_x", "call_id": "t"}, choice])
    (asked,) = steps(log)
    assert asked == StepAsked((StepQuestion("answer:run:step:1", "Which?", "", "", "", ("a", "b"), 5),), 1)
    assert isinstance(asked, StepAsked)
    assert asked.asks[0].kind == "answer"


@pytest.mark.parametrize(
    ("type_", "data", "status", "problem"),
    [
        ("RUN_FINISHED", {"outcome": {"status": "blocked", "blocker_reason": "No key."}}, "blocked", None),
        ("RUN_FINISHED", {"outcome": {"status": "cancelled", "reason": "stopped"}}, "cancelled", (409, "stopped")),
        ("RUN_FINISHED", {"outcome": {"status": "failed", "reason": "no_outcome"}}, "failed", (500, "no_outcome")),
        ("RUN_ERROR", {"code": "provider_error", "message": "away"}, "failed", (502, "provider_error")),
        ("RUN_ERROR", {"code": "limit_reached", "message": "much"}, "failed", (429, "limit_reached")),
        ("RUN_ERROR", {"code": "store_unavailable", "message": "away"}, "failed", (503, "store_unavailable")),
        ("RUN_ERROR", {"code": "unheard_of", "message": "x"}, "failed", (500, "unheard_of")),
    ],
)
def test_an_end_says_what_went_wrong(
    type_: str, data: dict[str, Any], status: str, problem: tuple[int, str] | None
) -> None:
    log = Log()
    log.kept(type_, run_id="run_1", **data)
    (ended,) = steps(log)
    assert isinstance(ended, StepEnded)
    assert ended.status == status
    assert (None if ended.problem is None else (ended.problem.status, ended.problem.code)) == problem
    assert ended.blocker == ("No key." if status == "blocked" else "")


def test_a_message_that_another_turn_took_along_is_over_with_that_ones_word() -> None:
    log = Log()
    log.kept("RUN_FINISHED", "run_0", run_id="run_1", outcome={"status": "done"}, joined="run_0")
    assert steps(log) == [StepEnded("joined", "", 1, joined="run_0")]


def test_the_end_of_another_turn_that_this_one_brought_about_is_not_its_own() -> None:
    log = Log()
    log.kept("RUN_FINISHED", "run_1", run_id="run_2", outcome={"status": "done"}, joined="run_1")
    assert steps(log) == []


def test_every_error_that_can_end_a_turn_has_a_status() -> None:
    def kinds(root: type[SullaError]) -> list[type[SullaError]]:
        return [root, *(kind for child in root.__subclasses__() for kind in kinds(child))]

    for kind in kinds(SullaError):
        assert 400 <= status_of_end(kind.code) < 600


def test_a_call_that_people_were_asked_about_begins_once() -> None:
    log = Log()
    for _ in range(2):
        log.kept("TOOL_CALL_START", call_id="t1", name="post", args={}, message_id="a")
    log.kept("TOOL_CALL_RESULT", call_id="t1", text="Posted.")
    assert [type(step).__name__ for step in steps(log)] == ["ToolBegun", "ToolEnded"]


def two_questions() -> Log:
    log = Log()
    log.kept("SUSPENDED", waits=[{"wait_id": f"approval:{name}", "prompt": f"May I {name}?"} for name in "ab"])
    log.kept("RESUMED", reason="answered", wait_id="approval:a")
    log.kept("RESUMED", reason="answered", wait_id="approval:b")
    log.kept("SUSPENDED", waits=[{"wait_id": "approval:a", "prompt": "May I once more?"}])
    return log


@pytest.mark.parametrize(
    ("past", "waiting", "asked"),
    [
        (0, [], [["a", "b"], ["b"], ["a"]]),
        (1, [], [["a"]]),
        (1, ["approval:b"], [["b"], ["b"], ["a"]]),
        (3, [], [["a"]]),
        (4, ["approval:a"], [["a"], ["a"]]),
    ],
)
def test_nobody_is_asked_what_is_known_to_be_answered(past: int, waiting: list[str], asked: list[list[str]]) -> None:
    retelling = StepReader("run_1", 0, past, frozenset(waiting))
    told = [step for event in two_questions().events for step in retelling.take(event)]
    ids = [[ask.id.removeprefix("approval:") for ask in step.asks] for step in told if isinstance(step, StepAsked)]
    assert ids == asked


def test_all_turns_of_a_thread_can_be_told_side_by_side() -> None:
    log, retellings = full_turn(), Retellings()
    told = [pair for event in log.events for pair in retellings.take(event)]
    assert [step for run_id, step in told if run_id == "run_1"] == steps(log)
    assert [step for run_id, step in told if run_id == "run_2"] == [StepBegun("run_2", "sulla")]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["wait_id", "status"]), inner),
    max_leaves=4,
)
NAMES = "part agent message_id offset delta text waits outcome usage call_id args run_id code attempt choices".split()
TYPES = (
    "RUN_STARTED MODEL_STARTED TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MODEL_ABANDONED TOOL_CALL_START TOOL_CALL_RESULT "
    "SUSPENDED RESUMED RUN_WAITING AGENT_ROUTED FLOW_PART_STARTED RUN_FINISHED RUN_ERROR SPEAK NEW_ONE"
).split()


@given(st.lists(st.tuples(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(NAMES), ODD)), max_size=8))
def test_an_event_of_an_unknown_form_breaks_nothing(events: list[tuple[str, dict[str, Any]]]) -> None:
    retelling = StepReader("run_1")
    for seq, (type_, data) in enumerate(events, 1):
        found = retelling.take(Event("thr_1", seq, "run_1", None, "sulla", 0, type_, 0, data))
        assert len(found) <= 2


def test_of_a_flow_people_are_told_who_speaks_and_nothing_of_what_is_not_for_them() -> None:
    told: list[tuple[str, dict[str, Any]]] = [
        ("RUN_STARTED", {}),
        ("FLOW_PART_STARTED", {"part": {"key": "task_completion_judge", "agent": "sulla"}}),
        ("MODEL_STARTED", {"message_id": "a", "purpose": "answer"}),
        ("TEXT_MESSAGE_END", {"message_id": "a", "text": "", "hidden": True}),
        (
            "TOOL_CALL_START",
            {"message_id": "a", "call_id": "t1", "name": "give_answer", "args": {"status": "completed"}},
        ),
        ("TOOL_CALL_RESULT", {"call_id": "t1", "text": "Passed on."}),
        ("TEXT_MESSAGE_END", {"message_id": "f", "text": ""}),
        ("TOOL_CALL_START", {"message_id": "f", "call_id": "t2", "name": "run_branches", "args": {"agents": ["plan"]}}),
        ("TOOL_CALL_RESULT", {"call_id": "t2", "text": "[plan; session_id flow_1]\nA secret plan."}),
        ("FLOW_PART_STARTED", {"part": {"key": "archivist", "agent": "archivist"}}),
        ("FLOW_PART_STARTED", {"part": {"key": "task_summary", "agent": "sulla"}}),
        ("TEXT_MESSAGE_END", {"message_id": "b", "text": "Done."}),
    ]
    reader = StepReader("run_1")
    found = [
        step
        for seq, (type_, data) in enumerate(told, 1)
        for step in reader.take(Event("thr_1", seq, "run_1", None, "sulla", 0, type_, 0, data))
    ]
    assert found == [
        StepBegun("run_1", "sulla"),
        StepSaid("f", "sulla", "", False),
        StepBegun("run_1", "archivist", "archivist does its part"),
        StepBegun("run_1", "sulla", "sulla does its part"),
        StepText("b", 0, "Done."),
        StepSaid("b", "sulla", "Done.", False),
    ]


def test_what_might_be_asked_next_is_told_and_other_moves_of_a_flow_are_not() -> None:
    log = Log()
    log.kept("FLOW_MOVED", place="root", what="condition", name="enable_plan", value={"value": True})
    log.kept("FLOW_MOVED", place="root", what="part", name="query_suggest", value={"value": {"suggestions": ["And?"]}})
    assert steps(log) == [StepSuggests(("And?",))]


def test_a_flow_that_cannot_be_walked_on_is_no_defect_of_the_daemon() -> None:
    assert status_of_end("flow_failed") == 422


def test_what_calls_were_given_and_came_to_shows_no_picture() -> None:
    log = Log()
    log.kept("RUN_STARTED", input_seq=1, message_id="m1")
    args = {"text": "![x](https://x.example/?d=1)", "deep": [{"<img src=x>": 1}]}
    log.kept("TOOL_CALL_START", call_id="t1", name="write_file", args=args, message_id="b")
    log.kept("TOOL_CALL_RESULT", call_id="t1", text="1: ![x](https://x.example/?d=1)")
    _, begun, ended = steps(log)
    shown: JsonObject = {"text": "! [x](https://x.example/?d=1)", "deep": [{"< img src=x>": 1}]}
    assert begun == ToolBegun("t1", "b", "write_file", shown)
    assert ended == ToolEnded("t1", "write_file", "1: ! [x](https://x.example/?d=1)", False, "")
