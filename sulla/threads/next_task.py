"""What to do next for a thread. Pure: the same state always gives the same task (design §4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import RunId
from sulla.threads.log.delivery import Owed
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.inputs import ControlInput, WaitingInput
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.plays import TIME
from sulla.threads.log.records import Answer, ContinueAsked, StopAsked
from sulla.threads.log.requests import RunRequest
from sulla.threads.log.state import ThreadState

STOPPED: Final = "it was stopped before it began"
BEGUN: Final = "the message that is taken back waits no longer"
TAKEN: Final = "the run has it beside another answer that it waited for"


@dataclass(frozen=True, slots=True)
class Start:
    """Take up a waiting message with a run of its own."""

    item: WaitingInput


@dataclass(frozen=True, slots=True)
class GoOn:
    """Carry the open run on from where its log says it is."""


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """Give the suspended run an answer."""

    seq: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class StopRun:
    """End the open run, if there is one, and hold what waits."""

    seq: int
    cancels_run: bool
    drop: bool = False
    """Whether what waits gets no turn any more."""
    only: int = 0
    """The waiting message that is taken back, while all else stays as it is; 0 for none."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """End the open run because of a newer message, which then gets its turn."""

    seq: int


@dataclass(frozen=True, slots=True)
class CancelForBargeIn:
    """End the open run because somebody speaks over the reply that it is making."""


@dataclass(frozen=True, slots=True)
class Steer:
    """Have calls that wait for sub-agents alone look up: a message came that wants to steer."""

    seq: int
    crashes: int
    """The run's so far."""


@dataclass(frozen=True, slots=True)
class ReleaseHeld:
    """Let held messages go on."""

    seq: int


@dataclass(frozen=True, slots=True)
class Ignore:
    """Put away an input that nobody waits for."""

    seq: int
    reason: str
    run_id: RunId = RunId("")
    """The run that its sender was promised, where it is a message."""


@dataclass(frozen=True, slots=True)
class WakeRun:
    """Have a run go on that looks by itself: what it waits for is there, or somebody wants something of it."""

    crashes: int
    """The run's so far."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """Offer another thread what this one has for it."""

    owed: Owed


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing to do until something is offered."""


Task = (
    Start | GoOn | AnswerRun | StopRun | Interrupt | CancelForBargeIn | Steer | WakeRun | ReleaseHeld | Ignore
    | Deliver | Idle
)  # fmt: skip


def next_task(state: ThreadState) -> Task:
    """The one thing to do now: what people ask for first, in log order; then the open run; then what waits.

    The holder of the lease calls this whenever the state has changed, also while a run is going on: `StopRun` and
    `Interrupt` then end it, `GoOn` leaves it alone.
    """
    run = state.run
    stopped = _stopped_before(state) if run is None and state.inbox.waiting else 0
    if stopped:
        return Start(state.inbox.waiting[stopped])
    for seq in sorted(state.inbox.controls):
        task = _control(state, seq)
        if task is not None:
            return task
    refused = _refused(state)
    if refused is not None:
        return refused
    for owed in state.outbox:
        return Deliver(owed)
    if run is not None:
        return _of_run(state, run)
    waiting = state.runnable
    return Start(_first(waiting, state)) if waiting else Idle()


def cut_short(state: ThreadState) -> str:
    """Why the open run has to end now, in the word for its outcome; empty if it does not.

    Unlike `next_task` this looks past what is to be done first and needs no hurry, e.g. a CONTINUE before a STOP.
    """
    run = state.run
    if run is None:
        return ""
    if any(_stops(control) and run.message.seq < seq for seq, control in state.inbox.controls.items()):
        return "stopped"
    match _of_run(state, run):
        case Interrupt():
            return "interrupted"
        case CancelForBargeIn():
            return "barged_in"
        case _:
            return ""


def _stops(control: ControlInput) -> bool:
    """Whether a control ends what goes on."""
    return isinstance(control.fact, StopAsked) and not control.fact.only


def _stopped_before(state: ThreadState) -> int:
    """What has to begin also if it was stopped before it did, because somebody waits for its end; 0 for nothing."""
    if state.is_child and not state.walk.cycle_complete:
        return min(state.inbox.waiting)
    if not state.kind.refusal:
        return 0
    stop = max((seq for seq, control in state.inbox.controls.items() if _stops(control)), default=0)
    return min((seq for seq, item in state.inbox.waiting.items() if item.origin != "user" and seq < stop), default=0)


def _refused(state: ThreadState) -> Ignore | None:
    """What a thread that takes no messages is offered all the same: a person's message neither ends its run nor orders
    anything; nor does an order count that was stopped together with the one before it.
    """
    if not state.kind.refusal or (state.run is not None and not state.suspended):
        return None  # while it is at work, only what ends it is looked for
    for item in state.inbox.waiting.values():
        if item.origin == "user":
            return Ignore(item.seq, state.kind.refusal, item.run_id)
        if state.run is None and item.seq < state.inbox.held_below:
            return Ignore(item.seq, STOPPED, item.run_id)
    return None


def _of_run(state: ThreadState, run: OpenRun) -> Task:
    """What becomes of the open run."""
    interrupting = next((item for item in state.runnable if _ends(item, state, run)), None)
    if interrupting is not None and not state.kind.refusal:
        return Interrupt(interrupting.seq)
    if _is_spoken_over(state, run):
        return CancelForBargeIn()
    if not state.suspended:
        return GoOn()
    steering = _steering(state, run)
    return Steer(steering, run.course.crashes) if steering else Idle()


def _first(waiting: Sequence[WaitingInput], state: ThreadState) -> WaitingInput:
    """The message whose turn is next."""
    if len(waiting) == 1:
        return waiting[0]
    return next((item for item in waiting if state.must_not_wait(item)), waiting[0])


def _ends(item: WaitingInput, state: ThreadState, run: OpenRun) -> bool:
    """Whether a waiting message ends the open run. One that must not wait lets the turn of another such one be: who
    says it again would else end each answer; but not where that turn waits for people."""
    if item.seq <= run.known_seq:
        return False
    return item.mode == "interrupt" or ((state.suspended or not state.walk.urgent) and state.must_not_wait(item))


def _is_spoken_over(state: ThreadState, run: OpenRun) -> bool:
    """Whether the reply in flight is the one that somebody spoke over; another one is none of their business."""
    barged, call = state.inbox.barged, run.model.open_call
    return barged is not None and call is not None and call.message_id == barged.message_id


def _steering(state: ThreadState, run: OpenRun) -> int:
    """The newest message that should not have to wait until sub-agents are done; 0 for none."""
    if not all(is_child_wait(wait.wait_id) and wait.call_id for wait in run.waits.values()):
        return 0  # a person has to answer first, or it is a heartbeat, which has its own way with messages
    return max((item.seq for item in state.steering if item.seq > run.known_seq), default=0)


def _stop(state: ThreadState, seq: int, stop: StopAsked) -> Task:
    """What becomes of a stop; or of a message that somebody takes back, where a playbook's is not his to take."""
    if not stop.only:
        return StopRun(seq, cancels_run=state.run is not None and state.run.message.seq < seq, drop=stop.drop)
    for item in state.inbox.waiting.values():
        if item.message_id == stop.only and item.seq < seq and item.origin in ("user", "web"):
            return StopRun(seq, cancels_run=False, drop=True, only=item.seq)
    return Ignore(seq, BEGUN)


def _control(state: ThreadState, seq: int) -> Task | None:
    match state.inbox.controls[seq].fact:
        case StopAsked() as stop:
            return _stop(state, seq, stop)
        case ContinueAsked():
            return ReleaseHeld(seq)
        case RunRequest() as order:
            is_known = isinstance(order, state.kind.orders)
            if state.run is None and is_known and state.inbox.waiting:
                return None  # it is for the run that is about to begin
            if state.run is None or not is_known:
                return Ignore(seq, order.refusal)
            return WakeRun(state.run.course.crashes) if state.suspended else None  # at work, it looks by itself
        case Answer() as answer:
            # What time ends nobody answers: it would wake the run again and again.
            if state.run is not None and answer.wait_id in state.run.waits and not answer.wait_id.startswith(TIME):
                if not state.kind.waits_while_working:
                    return AnswerRun(seq, answer)
                return WakeRun(state.run.course.crashes) if state.suspended else None  # as above
            if state.run is not None and not state.suspended:
                return None  # it may have come before the question was written down
            known = state.run is not None and answer.wait_id in state.run.reports
            return Ignore(seq, TAKEN if known else "nobody waits for this answer (any more)")
