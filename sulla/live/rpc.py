"""What clients can see of the work that goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.finding.title import Kind
from sulla.rpc.caller import Context
from sulla.rpc.form import Params
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Money, Time
from sulla.rpc.watch import Watch, WatchEnded

MOST_ROWS: Final = 500
"""Threads that are told of at once."""
What = Literal["model", "tool", "step", "waits", "queued", "handed"]
"""What a thread does: a `model` answers, a `tool` runs, a playbook's `step` is at work, it `waits` for a person or a
time, it is `queued` for a place, or others do what it has `handed` to them."""


class LiveWatch(Params):
    """`live.watch`."""


class LiveUnwatch(Params):
    """`live.unwatch`."""


@dataclass(frozen=True, slots=True)
class Doing:
    """What a thread does now."""

    what: What
    name: str
    """The model, the tool, the steps, the tool that is asked about, or the agents that it was handed to; `paused` of a
    run that was paused; may be empty."""
    since_ms: Annotated[Time, Field(alias="since")]


@dataclass(frozen=True, slots=True)
class BudgetLeft:
    """What its run may still use."""

    tokens_left: int | None
    money_left_micro: Annotated[Money | None, Field(alias="money_left_usd")]
    calls_left: int | None
    """Calls of a model; null for a run that makes none itself."""


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """What it asks a person."""

    id: str
    prompt: str
    """Its first 300 characters; `approval.list` has the whole."""


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A thread in which something goes on, or that waits for a person."""

    thread_id: str
    parent_thread_id: str | None
    """The thread that set it to work, or the conversation that a playbook was started from; null for none."""
    kind: Kind
    title: str
    agent: str
    project: str
    """Empty for none."""
    run_id: str
    """Empty while its turn has not begun."""
    playbook: str | None
    since_ms: Annotated[Time, Field(alias="since")]
    """When its turn began, or its message came."""
    doing: Doing
    tokens_in: int
    tokens_out: int
    tokens: int
    """What its run was charged for, with what others used for it."""
    cost_micro: Annotated[Money | None, Field(alias="cost_usd")]
    """Null where no model has a price."""
    budget: BudgetLeft
    waiting: int
    """Messages that wait for their turn."""
    question: LiveQuestion | None
    tainted: bool
    at_work: bool = False
    """Whether a worker does something in it now: these are what `running` of `system.status` counts. A thread that
    waits for others that work for it is not at work itself."""


@dataclass(frozen=True, slots=True)
class LiveSwitch:
    """Whether all work stands still."""

    paused: bool
    by: str
    since_ms: Annotated[Time | None, Field(alias="since")]
    reason: str = ""
    """What was said to it; empty for nothing."""


@dataclass(frozen=True, slots=True)
class LiveRows:
    """The answer to `live.watch`."""

    rows: tuple[LiveRow, ...]
    more: bool
    """Whether something goes on in further threads, too."""
    switch: LiveSwitch


@dataclass(frozen=True, slots=True)
class LiveNews:
    """The parameters of the `live` notification: what is another than what was told before."""

    changed: tuple[LiveRow, ...]
    gone: tuple[str, ...]
    """Threads in which nothing goes on any more."""
    more: bool
    switch: LiveSwitch


class LiveService(Protocol):
    """Knows what goes on."""

    async def now(self) -> JsonObject:
        """All that goes on, as `LiveRows`.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        ...

    def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """What changes from then on, each time as `LiveNews`.

        Args:
            told: what `now` gave.
        """
        ...


async def _watch(service: LiveService, params: LiveWatch, context: Context) -> JsonObject:
    return await service.now()


async def _unwatch(service: LiveService, params: LiveUnwatch, context: Context) -> WatchEnded:
    return WatchEnded(ended=False)  # whoever watches knows better


def _follow(service: LiveService, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
    return service.follow(told)


_ROW: Final[dict[str, JsonValue]] = {
    "thread_id": "thr_9b2d",
    "parent_thread_id": None,
    "kind": "chat",
    "title": "Trip to Rome",
    "agent": "sulla",
    "project": "rome",
    "run_id": "run_c3d4",
    "playbook": None,
    "since": "2027-01-15T08:00:00.000Z",
    "doing": {"what": "tool", "name": "web_fetch", "since": "2027-01-15T08:00:04.000Z"},
    "tokens_in": 1200,
    "tokens_out": 80,
    "tokens": 1280,
    "cost_usd": 0.0041,
    "budget": {"tokens_left": 498720, "money_left_usd": None, "calls_left": 48},
    "waiting": 0,
    "question": None,
    "tainted": False,
    "at_work": True,
}

METHODS: Final[Methods[LiveService]] = Methods(
    "live",
    (
        Method(
            "live.watch",
            LiveWatch,
            LiveRows,
            "read",
            _watch,
            Rest("GET", "/live", "What goes on in all threads at this moment, and who waits for a person."),
            Example(
                {"rows": [_ROW], "more": False, "switch": {"paused": False, "by": "", "since": None, "reason": ""}}
            ),
            needs="store",
            watch=Watch("live", LiveNews, LiveUnwatch, _follow),
        ),
        Method("live.unwatch", LiveUnwatch, WatchEnded, "read", _unwatch),
    ),
)
