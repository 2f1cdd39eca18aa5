"""What methods about heartbeats take and give. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.heartbeat.ticks import Cycle, Tick, TickStatus
from sulla.rpc.form import MOST_SEQ, Id, Params
from sulla.rpc.row import Money, Time, money_of


class HeartbeatStatus(Params):
    """`heartbeat.status`: of one agent; null for all that have a heartbeat."""

    agent: Id | None = None


class HeartbeatTrigger(Params):
    """`heartbeat.trigger`: begin a beat now, once for each `request_id`."""

    agent: Id | None = None
    """Whose; null for the home's own agent."""
    project: Id | None = None
    """The only project that it is for; null to choose by itself."""
    request_id: Id | None = None


class HeartbeatPause(Params):
    """`heartbeat.pause`: of one agent; null for all."""

    agent: Id | None = None


class HeartbeatResume(Params):
    """`heartbeat.resume`: of one agent; null for all."""

    agent: Id | None = None


class HeartbeatLog(Params):
    """`heartbeat.log`: newest first."""

    agent: Id | None = None
    """Whose; null for the home's own agent."""
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    before: Annotated[int, Field(ge=1, le=MOST_SEQ)] | None = None
    """The `next` of the page before; null for the newest."""


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One cycle of a beat."""

    number: int
    thread_id: str
    """Where it can be seen for as long as such threads are kept; empty before it has begun."""
    status: str
    summary: str
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost")]


@dataclass(frozen=True, slots=True)
class TickRow:
    """One wake: a beat, or why there was none."""

    run_id: str
    seq: int
    at_ms: Annotated[Time, Field(alias="at")]
    by: str
    """`schedule <id>`, `request <id>` or `message`."""
    fired: bool
    status: TickStatus
    reason: str
    """A stable word for what is neither `done` nor `blocked` (docs/heartbeat.md)."""
    why: str
    """What there was to do, or why there was no beat."""
    focus: str
    focus_reason: str
    cycles: tuple[CycleRow, ...]
    duration_s: float | None
    """Null while it is at work."""
    tokens: int
    cost_micro: Annotated[Money | None, Field(alias="cost")]
    """In the unit of the prices; null where it is not known, as the model has none."""
    changed: str
    """What is different from before it; empty for nothing."""
    summary: str


@dataclass(frozen=True, slots=True)
class TickRows:
    """The answer to `heartbeat.log`."""

    ticks: tuple[TickRow, ...]
    next: int | None
    """The `before` of the next page; null at the end."""


@dataclass(frozen=True, slots=True)
class BeatScheduleRow:
    """A schedule that wakes an agent."""

    schedule: str
    explain: str
    """When, in English."""
    paused: bool
    why: str
    """Why it does not fire as it usually would; empty if it does."""
    next_ms: Annotated[Time | None, Field(alias="next")]
    project: str
    """The only project that it is for; empty for any."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """What an agent's beats have used of what they may."""

    span: Literal["day", "month"]
    tokens: int
    tokens_limit: int
    cost_micro: Annotated[Money | None, Field(alias="cost")]
    cost_limit_micro: Annotated[Money | None, Field(alias="cost_limit")]


@dataclass(frozen=True, slots=True)
class HeartbeatRow:
    """How an agent's heartbeat is."""

    agent: str
    thread_id: str
    """Where it beats; empty before the first time."""
    enabled: bool
    """Whether the clock wakes it."""
    next_ms: Annotated[Time | None, Field(alias="next")]
    """When next; null for never."""
    schedules: tuple[BeatScheduleRow, ...]
    running: str | None
    """The run of the beat at work; null for none."""
    last: TickRow | None
    """The newest wake, whatever came of it."""
    beat: TickRow | None
    """The newest one that was a beat, of the last fifty."""
    budgets: tuple[BudgetRow, ...]
    quiet_until_ms: Annotated[Time | None, Field(alias="quiet_until")]
    """Until when beats pause because they fail or change nothing."""
    failures: int
    """Beats that failed in a row."""
    standing: int
    """Beats in a row that changed nothing."""
    skipped: int
    """Wakes in a row that were no beats."""
    beats: int
    """How many beats there were."""


@dataclass(frozen=True, slots=True)
class HeartbeatRows:
    """The answer to `heartbeat.status`, `heartbeat.pause` and `heartbeat.resume`."""

    heartbeats: tuple[HeartbeatRow, ...]


@dataclass(frozen=True, slots=True)
class HeartbeatBegun:
    """The answer to `heartbeat.trigger`: the beat is kept, and begins when its turn comes."""

    agent: str
    thread_id: str
    run_id: str
    seq: int
    """Where it stands in the thread's log: what follows is behind it."""


def tick_row(tick: Tick) -> TickRow:
    """A wake as clients are shown it."""
    return TickRow(
        run_id=tick.run_id,
        seq=tick.seq,
        at_ms=tick.at_ms,
        by=tick.by,
        fired=tick.fired,
        status=tick.status,
        reason=tick.reason,
        why=tick.why,
        focus=tick.focus,
        focus_reason=tick.focus_reason,
        cycles=tuple(map(_cycle, tick.cycles)),
        duration_s=(tick.ended_ms - tick.at_ms) / 1000 if tick.ended_ms is not None else None,
        tokens=tick.tokens,
        cost_micro=money_of(tick.cost_micro, tick.tokens, ended=tick.ended_ms is not None),
        changed=tick.changed,
        summary=tick.summary,
    )


def _cycle(one: Cycle) -> CycleRow:
    cost_micro = money_of(one.cost_micro, one.tokens)
    return CycleRow(one.number, one.thread_id, one.status, one.summary, one.tokens, cost_micro)


def next_wake(schedules: Iterable[BeatScheduleRow]) -> int | None:
    """When the first of them fires, UTC milliseconds; None if none does."""
    return min((one.next_ms for one in schedules if one.next_ms is not None), default=None)
