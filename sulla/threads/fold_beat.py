"""How what happens to beats changes a heartbeat's thread. Pure."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.ids import RunId
from sulla.threads.beats import BeatEnded, BeatFact, BeatSkipped, BeatStarted, BeatState, apply_beat
from sulla.threads.facts import Outcome, OutcomeStatus
from sulla.threads.state import ThreadState


def fold_beat(state: ThreadState, fact: BeatFact, run_id: RunId) -> None:
    """Fold a fact of a beat in.

    Args:
        state: changed in place.
        fact: what happened.
        run_id: of which beat.
    """
    beat = apply_beat(state.beat if state.beat is not None else BeatState(), fact, run_id)
    if isinstance(fact, BeatStarted):
        # What it was asked is told to its cycles: words that nobody trusts are trusted there as little.
        beat = replace(beat, tainted=beat.tainted or state.tainted)
    state.beat = beat
    if isinstance(fact, BeatSkipped | BeatEnded):
        state.tainted = beat.tainted  # of the thread only what is carried is ever read again
        state.outcome = outcome_of(fact)


def outcome_of(fact: BeatSkipped | BeatEnded) -> Outcome:
    """How a beat's run ends."""
    if isinstance(fact, BeatSkipped):
        return Outcome("done", fact.text, reason=fact.reason, updated_at_ms=fact.at_ms)
    status: OutcomeStatus = "failed" if fact.status == "failed" else "blocked" if fact.status == "blocked" else "done"
    return Outcome(status, fact.summary, reason=fact.reason, updated_at_ms=fact.at_ms)
