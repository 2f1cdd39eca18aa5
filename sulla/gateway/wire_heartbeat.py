"""What travels over ``sulla.v1`` about heartbeats, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sulla.gateway.wire_form import MOST_SEQ, Id, Wire

# ------------------------------------------------------------------------------------------------------ parameters


class HeartbeatStatus(Wire):
    """`heartbeat.status`: of one agent; null for all that have a heartbeat."""

    agent: Id | None = None


class HeartbeatTrigger(Wire):
    """`heartbeat.trigger`: begin a beat now, once for each `request_id`."""

    agent: Id | None = None
    """Whose; null for the home's own agent."""
    project: Id | None = None
    """The only project that it is for; null to choose by itself."""
    request_id: Id | None = None


class HeartbeatPause(Wire):
    """`heartbeat.pause`: of one agent; null for all."""

    agent: Id | None = None


class HeartbeatResume(Wire):
    """`heartbeat.resume`: of one agent; null for all."""

    agent: Id | None = None


class HeartbeatLog(Wire):
    """`heartbeat.log`: newest first."""

    agent: Id | None = None
    """Whose; null for the home's own agent."""
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    before: Annotated[int, Field(ge=1, le=MOST_SEQ)] | None = None
    """The `next` of the page before; null for the newest."""


# ---------------------------------------------------------------------------------------------------------- results

TickWord = Literal["running", "done", "blocked", "failed", "limited", "cancelled", "skipped"]


class CycleRow(Wire):
    """One cycle of a beat."""

    number: int
    thread_id: str
    """Where it can be seen for as long as such threads are kept; empty before it has begun."""
    status: str
    summary: str
    tokens: int
    cost: float


class TickRow(Wire):
    """One wake: a beat, or why there was none."""

    run_id: str
    seq: int
    at: str
    by: str
    """`schedule <id>`, `request <id>` or `message`."""
    fired: bool
    status: TickWord
    reason: str
    """A stable word for what is neither `done` nor `blocked` (docs/heartbeat.md)."""
    why: str
    """What there was to do, or why there was no beat."""
    focus: str
    focus_reason: str
    cycles: list[CycleRow]
    duration_s: float | None
    """Null while it is at work."""
    tokens: int
    cost: float
    """In the unit of the prices; 0 where the model has none."""
    changed: str
    """What is different from before it; empty for nothing."""
    summary: str


class TickRows(Wire):
    """The answer to `heartbeat.log`."""

    ticks: list[TickRow]
    next: int | None
    """The `before` of the next page; null at the end."""


class BeatScheduleRow(Wire):
    """A schedule that wakes an agent."""

    schedule: str
    explain: str
    paused: bool
    why: str
    next: str | None
    project: str


class BudgetRow(Wire):
    """What an agent's beats have used of what they may."""

    span: Literal["day", "month"]
    tokens: int
    tokens_limit: int
    cost: float
    cost_limit: float | None


class HeartbeatRow(Wire):
    """How an agent's heartbeat is."""

    agent: str
    thread_id: str
    """Where it beats; empty before the first time."""
    enabled: bool
    """Whether the clock wakes it."""
    next: str | None
    """When next; null for never."""
    schedules: list[BeatScheduleRow]
    running: str | None
    """The run of the beat at work; null for none."""
    last: TickRow | None
    """The newest wake, whatever came of it."""
    beat: TickRow | None
    """The newest one that was a beat, of the last fifty."""
    budgets: list[BudgetRow]
    quiet_until: str | None
    """Until when beats pause because they fail or change nothing."""
    failures: int
    """Beats that failed in a row."""
    standing: int
    """Beats in a row that changed nothing."""
    skipped: int
    """Wakes in a row that were no beats."""
    beats: int
    """How many beats there were."""


class HeartbeatRows(Wire):
    """The answer to `heartbeat.status`, `heartbeat.pause` and `heartbeat.resume`."""

    heartbeats: list[HeartbeatRow]


class HeartbeatBegun(Wire):
    """The answer to `heartbeat.trigger`: the beat is kept, and begins when its turn comes."""

    agent: str
    thread_id: str
    run_id: str
    seq: int
    """What follows in the thread is behind this."""
