"""Which flow a turn walks, and where it stands: what is kept of it in a thread, and how it changes. Pure."""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import CallId, RunId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.flows.walk import Need, after, begin, need, place
from sulla.threads.log.codec import Origin
from sulla.threads.log.forms import Fielded
from sulla.threads.log.open_run import OpenRun, RunQuestion
from sulla.threads.log.plays import Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.records import Outcome
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState

BRANCHES: Final = "branches"
"""What stands in the place of an agent's key where several branches work."""
SUMMARY: Final = "task_summary"
"""The role that tells the person what was done."""


@dataclass(frozen=True, slots=True)
class FlowStarted(Fielded):
    """The turn is walked by this flow. The flow is written down, so what its file says later is for later turns."""

    kind: ClassVar[str] = "FLOW_STARTED"
    provenance: ClassVar[Provenance] = "person"
    name: str
    root: FrozenJson
    context: FrozenJson = field(default_factory=dict)
    """What its conditions and switches may look at, by the word of whoever sent the message."""
    flags: FrozenJson = field(default_factory=dict)
    """How the turn is to be walked."""
    agents: tuple[FrozenJson, ...] = ()
    """The agents that the turn brings along (`definitions.flow_options.SubAgent`)."""
    fault: str = ""
    """Why it cannot be walked; the turn fails with it."""


@dataclass(frozen=True, slots=True)
class FlowPart(Fielded):
    """A part of a turn that is under way."""

    key: str
    """The agent's or the role's; `BRANCHES` for several branches."""
    place: str
    """Where in the flow it stands."""
    agent: str
    """Who speaks."""
    shown: bool = True
    """Whether people see what it says."""
    is_role: bool = True
    """Whether that is a role which the turn's agent takes on, and not an agent of the home."""
    tools: tuple[str, ...] | None = None
    """The tools that it may use; None for all that the agent has."""
    calls: tuple[CallId, ...] = ()
    """The calls that are all of it: no model is asked."""
    on_failure: Literal["fail", "collect", "ignore"] = "fail"
    """What it means if it fails, or a branch of it."""


@dataclass(frozen=True, slots=True)
class FlowPartStarted(Fielded):
    """From here on this part of the flow is under way, in the same run."""

    kind: ClassVar[str] = "FLOW_PART_STARTED"
    provenance: ClassVar[Provenance] = "daemon"
    part: FlowPart
    question: Question | None = None
    """What it has to give by a forced call; None for words."""


@dataclass(frozen=True, slots=True)
class FlowMoved(Fielded):
    """What the walk waited for is known, or done: it goes on from there."""

    kind: ClassVar[str] = "FLOW_MOVED"
    provenance: ClassVar[Provenance] = "thread"
    place: str
    what: Literal["part", "condition", "variable", "limit", "left", "silent"]
    """A part is over; a condition or a variable was looked at; a loop has met its `max_loops` though its condition
    still holds; the flow was left, because something else has taken up the message; it is over, and the person was told
    nothing."""
    name: str = ""
    """The part's key, the condition's or the variable's name."""
    value: FrozenJson = field(default_factory=dict)
    """What it came to, under ``value``; nothing for words that stand in the conversation. With ``tainted`` it may
    repeat what nobody trusts."""
    failed: str = ""
    """Why the flow ends here."""
    passed: str = ""
    """Why a part came to nothing that need not: the flow goes on without it."""
    values: FrozenJson = field(default_factory=dict)
    """What parts of branches came to, by their keys."""


@dataclass(frozen=True, slots=True)
class WalkedFlow(Fielded):
    """The newest turn that was walked by a flow, and how far it has come."""

    run_id: RunId
    name: str
    root: FrozenJson
    context: FrozenJson
    flags: FrozenJson
    agents: tuple[FrozenJson, ...] = ()
    fault: str = ""
    """Why it cannot be walked, or not any further: the turn fails with it."""
    path: tuple[int, ...] = ()
    over: bool = False
    left: bool = False
    """Something else has taken up the message: the agent goes on as without a flow."""
    part: FlowPart | None = None
    values: FrozenJson = field(default_factory=dict)
    """What the parts have come to, the newest of each."""
    outcome: Outcome | None = None
    """That of the last part that people see."""
    moves: int = 0
    summed: bool = False
    """Whether the last part that could tell the person something was a summary: it is not asked for again."""

    @property
    def place(self) -> str:
        """Where in the flow it stands, for people."""
        return place(self.root, self.path)

    @property
    def need(self) -> Need | None:
        """What it waits for; None where it is over."""
        return None if self.over else need(self.root, self.path)


def _fold(
    state: ThreadState,
    kept: WalkedFlow | None,
    record: FlowStarted | FlowPartStarted | FlowMoved,
    seq: int,
    origin: Origin,
) -> WalkedFlow:
    if (run := state.run) is None:
        raise CorruptRecord(f"{state.thread_id}: {record.kind} without an open run")
    if isinstance(record, FlowStarted):
        path = begin(record.root) if not record.fault else ()
        said = (record.context, record.flags, record.agents, record.fault)
        return WalkedFlow(run.id, record.name, record.root, *said, path)
    if kept is None or kept.run_id != run.id:
        raise CorruptRecord(f"{state.thread_id}: {record.kind} without a flow")
    if isinstance(record, FlowPartStarted):
        _begin_part(state, run, record, origin)
        return replace(kept, part=record.part)
    return _moved(state, run, kept, record, origin)


def _begin_part(state: ThreadState, run: OpenRun, record: FlowPartStarted, origin: Origin) -> None:
    state.walk.lead = state.walk.lead or run.agent
    run.agent = record.part.agent
    state.walk.behalf = "" if record.part.agent == state.walk.lead else state.walk.lead
    run.asked = RunQuestion(record.question)
    run.model.replied, run.model.attempts, run.model.earlier = False, 0, run.model.begun
    # Whoever speaks now has not said anything yet, and is nudged for itself.
    state.newest.nudged = state.newest.nudging = False
    state.newest.outcome = Outcome(updated_at_ms=origin.at_ms)


def _moved(state: ThreadState, run: OpenRun, kept: WalkedFlow, record: FlowMoved, origin: Origin) -> WalkedFlow:
    part, value = kept.part, record.value.get("value")
    kept = replace(kept, part=None, moves=kept.moves + 1)
    if record.what == "left":
        return replace(kept, over=True, left=True)
    if record.what == "silent":
        state.newest.outcome = Outcome(updated_at_ms=origin.at_ms)
        return kept
    if record.what == "part" and part is not None:
        if part.shown and not part.calls:
            kept = replace(kept, outcome=state.newest.outcome)
        kept = replace(kept, summed=part.key == SUMMARY or (kept.summed and not part.shown))
        given = {**record.values, record.name: value} if record.value else record.values
        if given:
            kept = replace(kept, values={**kept.values, **given})
            state.newest.given = kept.values
        run.agent, run.asked = state.walk.lead or run.agent, RunQuestion()
        state.walk.behalf = ""
    state.newest.outcome = Outcome(updated_at_ms=origin.at_ms)
    if record.failed:
        return replace(kept, fault=f"the part {record.name!r} of the flow has failed: {record.failed}")
    path = after(kept.root, kept.path, value) if not kept.over else None
    if path is not None:
        return replace(kept, path=path)
    state.newest.outcome = _ended(kept.outcome, origin)
    return replace(kept, over=True)


def _ended(last: Outcome | None, origin: Origin) -> Outcome:
    """How a turn ends whose flow is over: as the last part that people saw."""
    if last is None or last.status in ("in_progress", "continue"):
        return Outcome("done", updated_at_ms=origin.at_ms)
    return replace(last, updated_at_ms=origin.at_ms)


FLOWS: Final = Slice("flow", WalkedFlow, _fold, decided=(FlowStarted, FlowPartStarted, FlowMoved))


def flow_of_run(state: ThreadState) -> WalkedFlow | None:
    """The flow that the open run is walked by; None where it is walked by none, or no run is open.

    Args:
        state: the thread.
    """
    kept = FLOWS.of(state)
    if kept is None or state.run is None or kept.run_id != state.run.id or kept.left:
        return None
    return kept


def part_of_run(state: ThreadState) -> FlowPart | None:
    """The part of a flow that is under way; None where there is none.

    Args:
        state: the thread.
    """
    kept = flow_of_run(state)
    return kept.part if kept is not None else None


def value_of(value: Json, *, tainted: bool = False) -> FrozenJson:
    """A value as `FlowMoved` holds it.

    Args:
        value: the value.
        tainted: whether it may repeat what nobody trusts.
    """
    return {"value": value, "tainted": True} if tainted else {"value": value}
