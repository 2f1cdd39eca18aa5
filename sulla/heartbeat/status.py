"""How heartbeats are: the values that people are shown. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sulla.heartbeat.ticks import Tick


@dataclass(frozen=True, slots=True)
class BeatSchedule:
    """A schedule that wakes an agent."""

    id: str
    explain: str
    """When, in English."""
    paused: bool
    why: str
    """Why it does not fire as it usually would; empty if it does."""
    next_ms: int | None
    """When it fires next, UTC milliseconds; None for never."""
    project: str = ""
    """The only project that it is for; empty for any."""


@dataclass(frozen=True, slots=True)
class BeatBudget:
    """What beats may still use; money is in millionths, None for no limit."""

    span: Literal["day", "month"]
    tokens: int
    tokens_limit: int
    cost_micro: int
    cost_limit_micro: int | None


@dataclass(frozen=True, slots=True)
class BeatInfo:
    """How an agent's heartbeat is."""

    agent: str
    thread_id: str
    """Where it beats; empty before the first time."""
    schedules: tuple[BeatSchedule, ...]
    running: str
    """The run of the beat at work; empty for none."""
    last: Tick | None
    """The newest wake, whatever came of it."""
    beat: Tick | None
    """The newest one that was a beat, of the last fifty."""
    budgets: tuple[BeatBudget, ...]
    quiet_until_ms: int | None
    """Until when beats pause because they fail or change nothing, UTC milliseconds; None if they do not."""
    failures: int
    """Beats that failed in a row."""
    standing: int
    """Beats in a row that changed nothing."""
    skipped: int
    """Wakes in a row that were no beats."""
    beats: int
    """How many beats there were."""


@dataclass(frozen=True, slots=True)
class HeartbeatBegun:
    """The answer to `heartbeat.trigger`: the beat is kept, and begins when its turn comes."""

    agent: str
    thread_id: str
    run_id: str
    seq: int
    """Where it stands in the thread's log: what follows is behind it."""
