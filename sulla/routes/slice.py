"""Which route a turn takes, and how far it has come: what a thread's log keeps of that. Pure."""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar, Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import RunId
from sulla.core.jsontypes import FrozenJson
from sulla.routes.plan import RoutePlan, plan_from
from sulla.threads.log.codec import Origin
from sulla.threads.log.forms import Fielded
from sulla.threads.log.open_run import RunQuestion
from sulla.threads.log.plays import Question
from sulla.threads.log.provenance import Provenance
from sulla.threads.log.records import Outcome
from sulla.threads.log.schema import Slice
from sulla.threads.log.state import ThreadState

MOST_BEFORE: Final = 9
"""Turns that a gate can look back (`schema.MOST_COUNT`)."""

Stage = Literal["judge", "require", "reply", "over"]
"""What a turn waits for: what a model makes of the person's reply to a procedure, a call of the tool that its route
requires, then a reply, then nothing."""

Moved = Literal["judged", "made", "called", "rerouted", "fixed", "failed"]
"""The reply to a procedure was judged; the call was made in the model's place; the required tool has a result; a call
has led to another route; the reply is the route's fixed text; the route cannot be gone on with."""

Mode = Literal["model", "tool", "fixed"]
"""Whose words a reply is: the model's, a tool's and nothing else, or the route's fixed text."""


@dataclass(frozen=True, slots=True)
class RouteTaken(Fielded):
    """A turn takes a route."""

    kind: ClassVar[str] = "ROUTE_TAKEN"
    provenance: ClassVar[Provenance] = "person"
    """The words that a gate found are the person's; all else is the owner's."""
    plan: FrozenJson
    """See `RoutePlan.to_json`."""
    fault: str = ""
    """Why the route cannot be taken: the turn fails with it."""
    question: Question | None = None
    """What a model is to say of the message first; None for nothing."""
    behalf: str = ""
    """The agent that has the conversation, where the route's own answers in its place."""


@dataclass(frozen=True, slots=True)
class RouteBriefed(Fielded):
    """What the agent is told for this turn: the step of a procedure, with what the person has named in it."""

    kind: ClassVar[str] = "ROUTE_BRIEFED"
    provenance: ClassVar[Provenance] = "person"
    text: str


@dataclass(frozen=True, slots=True)
class RouteMoved(Fielded):
    """A turn has got on with its route."""

    kind: ClassVar[str] = "ROUTE_MOVED"
    provenance: ClassVar[Provenance] = "daemon"
    what: Moved
    plan: FrozenJson = field(default_factory=dict)
    """The plan of the route that a call has led to."""
    why: str = ""
    """Why the fixed text is said, or the route has failed: a stable word, or what to do. Of a call that was made in the
    model's place the error of its service, if that was why."""


@dataclass(frozen=True, slots=True)
class RouteEnded(Fielded):
    """The reply of a turn with a route is there (seed 003: what a flow finalizes)."""

    kind: ClassVar[str] = "ROUTE_ENDED"
    provenance: ClassVar[Provenance] = "daemon"
    route: str
    route_kind: str
    mode: Mode
    style: str
    agent: str
    duration_ms: int
    """Since the turn began."""


@dataclass(frozen=True, slots=True)
class TurnRoute(Fielded):
    """The route of the newest turn that took one, and how far it has come."""

    run_id: RunId
    plan: FrozenJson
    stage: Stage
    fault: str = ""
    """Why it cannot be taken, or gone on with."""
    made: bool = False
    """Whether the call was made in the model's place."""
    unheard: str = ""
    """The error of the model's service, if that was why."""
    mode: Mode = "model"
    briefing: str = ""
    """See `RouteBriefed`."""
    ended: bool = False
    """Whether `RouteEnded` is noted."""
    before: tuple[str, ...] = ()
    """The routes of the turns before it, the newest first, up to the first that is no default route."""

    @property
    def read(self) -> RoutePlan:
        """The plan."""
        return plan_from(self.plan)

    @property
    def lately(self) -> tuple[str, ...]:
        """Its own route and, if that is the default route, those of the turns before."""
        route = self.read.route
        return (route.name, *(self.before if route.kind == "default" else ()))[:MOST_BEFORE]


def _fold(
    state: ThreadState,
    kept: TurnRoute | None,
    record: RouteTaken | RouteBriefed | RouteMoved | RouteEnded,
    seq: int,
    origin: Origin,
) -> TurnRoute:
    if (run := state.run) is None:
        raise CorruptRecord(f"{state.thread_id}: {record.kind} without an open run")
    if isinstance(record, RouteTaken):
        state.walk.behalf = record.behalf
        state.walk.urgent = plan_from(record.plan).route.kind == "incident"
        if record.question is not None:
            run.asked = RunQuestion(record.question)
        stage: Stage = "judge" if record.question is not None else _first(record.plan)
        before = kept.lately if kept is not None else ()
        return TurnRoute(run.id, record.plan, stage, record.fault, before=before)
    if kept is None or kept.run_id != run.id:
        raise CorruptRecord(f"{state.thread_id}: {record.kind} without a route")
    if isinstance(record, RouteBriefed):
        return replace(kept, briefing=record.text)
    if isinstance(record, RouteEnded):
        return replace(kept, stage="over", ended=True)
    return _moved(state, kept, record, origin)


def _moved(state: ThreadState, kept: TurnRoute, record: RouteMoved, origin: Origin) -> TurnRoute:
    match record.what:
        case "judged":
            _speak_again(state, origin)
            return replace(kept, stage=_first(kept.plan))
        case "made":
            # What the model said in the place of the call is no last word.
            _speak_again(state, origin)
            return replace(kept, made=True, unheard=record.why)
        case "called":
            _speak_again(state, origin)
            mode: Mode = "tool" if kept.read.route.tools.text_only else "model"
            return replace(kept, stage="reply", mode=mode)
        case "rerouted":
            return replace(kept, plan=record.plan, stage=_first(record.plan))
        case "fixed":
            return replace(kept, stage="reply", mode="fixed", fault="")
        case _:
            return replace(kept, fault=record.why)


def _first(plan: FrozenJson) -> Stage:
    return "require" if plan_from(plan).route.tools.require else "reply"


def _speak_again(state: ThreadState, origin: Origin) -> None:
    if state.run is not None:
        state.run.asked = RunQuestion()
        state.run.model.replied, state.run.model.attempts = False, 0
    state.newest.nudged = state.newest.nudging = False
    state.newest.outcome = Outcome(updated_at_ms=origin.at_ms)


ROUTES: Final = Slice("route", TurnRoute, _fold, decided=(RouteTaken, RouteBriefed, RouteMoved, RouteEnded))


def route_of_run(state: ThreadState) -> TurnRoute | None:
    """The route of the open run; None where it took none, or no run is open.

    Args:
        state: the thread.
    """
    if (kept := ROUTES.of(state)) is None:
        return None
    return kept if state.run is not None and kept.run_id == state.run.id else None
