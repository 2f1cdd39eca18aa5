"""How playbooks change a thread: their own, and the conversation that they are started from. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import orjson

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.threads.facts import Outcome, OutcomeStatus, TextMessageEnd
from sulla.threads.forms import Form
from sulla.threads.plays import OwedAnswer, PlaybookBegan, PlaybookEnded, Played, apply_played, stopped
from sulla.threads.state import OpenRun, RunRef, ThreadState
from sulla.threads.waits import Permit

NO_ANSWER = "the run ended without an answer"


def fold_played(state: ThreadState, fact: Played, at_ms: int) -> None:
    """Fold in what happened to a playbook's run.

    Args:
        state: changed in place.
        fact: what happened.
        at_ms: when, UTC milliseconds.
    """
    run = state.run
    if state.play is not None:
        state.play = apply_played(state.play, fact, at_ms)
    state.tainted = state.tainted or fact.tainted
    if run is not None and fact.what in _RULED:
        _RULED[fact.what](run, fact)
    elif run is not None and fact.call_id:
        run.permits.pop(fact.call_id, None)
        run.granted.discard(fact.call_id)
        if fact.effect:
            run.intents[fact.call_id] = fact.effect
        else:
            run.intents.pop(fact.call_id, None)
    if fact.input_seq:
        state.consumed += 1
    if fact.what == "RUN_ENDED":
        state.outcome = outcome_of(fact, at_ms)


def _allowed(run: OpenRun, fact: Played) -> None:
    run.permits[fact.call_id] = _PERMIT.read({**fact.detail, "call_id": fact.call_id})


def _again(run: OpenRun, fact: Played) -> None:
    run.granted.add(fact.call_id)


_PERMIT: Final = Form(Permit)
_RULED: Final[Mapping[str, Callable[[OpenRun, Played], None]]] = {"CALL_ALLOWED": _allowed, "CALL_AGAIN": _again}
"""What a person has said of a call that has not begun."""


def fold_work(state: ThreadState, fact: PlaybookBegan | PlaybookEnded) -> None:
    """Fold in that a playbook of this conversation began or ended.

    Args:
        state: changed in place.
        fact: which.
    """
    known = state.active_work
    if isinstance(fact, PlaybookBegan):
        # An end may come before it: whoever started the playbook was cut off in between.
        if known is None or known.id != fact.thread_id:
            state.active_work = RunRef("playbook", fact.thread_id, True, fact.run_id)
    elif known is None or known.id == fact.thread_id:
        state.active_work = RunRef("playbook", fact.thread_id, False)


def note_answer(run: OpenRun, fact: TextMessageEnd) -> None:
    """Remember what a reply answers to a playbook's question, until its call has a result.

    Args:
        run: changed in place.
        fact: the reply.
    """
    if run.question is None:
        return
    for part in fact.parts:
        if isinstance(part, ToolCall) and part.name == run.question.tool:
            run.answering = (part.id, orjson.dumps(dict(part.args)).decode())
            return


def note_answered(run: OpenRun, call_id: CallId, *, is_error: bool) -> None:
    """Take it for the answer if its call was good.

    Args:
        run: changed in place.
        call_id: the call that has a result.
        is_error: whether that says that it was not good.
    """
    if run.answering is not None and run.answering[0] == call_id and not is_error:
        run.answer = run.answering[1]


def owe_answer(state: ThreadState, run: OpenRun, outcome: Outcome) -> None:
    """The run is over: whoever asked is to be told the answer, or that there is none.

    Args:
        state: changed in place.
        run: the run.
        outcome: how it ended.
    """
    asked = run.question
    if asked is None:
        return
    why = outcome.status_report or outcome.reason or NO_ANSWER
    state.owes[asked.wait_id] = OwedAnswer(
        asked.thread_id,
        asked.wait_id,
        why if run.answer is None else run.answer,
        run.answer is None,
        run.tokens,
        run.cost_micro,
        state.tainted,
    )


def end_play(state: ThreadState, outcome: Outcome, said: str, at_ms: int) -> None:
    """A playbook's thread has no open run any more.

    Args:
        state: changed in place.
        outcome: how the run ended.
        said: the same in words.
        at_ms: when, UTC milliseconds.
    """
    if state.play is not None:
        cancelled, play = outcome.status == "cancelled", state.play
        if play.status == "transferred" and outcome.status == "failed":
            play = replace(play, status="running")  # nobody has taken over
        state.play = stopped(play, "cancelled" if cancelled else "failed", said or outcome.reason, at_ms)


def outcome_of(fact: Played, at_ms: int) -> Outcome:
    """How the run of a playbook's thread ends.

    Args:
        fact: the machine's end.
        at_ms: when, UTC milliseconds.
    """
    found = fact.detail
    failure = found.get("failure")
    reason, message = ("", "")
    if isinstance(failure, dict):
        reason, message = str(failure.get("reason", "")), str(failure.get("message", ""))
    statuses: dict[object, OutcomeStatus] = {"completed": "done", "transferred": "done", "cancelled": "cancelled"}
    outcome = Outcome(statuses.get(found.get("status"), "failed"), message, reason=reason, updated_at_ms=at_ms)
    if outcome.status != "done":
        return replace(outcome, reason=reason or str(found.get("status", "")))
    return replace(outcome, response=orjson.dumps(found.get("outputs", {})).decode())
