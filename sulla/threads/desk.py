"""What to do next for a thread. Pure: the same state always gives the same task (design §4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.core.ids import ThreadId
from sulla.threads.facts import Answer, ContinueAsked, StopAsked
from sulla.threads.family import is_child_wait
from sulla.threads.state import OpenRun, ThreadState, WaitingInput


@dataclass(frozen=True, slots=True)
class Start:
    """Take up a waiting message with a run of its own."""

    item: WaitingInput


@dataclass(frozen=True, slots=True)
class GoOn:
    """Carry the open run on from where its log says it is."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Give the suspended run an answer."""

    seq: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Stop:
    """End the open run, if there is one, and hold what waits."""

    seq: int
    cancels_run: bool


@dataclass(frozen=True, slots=True)
class Interrupt:
    """End the open run because of a newer message, which then gets its turn."""

    seq: int


@dataclass(frozen=True, slots=True)
class Steer:
    """Have calls that wait for sub-agents alone look up: a message came that wants to steer."""

    seq: int
    crashes: int
    """The run's so far."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Let held messages go on."""

    seq: int


@dataclass(frozen=True, slots=True)
class Ignore:
    """Put away an input that nobody waits for."""

    seq: int
    reason: str


@dataclass(frozen=True, slots=True)
class TellParent:
    """Offer what this thread came to to whoever asked for it."""


@dataclass(frozen=True, slots=True)
class CancelChild:
    """Have a run end that nobody waits for any more."""

    id: str
    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do until something is offered."""


Task = Start | GoOn | Resume | Stop | Interrupt | Steer | Continue | Ignore | TellParent | CancelChild | Rest


def next_task(state: ThreadState) -> Task:
    """The one thing to do now: what people ask for first, in log order; then the open run; then what waits.

    The holder of the lease calls this whenever the state has changed, also while a run is going on: `Stop` and
    `Interrupt` then end it, `GoOn` leaves it alone.
    """
    run = state.run
    if run is None and state.is_child and state.waiting and not state.cycle_complete:
        # Also one that was stopped before it began has to end: somebody waits for it.
        return Start(state.waiting[min(state.waiting)])
    for seq in sorted(state.controls):
        task = _control(state, seq)
        if task is not None:
            return task
    if state.owes_report:
        return TellParent()
    if run is not None:
        interrupting = [item for item in state.runnable if item.mode == "interrupt" and item.seq > run.known_seq]
        if interrupting:
            return Interrupt(interrupting[0].seq)
        if not state.suspended:
            return GoOn()
        steering = _steering(state, run)
        return Steer(steering, run.crashes) if steering else Rest()
    for child in state.children.values():
        return CancelChild(child.id, child.thread_id)
    waiting = state.runnable
    return Start(waiting[0]) if waiting else Rest()


def _steering(state: ThreadState, run: OpenRun) -> int:
    """The newest message that should not have to wait until sub-agents are done; 0 for none."""
    if not all(is_child_wait(wait.wait_id) and wait.call_id for wait in run.waits.values()):
        return 0  # a person has to answer first, or it is a heartbeat, which has its own way with messages
    return max((item.seq for item in state.steering if item.seq > run.known_seq), default=0)


def _control(state: ThreadState, seq: int) -> Task | None:
    match state.controls[seq].fact:
        case StopAsked():
            return Stop(seq, cancels_run=state.run is not None and state.run.input_seq < seq)
        case ContinueAsked():
            return Continue(seq)
        case Answer() as answer:
            if state.run is not None and answer.wait_id in state.run.waits:
                return Resume(seq, answer)
            if state.run is not None and not state.suspended:
                return None  # it may have come before the question was written down
            return Ignore(seq, "nobody waits for this answer (any more)")
