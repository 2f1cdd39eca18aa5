"""The log of a heartbeat is told as its wakes: each once, with what came of it, also where it was cut off."""

from __future__ import annotations

import pytest

from sulla.core.event import Fact
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.heartbeat.beats import BeatEnded, BeatSkipped, BeatStarted, CycleEnded, CycleStarted
from sulla.heartbeat.ticks import Cycle, Tick, by_of, ticks_of
from sulla.threads.log.codec import Entry, Origin
from sulla.threads.log.family import ChildStarted
from sulla.threads.log.records import Input, Outcome, RunError, RunFinished, RunStarted

A, B = RunId("run_a"), RunId("run_b")
BEGUN = RunStarted(2, MessageId("beat:heartbeat_sulla:2027-01-15T08:00:00.000Z"))
STARTED = BeatStarted(1, "2 open tasks", "garden", "2 open tasks")
FINISHED = RunFinished(A, Outcome("done"))


def told(*facts: tuple[Fact, RunId] | Fact) -> list[Tick]:
    """The wakes of a log, a second from record to record."""
    pairs = [fact if isinstance(fact, tuple) else (fact, A) for fact in facts]
    return ticks_of(
        Entry(seq, fact.kind, False, Origin(seq * 1_000, run_id), fact.data(), THREAD_SCHEMA.forms)
        for seq, (fact, run_id) in enumerate(pairs, 1)
    )


def ended(number: int, status: str, tokens: int = 0) -> CycleEnded:
    return CycleEnded(number, f"cyc_{number}", status, 0, f"said {number}", tokens=tokens, cost_micro=tokens * 2)


@pytest.mark.parametrize(
    ("message_id", "by"),
    [
        ("beat:heartbeat_sulla:2027-01-15T08:00:00.000Z", "schedule heartbeat_sulla"),
        ("beat:heartbeat.garden:now:r1", "schedule heartbeat.garden"),
        ("wake:r1", "request r1"),
        ("m-1", "message"),
    ],
)
def test_what_woke_an_agent_is_read_off_the_message(message_id: str, by: str) -> None:
    assert by_of(message_id) == by


def test_a_beat_is_one_wake_with_its_cycles_and_what_they_used() -> None:
    (tick,) = told(
        BEGUN,
        STARTED,
        CycleStarted(1, "cyc_1"),
        ChildStarted("cyc_1", ThreadId("thr_1"), "sulla", "cycle", A),
        ended(1, "continue", 100),
        CycleStarted(2, "cyc_2"),
        ChildStarted("cyc_2", ThreadId("thr_2"), "sulla", "cycle", A),
        CycleEnded(2, "cyc_2", "done", 0, "said 2", focus="roof", focus_reason="it rains", tokens=50),
        BeatEnded("done", 0, summary="said 2", changed="roof: +1 done"),
        FINISHED,
    )
    assert (tick.seq, tick.at_ms, tick.ended_ms, tick.by) == (1, 1_000, 9_000, "schedule heartbeat_sulla")
    assert tick.cycles == (
        Cycle(1, "cyc_1", "thr_1", "continue", "said 1", 100, 200),
        Cycle(2, "cyc_2", "thr_2", "done", "said 2", 50, 0),
    )
    assert (tick.fired, tick.status, tick.reason, tick.tokens, tick.cost_micro) == (True, "done", "", 150, 200)
    assert (tick.why, tick.focus, tick.focus_reason) == ("2 open tasks", "roof", "it rains")
    assert (tick.changed, tick.summary) == ("roof: +1 done", "said 2")


def test_a_wake_that_was_no_beat_says_why() -> None:
    (tick,) = told(BEGUN, BeatSkipped(0, "idle", "nothing to do"), FINISHED)
    assert (tick.fired, tick.status, tick.reason, tick.why, tick.cycles) == (
        False,
        "skipped",
        "idle",
        "nothing to do",
        (),
    )
    assert tick.ended_ms == 2_000


def test_one_at_work_has_no_end_yet() -> None:
    (tick,) = told(BEGUN, STARTED, CycleStarted(1, "cyc_1"))
    assert (tick.status, tick.ended_ms, tick.cycles) == ("running", None, (Cycle(1, "cyc_1"),))


@pytest.mark.parametrize(
    ("end", "status", "reason", "said"),
    [
        (RunFinished(A, Outcome("cancelled", reason="stopped")), "cancelled", "stopped", ""),
        (RunError(A, "crashed_repeatedly", "it crashed three times"), "failed", "crashed_repeatedly", "it crashed"),
    ],
)
def test_a_beat_that_is_cut_off_ends_with_its_run(end: Fact, status: str, reason: str, said: str) -> None:
    (tick,) = told(BEGUN, STARTED, CycleStarted(1, "cyc_1"), end)
    assert (tick.status, tick.reason, tick.ended_ms) == (status, reason, 4_000)
    assert tick.summary.startswith(said)
    assert [cycle.status for cycle in tick.cycles] == [status]


def test_what_a_run_ends_with_does_not_hide_how_its_beat_ended() -> None:
    (tick,) = told(
        BEGUN, STARTED, BeatEnded("failed", 0, "cycle_failed", "no service"), RunFinished(A, Outcome("failed"))
    )
    assert (tick.status, tick.reason, tick.summary, tick.ended_ms) == ("failed", "cycle_failed", "no service", 3_000)


def test_a_wake_that_comes_while_another_is_at_work_is_one_of_its_own() -> None:
    first, second = told(
        BEGUN,
        STARTED,
        (Input(MessageId("wake:r2"), "", origin="beat"), B),
        ended(1, "done"),
        BeatEnded("done", 0),
        FINISHED,
        (RunStarted(3, MessageId("wake:r2")), B),
        (BeatSkipped(0, "busy", "it was due while"), B),
        (RunFinished(B, Outcome("done")), B),
    )
    assert [(tick.run_id, tick.seq, tick.status) for tick in (first, second)] == [(A, 1, "done"), (B, 7, "skipped")]


def test_the_rest_of_a_wake_that_began_before_is_left_out() -> None:
    assert told(ended(1, "done"), BeatEnded("done", 0), FINISHED) == []
