"""What a schedule wants at a moment, fact by fact; whole years of it are in `test_simulation.py`."""

from __future__ import annotations

from dataclasses import replace

from sulla.schedules.decide import GRACE_MS, REWIND_MS, FiringDecision, decide
from sulla.schedules.records import Fired, Missed, Rewound, Skipped
from sulla.schedules.spec import Every, MessageAction, Spec
from sulla.schedules.state import MOST_PENDING, ScheduleState, apply

NOW = 1_800_000_000_000
PERIOD_MS = 60_000
STATE = ScheduleState("s", Spec(Every(60), MessageAction("hello")), settled_ms=NOW - PERIOD_MS)
"""Every minute: it fires now."""


def test_a_time_is_fired_when_it_comes_and_no_second_time() -> None:
    assert decide(STATE, NOW - 1) == FiringDecision(due_ms=NOW)
    (fired,) = decide(STATE, NOW).facts
    assert isinstance(fired, Fired)
    assert (fired.first_ms, fired.missed) == (NOW, 0)
    assert decide(apply(STATE, fired, "here"), NOW) == FiringDecision(due_ms=NOW + PERIOD_MS)


def test_one_that_is_paused_removed_or_moved_wants_nothing() -> None:
    for state in (replace(STATE, paused=True), replace(STATE, removed=True), replace(STATE, moved=True)):
        assert decide(state, NOW + 10 * PERIOD_MS) == FiringDecision()


def test_what_came_and_went_unseen_is_missed_or_made_up_for_once_as_its_policy_says() -> None:
    later = NOW + 10 * PERIOD_MS + 1
    missed = decide(STATE, later).facts[0]
    assert isinstance(missed, Missed)
    assert (missed.first_ms, missed.upto_ms, missed.count) == (NOW, NOW + 9 * PERIOD_MS, 10)
    once = replace(STATE, spec=replace(STATE.spec, missed="once"))
    fired = decide(once, later).facts
    assert [(one.first_ms, one.missed) for one in fired if isinstance(one, Fired)] == [(NOW, 10)]


def test_a_time_that_is_a_little_late_is_not_missed() -> None:
    assert all(isinstance(fact, Fired) for fact in decide(STATE, NOW + GRACE_MS).facts)


def test_what_cannot_be_begun_does_not_pile_up() -> None:
    fired = Fired("slot", NOW, 1)
    full = replace(STATE, pending=(fired,) * MOST_PENDING)
    (skipped,) = decide(full, NOW).facts
    assert isinstance(skipped, Skipped)
    (begun,) = decide(replace(full, pending=full.pending[1:]), NOW).facts
    assert isinstance(begun, Fired)


def test_a_clock_that_was_far_ahead_does_not_silence_it_and_one_that_was_set_back_a_little_fires_nothing_twice() -> (
    None
):
    ahead = replace(STATE, settled_ms=NOW + REWIND_MS + 1)
    assert decide(ahead, NOW) == FiringDecision((Rewound(NOW + REWIND_MS + 1, NOW),))
    assert decide(replace(STATE, settled_ms=NOW + PERIOD_MS), NOW) == FiringDecision(due_ms=NOW + 2 * PERIOD_MS)
