"""What beats keep in their thread: their records, what these add up to, and the kind of such a thread. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.heartbeat.beats import (
    BeatEnded,
    BeatFact,
    BeatSkipped,
    BeatStarted,
    BeatState,
    BeatStatus,
    CycleEnded,
    CycleStarted,
    apply_beat,
    charged,
    over,
)
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import Report
from sulla.threads.log.kind import ThreadKind
from sulla.threads.log.records import Outcome, OutcomeStatus
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState


def _fold(state: ThreadState, beat: BeatState | None, fact: BeatFact, seq: int, origin: Origin) -> BeatState:
    if state.run is None:
        raise CorruptRecord(f"{state.thread_id}: {fact.kind} without an open run")
    beat = apply_beat(beat or BeatState(), fact, state.run.id)
    if isinstance(fact, BeatStarted):
        # What it was asked is told to its cycles: words that nobody trusts are trusted there as little.
        beat = replace(beat, tainted=beat.tainted or state.context.tainted)
    if isinstance(fact, BeatSkipped | BeatEnded):
        state.context.tainted = beat.tainted  # of the thread only what is carried is ever read again
        state.newest.outcome = outcome_of(fact)
    return beat


BEATS: Final = Slice("beat", BeatState, _fold, decided=(BeatStarted, BeatSkipped, CycleStarted, CycleEnded, BeatEnded))
"""An agent's beats, in its heartbeat's thread."""


_OUTCOMES: Final[Mapping[BeatStatus, OutcomeStatus]] = {
    "failed": "failed",
    "blocked": "blocked",
    "cancelled": "cancelled",
}
"""How a run ends whose beat ended so; `done` where it is not here."""


def beats_of(state: ThreadState) -> BeatState:
    """What is known of the beats of a thread; as good as nothing before the first."""
    return BEATS.of(state) or BeatState()


def outcome_of(fact: BeatSkipped | BeatEnded) -> Outcome:
    """How a beat's run ends."""
    if isinstance(fact, BeatSkipped):
        return Outcome("done", fact.text, reason=fact.reason, updated_at_ms=fact.at_ms)
    return Outcome(_OUTCOMES.get(fact.status, "done"), fact.summary, reason=fact.reason, updated_at_ms=fact.at_ms)


def _run_ended(state: ThreadState, at_ms: int) -> None:
    if (beat := BEATS.of(state)) is not None:
        BEATS.put(state, over(beat, at_ms, failed=state.newest.outcome.status == "failed"))


def _reported(state: ThreadState, report: Report, at_ms: int) -> None:
    if (beat := BEATS.of(state)) is not None:
        BEATS.put(state, charged(beat, report.tokens, report.cost_micro or 0, at_ms))


HEARTBEAT_THREAD: Final[ThreadKind[ThreadState]] = ThreadKind(
    "heartbeat", graph="heartbeat", recall="run", on_run_ended=_run_ended, on_report=_reported
)
"""The thread in which an agent wakes by itself. No model reads it: its cycles are children, each with a fresh one."""
