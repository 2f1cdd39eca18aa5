"""A thread's checkpoint: everything of the fold but the messages, small enough to be written with every append.
Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import orjson

from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, MessageId, NodeId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.core.message import Origin
from sulla.store import Head, Status, seal, unseal
from sulla.threads.facts import ModelStarted, Outcome
from sulla.threads.family import Birth, ChildStarted
from sulla.threads.forms import Form, fields_to_json
from sulla.threads.next_task import Rest, next_task
from sulla.threads.plays import OwedAnswer, PlayState, Question
from sulla.threads.schema import ThreadSchema
from sulla.threads.spoken import BargedIn
from sulla.threads.state import OpenRun, RunRef, ThreadState
from sulla.threads.usage import Usage
from sulla.threads.waits import Permit, Wait

KIND = "thread"


@dataclass(frozen=True, slots=True)
class RunPoint:
    """An open run, as kept."""

    id: RunId
    input_seq: int
    started_ms: int
    agent: str = ""
    known_seq: int = 0
    touched_ms: int = 0
    replied: bool = False
    model_calls: int = 0
    tokens: int = 0
    cost_micro: int = 0
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    crashes: int = 0
    parked: bool = False
    open_call: ModelStarted | None = None
    intents: FrozenJson = field(default_factory=dict)
    waits: tuple[Wait, ...] = ()
    granted: tuple[CallId, ...] = ()
    message_id: MessageId = MessageId("")
    origin: Origin = "user"
    permits: tuple[Permit, ...] = ()
    reports: tuple[int, ...] = ()
    asked_ms: int = 0
    paused: bool = False
    cuts: int = 0
    question: Question | None = None
    answering: tuple[str, ...] = ()
    """The call that answers it, and what; nothing for none."""
    answer: str | None = None
    resting: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A thread without its messages, as kept."""

    claimed: int = 0
    """Up to which record inputs are folded in."""
    epoch: int = 0
    """The lease under which this was written."""
    created_ms: int = 0
    updated_ms: int = 0
    agent: str = ""
    title: str = ""
    project: str = ""
    channel: str = ""
    active_agents: tuple[str, ...] = ()
    model: str = ""
    graph: str = ""
    slices: FrozenJson = field(default_factory=dict)
    """Their fields stand here, beside the others."""
    play: PlayState | None = None
    owes: tuple[OwedAnswer, ...] = ()
    birth: Birth | None = None
    reported: bool = False
    children: tuple[ChildStarted, ...] = ()
    active_work: RunRef | None = None
    run: RunPoint | None = None
    outcome: Outcome | None = None
    had_tool_calls: bool = False
    """Read in heads that have it, and not written: nothing depends on it."""
    nudged: bool = False
    nudging: bool = False
    node: NodeId = NodeId("")
    iterations: int = 0
    consecutive_same_node: int = 0
    agent_loops: int = 0
    cycle_complete: bool = False
    waiting: tuple[int, ...] = ()
    controls: tuple[int, ...] = ()
    barged: BargedIn | None = None
    held_below: int = 0
    summary_covers: int = 0
    summary_seq: int = 0
    tainted: bool = False
    diagnostics: FrozenJson = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    spent_tokens: int = 0
    spent_micro: int = 0
    day: int = 0
    day_tokens: int = 0


_FORM = Form(Checkpoint)
_SAME = (
    "created_ms updated_ms agent title project channel model graph play birth reported active_work "
    "nudged nudging node iterations consecutive_same_node "
    "agent_loops cycle_complete barged held_below summary_covers summary_seq tainted usage "
    "spent_tokens spent_micro day day_tokens"
).split()
"""Fields that are the same in the state and in the checkpoint."""


def status_of(state: ThreadState) -> Status:
    """What the store should know: is there anything to do for this thread?"""
    # Also what was looked at and not dealt with, e.g. an answer that came as the daemon was about to stop.
    if not isinstance(next_task(state), Rest):
        return "open"
    return "suspended" if state.suspended else "idle"


def to_head(schema: ThreadSchema, state: ThreadState, claimed: int, epoch: int, due_ms: int | None = None) -> Head:
    """The checkpoint of a state that knows the log's inputs up to `claimed`, written under the lease `epoch`.

    Args:
        schema: what threads hold.
        state: the thread.
        claimed: up to which record its inputs are folded in.
        epoch: the lease.
        due_ms: when somebody should look at the thread though nothing happens, UTC milliseconds.
    """
    run = state.run
    checkpoint = Checkpoint(
        **{name: getattr(state, name) for name in _SAME},
        claimed=claimed,
        epoch=epoch,
        active_agents=tuple(state.active_agents),
        slices=schema.slices_to_json(state),
        children=tuple(state.children.values()),
        owes=tuple(state.owes.values()),
        run=_point(run) if run is not None else None,
        # Once the run has ended its words are in the log: repeating them would double every later write.
        outcome=state.outcome if run is not None or _is_owed(state) else _brief(state.outcome),
        waiting=tuple(sorted(state.waiting)),
        controls=tuple(sorted(state.controls)),
        diagnostics=dict(state.diagnostics),
    )
    body = seal("HEAD", orjson.dumps(_flat(fields_to_json(checkpoint))))
    return Head(KIND, status_of(state), state.agent, due_ms, state.consumed, body)


def _flat(kept: JsonObject) -> JsonObject:
    """With the slices' fields in the place of `slices`."""
    found: JsonObject = {}
    for name, value in kept.items():
        found.update(value if name == "slices" and isinstance(value, dict) else {name: value})
    return found


def _point(run: OpenRun) -> RunPoint:
    return RunPoint(
        run.id,
        run.input_seq,
        run.started_ms,
        run.agent,
        run.known_seq,
        run.touched_ms,
        run.replied,
        run.model_calls,
        run.tokens,
        run.cost_micro,
        run.usage,
        run.attempts,
        run.crashes,
        run.parked,
        run.open_call,
        {str(call_id): effect for call_id, effect in run.intents.items()},
        tuple(run.waits.values()),
        tuple(sorted(run.granted)),
        run.message_id,
        run.origin,
        tuple(run.permits.values()),
        tuple(sorted(report.seq for report in run.reports.values())),
        run.asked_ms,
        run.paused,
        run.cuts,
        run.question,
        run.answering or (),
        run.answer,
        run.resting,
    )


@dataclass(frozen=True, slots=True)
class Unread:
    """What a head only names and the log has."""

    epoch: int = 0
    """The lease under which the head was written."""
    claimed: int = 0
    """Inputs up to here are known to the head; later ones are not."""
    pending: tuple[int, ...] = ()
    """The numbers of known inputs that still wait."""
    reports: tuple[int, ...] = ()
    """Those of what children have reported to the open run."""


def from_head(schema: ThreadSchema, thread_id: ThreadId, head: Head) -> tuple[ThreadState, Unread]:
    """The state that `to_head` was given, without messages.

    Args:
        schema: what threads hold.
        thread_id: whose it is.
        head: what was kept.

    Returns:
        The state, and what has to be read from the log.

    Raises:
        CorruptRecord: the checkpoint is not what was written.
    """
    state = schema.new(thread_id)
    state.consumed = head.consumed
    if not head.body:
        return state, Unread()
    try:
        kept: Json = orjson.loads(unseal("HEAD", head.body, f"{thread_id} head"))
    except orjson.JSONDecodeError as error:
        raise CorruptRecord(f"{thread_id} head: not JSON: {error}") from None
    checkpoint = _FORM.read(schema.slices_from_json(kept, state) if isinstance(kept, dict) else kept)
    for name in _SAME:
        setattr(state, name, getattr(checkpoint, name))
    state.kind = schema.kind_of(state)
    state.active_agents = list(checkpoint.active_agents)
    state.outcome = checkpoint.outcome or Outcome()
    state.diagnostics = dict(checkpoint.diagnostics)
    state.children = {child.id: child for child in checkpoint.children}
    state.owes = {owed.wait_id: owed for owed in checkpoint.owes}
    if checkpoint.run is not None:
        state.run = _open_run(checkpoint.run)
        state.waiting_for_user = state.run.resting if state.kind.waits_while_working else bool(state.run.waits)
    reports = checkpoint.run.reports if checkpoint.run is not None else ()
    return state, Unread(checkpoint.epoch, checkpoint.claimed, (*checkpoint.waiting, *checkpoint.controls), reports)


def _open_run(point: RunPoint) -> OpenRun:
    return OpenRun(
        point.id,
        point.input_seq,
        point.started_ms,
        point.agent,
        point.known_seq,
        point.touched_ms,
        point.replied,
        point.model_calls,
        point.tokens,
        point.cost_micro,
        point.usage,
        point.attempts,
        point.crashes,
        point.parked,
        point.open_call,
        {CallId(call_id): str(effect) for call_id, effect in point.intents.items()},
        {wait.wait_id: wait for wait in point.waits},
        set(point.granted),
        point.message_id,
        point.origin,
        point.asked_ms,
        {permit.call_id: permit for permit in point.permits},
        paused=point.paused,
        cuts=point.cuts,
        question=point.question,
        answering=(CallId(point.answering[0]), point.answering[1]) if point.answering else None,
        answer=point.answer,
        resting=point.resting,
    )


def _is_owed(state: ThreadState) -> bool:
    """Whether somebody waits to be told what came of it."""
    return state.owes_report or bool(state.end_heard_by)


def _brief(outcome: Outcome) -> Outcome:
    return Outcome(status=outcome.status, reason=outcome.reason, updated_at_ms=outcome.updated_at_ms)
