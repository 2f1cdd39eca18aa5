"""What playbooks change in a thread, and that a head keeps all of it."""

from __future__ import annotations

import pytest

from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.playbooks.records import EndTold, PlaybookAsked, PlaybookBegan, PlaybookEnded, Played
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.threads.log import records as f
from sulla.threads.log.family import Report, RunRef
from sulla.threads.log.plays import Play, Question
from sulla.threads.log.waits import Permit, Wait
from tests.threads.log.kept_log import CALL, Log

PLAYBOOK, TALK = ThreadId("thr_play"), ThreadId("thr_talk")
PLAY = Play("triage", "d1", "name: triage", 4, "manual", TALK)
QUESTION = Question(PLAYBOOK, "ask:1", "reply", "say it", {"type": "object"})


def walking() -> Log:
    log = Log(PLAY)
    log.start(log.say())
    log.decide(Played("RUN_STARTED"))
    return log


# -------------------------------------------------------------------------------------------------------------- a run


def test_a_call_of_a_step_is_meant_from_its_beginning_to_its_end() -> None:
    log = walking()
    log.decide(Played("STEP_STARTED", "a", {"attempt": 1}, call_id=CALL, effect="once"))
    run = log.state.run
    assert run is not None
    assert run.calls.intents == {CALL: "once"}
    log.decide(Played("STEP_COMPLETED", "a", call_id=CALL))
    assert run.calls.intents == {}


def test_a_yes_to_a_call_is_kept_until_it_begins_and_so_is_a_word_that_it_may_run_again() -> None:
    log = walking()
    seq = log.offer(f.Answer("approval:1", "", "always", by="ann"))
    permit: dict[str, Json] = {"digest": "d", "wait_id": "approval:1", "tool": "t", "target": "h", "always": True}
    log.decide(Played("CALL_ALLOWED", "a", permit, seq, CALL))
    run = log.state.run
    assert run is not None
    assert run.calls.permits == {CALL: Permit(CALL, "d", "approval:1", "t", "h", always=True, by="ann", at_ms=5)}
    log.decide(Played("CALL_AGAIN", "a", call_id=CALL))
    assert run.calls.granted == {CALL}
    log.decide(Played("CALL_STARTED", "a", call_id=CALL, effect="once"))
    assert (run.calls.permits, run.calls.granted, run.calls.intents) == ({}, set(), {CALL: "once"})
    assert set(run.calls.used) == {CALL}
    log.decide(Played("STEP_COMPLETED", "a", call_id=CALL))
    assert run.calls.used == {}


def test_what_a_record_takes_up_is_put_away_counted_and_charged() -> None:
    log = walking()
    seq = log.offer(f.Answer("child:c1", "found", report=Report("done", tokens=30, cost_micro=5)))
    log.decide(Played("STEP_COMPLETED", "a", {"value": "found"}, seq, tainted=True))
    state, run = log.state, log.state.run
    assert run is not None
    assert state.inbox.controls == {}
    assert state.inbox.consumed == 2  # the order, and the answer
    assert (run.spent.tokens, run.spent.cost_micro, state.spending.tokens, state.context.tainted) == (30, 5, 30, True)


def test_a_choice_of_a_model_is_charged_to_the_run_and_to_the_day() -> None:
    log = walking()
    log.decide(Played("DECIDED", "a", {"model": "m"}, tokens=120, cost_micro=8))
    run = log.state.run
    assert run is not None
    assert (run.spent.tokens, run.spent.cost_micro, log.state.spending.day_tokens) == (120, 8, 120)


def test_a_run_that_rests_is_suspended_and_one_with_steps_at_work_is_not() -> None:
    log = walking()
    waits = (Wait("human:1", CallId(""), "Shall I?"), Wait("answer:2", CallId(""), "Which?", choices=("a", "b")))
    log.decide(f.Suspended(waits, resting=False))
    assert not log.suspended()
    log.decide(f.Suspended(waits))
    assert log.suspended()
    log.decide(f.Resumed("woken"))
    assert not log.suspended()
    assert log.state.run is not None
    assert set(log.state.run.waits) == {"human:1", "answer:2"}  # it says itself what it still waits for
    assert log.state.run.course.crashes == 0


def test_what_children_report_is_kept_for_nobody_because_each_step_takes_its_own_up() -> None:
    log = walking()
    log.offer(f.Answer("child:c1", "found", report=Report("done", tokens=30)))
    assert log.state.run is not None
    assert log.state.run.reports == {}


@pytest.mark.parametrize(
    ("detail", "status", "reason", "response"),
    [
        ({"status": "completed", "outputs": {"tea": "green"}}, "done", "", '{"tea":"green"}'),
        ({"status": "transferred", "outputs": {}}, "done", "", "{}"),
        ({"status": "cancelled", "outputs": {}}, "cancelled", "cancelled", ""),
        ({"status": "failed", "failure": {"reason": "tool", "message": "no net"}}, "failed", "tool", ""),
        ({"status": "failed"}, "failed", "failed", ""),
        ({}, "failed", "", ""),
    ],
)
def test_the_machines_end_is_the_outcome_of_the_run(
    detail: dict[str, Json], status: str, reason: str, response: str
) -> None:
    log = walking()
    log.decide(Played("RUN_ENDED", detail=detail))
    outcome = log.state.newest.outcome
    assert (outcome.status, outcome.reason, outcome.response) == (status, reason, response)


def test_a_run_that_is_stopped_ends_its_playbook_and_leaves_no_messages_for_a_model() -> None:
    log = walking()
    log.decide(f.RunFinished(RunId("run_2"), f.Outcome("cancelled", reason="stopped")))
    play = PLAYBOOK_RUN.of(log.state)
    assert play is not None
    assert (play.status, play.failure) == ("cancelled", "stopped")
    assert len(log.state.context.transcript) == 0


def test_a_run_that_breaks_ends_its_playbook_as_failed_and_says_why() -> None:
    log = walking()
    log.decide(f.RunError(RunId("run_2"), "internal", "it broke", outcome=f.Outcome("failed", reason="internal")))
    play = PLAYBOOK_RUN.of(log.state)
    assert play is not None
    assert (play.status, play.failure) == ("failed", "it broke")


def test_an_end_is_owed_to_the_conversation_until_it_is_told() -> None:
    log = walking()
    log.decide(Played("RUN_ENDED", detail={"status": "completed"}))
    assert not log.owes_end()
    log.finish(2)
    assert log.owes_end()
    log.decide(EndTold())
    assert not log.owes_end()
    log.start(log.say())
    log.decide(Played("RUN_REOPENED"))
    log.decide(Played("RUN_ENDED", detail={"status": "completed"}))
    log.finish(log.seq - 3)
    assert log.owes_end()


def test_what_somebody_wants_of_a_run_waits_until_it_is_taken_up() -> None:
    log = walking()
    seq = log.offer(PlaybookAsked("pause", "lunch"))
    assert list(log.state.inbox.controls) == [seq]
    log.decide(Played("RUN_PAUSED", "", {"why": "lunch"}, seq))
    assert log.state.inbox.controls == {}


# ------------------------------------------------------------------------------------------------------- conversations


def test_a_conversation_refers_to_its_playbook_while_it_runs() -> None:
    log = Log()
    log.offer(PlaybookBegan(PLAYBOOK, "triage", RunId("run_1")))
    assert log.state.links.active_work == RunRef("playbook", PLAYBOOK, True, RunId("run_1"))
    log.offer(PlaybookEnded(ThreadId("thr_other"), "another", "failed"))
    assert log.state.links.active_work.running
    log.offer(PlaybookEnded(PLAYBOOK, "triage", "completed"))
    assert log.state.links.active_work == RunRef("playbook", PLAYBOOK, False)


def test_an_end_that_is_told_before_the_beginning_stays_an_end() -> None:
    log = Log()
    log.offer(PlaybookEnded(PLAYBOOK, "triage", "completed"))
    log.offer(PlaybookBegan(PLAYBOOK, "triage", RunId("run_1")))
    assert log.state.links.active_work == RunRef("playbook", PLAYBOOK, False)
