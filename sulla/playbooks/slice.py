"""How playbooks change a thread: their own, and the conversation that they are started from. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal

import orjson

from sulla.core.errors import CorruptRecord
from sulla.playbooks.records import (
    EndTold,
    PlaybookAsked,
    PlaybookBegan,
    PlaybookEnded,
    Played,
    PlayState,
    apply_played,
    begun,
    stopped,
)
from sulla.threads.log.charging import charge, charge_report
from sulla.threads.log.codec import Origin
from sulla.threads.log.family import RunRef
from sulla.threads.log.forms import Form
from sulla.threads.log.inputs import ControlInput
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import Answer, Outcome, OutcomeStatus, ThreadCreated
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Permit


def _fold(
    state: ThreadState,
    play: PlayState | None,
    fact: Played | EndTold | PlaybookBegan | PlaybookEnded,
    seq: int,
    origin: Origin,
) -> PlayState | None:
    match fact:
        case Played():
            _fold_played(state, fact, origin, play.failure if play is not None else "")
            return apply_played(play, fact, origin.at_ms) if play is not None else None
        case EndTold():
            return replace(play, told=True) if play is not None else None
        case _:
            _fold_work(state, fact)
            return None


PLAYBOOK_RUN: Final = Slice(
    "play",
    PlayState,
    _fold,
    offered=(PlaybookAsked, PlaybookBegan, PlaybookEnded),
    decided=(Played, EndTold),
    beside=(EndTold,),
)
"""A playbook's run, in its thread. Its beginning and its end are in the conversation too: they make `active_work`."""


def run_created(state: ThreadState, created: ThreadCreated) -> None:
    """A playbook's thread begins with a run that has done nothing yet."""
    if created.play is not None:
        PLAYBOOK_RUN.put(state, begun(created.play))


def run_ended(state: ThreadState, at_ms: int) -> None:
    """A playbook's thread has no open run any more: also its playbook has ended, in order or not.

    Args:
        state: changed in place.
        at_ms: when, UTC milliseconds.
    """
    play, outcome = PLAYBOOK_RUN.of(state), state.newest.outcome
    if play is None:
        return
    if play.status == "transferred" and outcome.status == "failed":
        play = replace(play, status="running")  # nobody has taken over
    status: Literal["failed", "cancelled"] = "cancelled" if outcome.status == "cancelled" else "failed"
    PLAYBOOK_RUN.put(state, stopped(play, status, outcome.status_report or outcome.reason, at_ms))


def _fold_played(state: ThreadState, fact: Played, origin: Origin, why: str) -> None:
    run, taken = state.run, state.inbox.controls.pop(fact.input_seq, None)
    charge_report(state, taken, origin)
    if run is not None and taken is not None and isinstance(taken.fact, Answer):
        run.waits.pop(taken.fact.wait_id, None)  # whoever takes the run up now must not wait for it again
    if fact.tokens or fact.cost_micro:
        if run is None:
            raise CorruptRecord(f"{state.thread_id}: {fact.kind} without an open run")
        charge(state, run, fact.tokens, fact.cost_micro, origin)
    if run is not None and fact.what in _RULED:
        _RULED[fact.what](run, fact, taken)
    elif run is not None and fact.call_id:
        run.calls.begin(fact.call_id)
        run.calls.granted.discard(fact.call_id)
        if fact.effect:
            run.calls.intents[fact.call_id] = fact.effect
        else:
            run.calls.intents.pop(fact.call_id, None)
            run.calls.used.pop(fact.call_id, None)
    if run is not None and fact.what == "STEP_COMPLETED":
        run.course.excused = run.course.crashes  # only what ends the daemon again and again ends the run
    if fact.input_seq:
        state.inbox.consumed += 1
    if fact.what == "RUN_ENDED":
        state.newest.outcome = outcome_of(fact, origin.at_ms, why)


def _allowed(run: OpenRun, fact: Played, taken: ControlInput | None) -> None:
    permit = _PERMIT.read({**fact.detail, "call_id": fact.call_id})
    if taken is not None and isinstance(taken.fact, Answer):
        permit = replace(permit, by=taken.fact.by, at_ms=taken.at_ms)
    run.calls.permits[fact.call_id] = permit


def _again(run: OpenRun, fact: Played, taken: ControlInput | None) -> None:
    run.calls.granted.add(fact.call_id)


_PERMIT: Final = Form(Permit)
_RULED: Final[Mapping[str, Callable[[OpenRun, Played, ControlInput | None], None]]] = {
    "CALL_ALLOWED": _allowed,
    "CALL_AGAIN": _again,
}
"""What a person has said of a call that has not begun."""


def _fold_work(state: ThreadState, fact: PlaybookBegan | PlaybookEnded) -> None:
    """Fold in that a playbook of this conversation began or ended.

    Args:
        state: changed in place.
        fact: which.
    """
    known = state.links.active_work
    if isinstance(fact, PlaybookBegan):
        # An end may come before it: whoever started the playbook was cut off in between.
        if known is None or known.id != fact.thread_id:
            state.links.active_work = RunRef("playbook", fact.thread_id, True, fact.run_id)
    elif known is None or known.id == fact.thread_id:
        state.links.active_work = RunRef("playbook", fact.thread_id, False)


def outcome_of(fact: Played, at_ms: int, why: str = "") -> Outcome:
    """How the run of a playbook's thread ends.

    Args:
        fact: the machine's end.
        at_ms: when, UTC milliseconds.
        why: it was to end, where somebody wanted that, or there was no place for it.
    """
    found = fact.detail
    failure = found.get("failure")
    reason, message = ("", "")
    if isinstance(failure, dict):
        reason, message = str(failure.get("reason", "")), str(failure.get("message", ""))
    statuses: dict[object, OutcomeStatus] = {"completed": "done", "transferred": "done", "cancelled": "cancelled"}
    outcome = Outcome(statuses.get(found.get("status"), "failed"), message, reason=reason, updated_at_ms=at_ms)
    if outcome.status != "done":
        said = message or (why if outcome.status == "cancelled" else "")
        return replace(outcome, status_report=said, reason=reason or str(found.get("status", "")))
    return replace(outcome, response=orjson.dumps(found.get("outputs", {})).decode())
