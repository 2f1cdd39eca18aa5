"""What a head says of a playbook's run follows from its facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.machine.counts import StepCounts
from sulla.playbooks.records import OPEN_SHOWN, OpenStep, Played, PlayState, apply_played, begun, stopped
from sulla.threads.log.plays import ANSWER, ASK, HUMAN, TIME, Play, is_own_wait, is_step_question

PLAY = Play("triage", "d1", "name: triage", 4, "schedule", ThreadId("thr_1"), 500, 7)


def after(*facts: Played, play: PlayState | None = None) -> PlayState:
    """The state after facts, one each millisecond."""
    state = play if play is not None else begun(PLAY)
    for at_ms, fact in enumerate(facts, 1):
        state = apply_played(state, fact, at_ms)
    return state


STARTED = Played("RUN_STARTED")


def test_a_run_that_has_done_nothing_yet_is_queued_and_knows_what_it_walks() -> None:
    state = begun(PLAY)
    assert (state.name, state.digest, state.steps, state.trigger, state.thread) == (
        "triage", "d1", 4, "schedule", "thr_1"
    )  # fmt: skip
    assert (state.tokens, state.cost_micro, state.status, state.ended) == (500, 7, "queued", False)


def test_steps_are_open_from_their_beginning_to_their_end_and_each_end_is_counted_as_what_it_is() -> None:
    a, b, c = (Played("STEP_STARTED", at) for at in "abc")
    state = after(STARTED, a, b, c)
    assert state.open == (OpenStep("a", 2), OpenStep("b", 3), OpenStep("c", 4))
    state = after(Played("STEP_COMPLETED", "a"), Played("STEP_CANCELLED", "b"), Played("STEP_SKIPPED", "d"), play=state)
    assert (state.open, state.counts) == ((OpenStep("c", 4),), StepCounts(1, 0, 1, 1))
    assert after(Played("STEP_FAILED", "c"), play=state).counts == StepCounts(1, 1, 1, 1)
    never: FrozenJson = {"failure": {"kind": "permanent", "reason": "upstream", "message": "c failed"}}
    assert after(Played("STEP_FAILED", "e", never), play=state).counts == state.counts
    assert after(Played("RUN_ENDED", detail={"status": "failed"}), play=state).counts == StepCounts(1, 0, 1, 2)


def test_a_step_of_a_loop_counts_once_by_its_first_pass_however_many_there_are() -> None:
    passes = [Played("STEP_COMPLETED", f"a@{first}.{second}") for first in range(3) for second in range(11)]
    assert after(STARTED, *passes, Played("STEP_COMPLETED", "loop")).counts == StepCounts(2)


def test_another_attempt_of_a_step_is_open_since_it_began() -> None:
    state = after(STARTED, Played("STEP_STARTED", "a"), Played("STEP_RETRY", "a"), Played("STEP_STARTED", "a"))
    assert state.open == (OpenStep("a", 4),)


def test_a_head_names_so_many_open_steps_and_no_more() -> None:
    state = after(STARTED, *(Played("STEP_STARTED", f"s{number}") for number in range(OPEN_SHOWN + 20)))
    assert len(state.open) == OPEN_SHOWN


def test_every_record_is_counted_also_of_a_kind_that_says_nothing_here() -> None:
    assert after(STARTED, Played("HEARD"), Played("NOTE", "a"), Played("RESPONDED", "a")).facts == 4


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled", "transferred"])
def test_an_end_says_how(status: str) -> None:
    failure: Json = {"kind": "permanent", "reason": "tool", "message": "no net"} if status == "failed" else None
    state = after(
        STARTED, Played("STEP_STARTED", "a"), Played("RUN_ENDED", detail={"status": status, "failure": failure})
    )
    assert (state.status, state.ended, state.ended_ms, state.open) == (status, True, 3, ())
    assert state.failure == ("no net" if failure else "")


def test_an_end_that_a_later_version_may_know_is_a_failure_and_never_a_success() -> None:
    assert after(STARTED, Played("RUN_ENDED", detail={"status": "splendid"})).status == "failed"


def test_a_run_pauses_and_goes_on() -> None:
    state = after(STARTED, Played("RUN_PAUSED"))
    assert (state.status, state.ended) == ("paused", False)
    assert after(Played("RUN_RESUMED"), play=state).status == "running"


def test_a_run_that_goes_on_after_its_end_has_an_end_to_tell_again_and_keeps_what_it_has_done() -> None:
    ended = after(STARTED, Played("STEP_COMPLETED", "a"), Played("RUN_ENDED", detail={"status": "failed"}))
    state = after(Played("RUN_REOPENED", detail={"done": 1}), play=replace(ended, told=True))
    assert (state.status, state.ended_ms, state.failure, state.told, state.done) == ("running", 0, "", False, 1)


def test_a_run_that_was_stopped_from_outside_has_ended_and_one_that_had_ended_stays_as_it_was() -> None:
    state = stopped(after(STARTED, Played("STEP_STARTED", "a")), "cancelled", "stopped", 9)
    assert (state.status, state.failure, state.ended_ms, state.open) == ("cancelled", "stopped", 9, ())
    ended = after(STARTED, Played("RUN_ENDED", detail={"status": "completed"}))
    assert stopped(ended, "failed", "internal", 9) == ended


@pytest.mark.parametrize(
    ("wait_id", "own", "step"),
    [
        (f"{ASK}1", True, False),
        (f"{TIME}next", True, False),
        (f"{HUMAN}1", False, True),
        (f"{ANSWER}1", False, True),
        ("approval:1", False, False),
        ("child:1", False, False),
    ],
)
def test_a_wait_says_by_its_id_who_ends_it(wait_id: str, *, own: bool, step: bool) -> None:
    assert (is_own_wait(wait_id), is_step_question(wait_id)) == (own, step)
