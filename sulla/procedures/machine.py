"""How a procedure goes on: what has come, where it stands, what is written down and what the agent is told. Pure.

A step is left by `complete` alone, whatever else comes in between: a reply that does not do what the step asks for, or
of which that is not sure, changes nothing but what was collected. Days may lie between two replies.
"""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.procedures.briefing import StepBriefing, Told, brief_end, brief_left, brief_lost, brief_step
from sulla.procedures.definition import Procedure, ProcedureStep
from sulla.procedures.slice import By, ProcedureMoved, ProcedureState, What, after
from sulla.procedures.verdicts import ITEM_CHARS, Reading, enough, judged, question, read_reply, wants_out

WHY_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Start:
    """The procedure shall begin. One that is open already goes on where it stands."""


@dataclass(frozen=True, slots=True)
class Continue:
    """The person has replied."""

    reply: str
    """In their own words."""
    judged: str = ""
    """What a model has chosen of `verdicts.CHOICES` where `question_for` asked; empty, or anything else, for hold."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The person comes back to it, after whatever time, and has not answered the step with that."""


@dataclass(frozen=True, slots=True)
class Preserve:
    """Something else has the turn: the procedure waits as it is."""

    why: str
    """A word for it, such as ``gate``."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """Something graver has the turn: the procedure waits as it is, until the person asks for it."""

    why: str
    """A word for it, such as ``incident``."""


@dataclass(frozen=True, slots=True)
class Clear:
    """The procedure ends here."""

    why: str = "person"


Come = Start | Continue | Resume | Preserve | SetAside | Clear


@dataclass(frozen=True, slots=True)
class Moved:
    """What follows."""

    state: ProcedureState | None
    """How it stands then; as `slice` folds `facts`."""
    facts: tuple[ProcedureMoved, ...] = ()
    briefing: StepBriefing | None = None
    """What the agent is told for this turn; None for nothing."""


def question_for(state: ProcedureState | None, reply: str, procedure: Procedure | None) -> str:
    """What a model is to be asked before a reply can be read; empty where the words say it, or nothing can be read.

    Args:
        state: how it stands.
        reply: in the person's own words.
        procedure: as its file says by now; None if there is none any more.
    """
    step = _step(state, procedure)
    if state is None or procedure is None or step is None or not reply.strip():
        return ""
    has = state.items_of(step.id)
    if read_reply(reply, procedure, step, has).verdict is not None:
        return ""
    return question(reply, procedure, step, has)


def move(state: ProcedureState | None, come: Come, procedure: Procedure | None) -> Moved:
    """Go on by what has come.

    Args:
        state: how it stands; None if nothing ever began.
        come: what has come.
        procedure: the one that is to start, or that is open, as its file says by now; None if there is none any more.
    """
    if isinstance(come, Start):
        return _start(state, procedure)
    if state is None or not state.is_open:
        return Moved(state)
    if procedure is not None and procedure.name != state.name:
        procedure = None
    match come:
        case Preserve() | SetAside() | Continue() if state.is_aside:
            return Moved(state)  # whoever has the turn: only the person takes it up again
        case Preserve(why):
            return _moved(state, "preserved", procedure, why=why[:WHY_CHARS])
        case SetAside(why):
            return _moved(state, "set_aside", procedure, why=why[:WHY_CHARS])
        case Clear(why):
            return _leave(state, procedure, why=why[:WHY_CHARS])
        case Resume():
            return _stay(state, "resumed", "resumed", procedure)
        case Continue():
            return _reply(state, come, procedure)


def _start(state: ProcedureState | None, procedure: Procedure | None) -> Moved:
    if procedure is None:
        return Moved(state)
    facts: list[ProcedureMoved] = []
    if state is not None and state.is_open:
        if state.name == procedure.name and procedure.place(state.step) >= 0:
            return _stay(state, "resumed", "resumed", procedure)
        why = "changed" if state.name == procedure.name else "another"
        facts.append(ProcedureMoved(state.name, state.digest, "left", state.step, why=why))
    begun = ProcedureMoved(procedure.name, procedure.digest, "started", procedure.steps[0].id)
    now = after(None, begun)
    return Moved(now, (*facts, begun), brief_step(procedure, now, "started"))


def _reply(state: ProcedureState, come: Continue, procedure: Procedure | None) -> Moved:
    step = _step(state, procedure)
    if procedure is None or step is None:
        if wants_out(come.reply, procedure.exits if procedure is not None else ()):
            return _leave(state, procedure, by="words")
        return _stay(state, "held", "held", procedure)
    has = state.items_of(step.id)
    reading = read_reply(come.reply, procedure, step, has)
    by: By = "words"
    told: Told = "held"
    if reading.verdict is None:
        answer = judged(come.judged)
        by = "judge" if come.judged else "caller"
        told = "side_question" if answer == "side_question" else "held"
        if answer == "complete" and step.done_when.how == "items" and not enough(reading.items, step.done_when, has):
            answer = "hold"  # whatever a model says, what is not there is not counted
        items = reading.items if answer == "complete" and step.done_when.how == "items" else ()
        reading = Reading("hold" if answer == "side_question" else answer, items)
    match reading.verdict:
        case "exit":
            return _leave(state, procedure, by=by, of=step.id)
        case "complete":
            return _complete(state, procedure, step, _kept(come.reply, step, reading), by)
        case "stuck":
            return _moved(state, "stuck", procedure, by=by, of=step.id, told="stuck")
        case _:
            return _moved(state, "held", procedure, by=by, of=step.id, items=reading.items, told=told)


def _complete(
    state: ProcedureState, procedure: Procedure, step: ProcedureStep, items: tuple[str, ...], by: By
) -> Moved:
    at = procedure.place(step.id) + 1
    if at < len(procedure.steps):
        following = procedure.steps[at].id
        fact = ProcedureMoved(procedure.name, procedure.digest, "completed", following, by, step.id, items)
        now = after(state, fact)
        return Moved(now, (fact,), brief_step(procedure, now, "completed"))
    fact = ProcedureMoved(procedure.name, procedure.digest, "finished", step.id, by, step.id, items)
    now = after(state, fact)
    return Moved(now, (fact,), brief_end(procedure, now))


def _kept(reply: str, step: ProcedureStep, reading: Reading) -> tuple[str, ...]:
    """What is kept of the reply that completes a step."""
    return reading.items or ((" ".join(reply.split())[:ITEM_CHARS],) if step.keep else ())


def _leave(
    state: ProcedureState, procedure: Procedure | None, *, by: By = "caller", of: str = "", why: str = ""
) -> Moved:
    moved = _moved(state, "left", procedure, by=by, of=of, why=why)
    title = procedure.title if procedure is not None else state.name
    return Moved(moved.state, moved.facts, brief_left(title, state.name))


def _stay(state: ProcedureState, what: What, told: Told, procedure: Procedure | None) -> Moved:
    return _moved(state, what, procedure, told=told)


def _moved(
    state: ProcedureState,
    what: What,
    procedure: Procedure | None,
    *,
    by: By = "caller",
    of: str = "",
    items: tuple[str, ...] = (),
    why: str = "",
    told: Told | None = None,
) -> Moved:
    """It stands where it stood, and this has happened."""
    step = _step(state, procedure)
    # A file that has no such step any more may get it back: until then the procedure is as it was.
    digest = procedure.digest if procedure is not None and step is not None else state.digest
    fact = ProcedureMoved(state.name, digest, what, state.step, by, of, items, why)
    now = after(state, fact)
    if told is None:
        return Moved(now, (fact,))
    if procedure is None or step is None:
        return Moved(now, (fact,), brief_lost(state.name, gone=procedure is None))
    return Moved(now, (fact,), brief_step(procedure, now, told))


def _step(state: ProcedureState | None, procedure: Procedure | None) -> ProcedureStep | None:
    """The step at which it stands, if it is open and the procedure has it."""
    if state is None or not state.is_open or procedure is None or procedure.name != state.name:
        return None
    at = procedure.place(state.step)
    return procedure.steps[at] if at >= 0 else None
