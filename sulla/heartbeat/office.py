"""What people do with heartbeats: the promise, and the values that go with it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sulla.heartbeat.ticks import Tick, TickPage


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


class BeatOffice(Protocol):
    """What can be done with heartbeats."""

    async def status(self, agent: str | None) -> Sequence[BeatInfo]:
        """How heartbeats are: of one agent, or of all that have one and the home's own.

        Raises:
            NotFound: there is no such agent.
        """

    async def trigger(self, agent: str | None, project: str, request_id: str | None) -> HeartbeatBegun:
        """Begin a beat now, once for each `request_id`. Beats that pause by themselves are no reason against it;
        budgets are.

        Args:
            agent: whose; None for the home's own.
            project: the only project that it is for; empty for any.
            request_id: the same one begins the same beat.

        Raises:
            NotFound: there is no such agent, or no such project.
            Busy: one is at work already.
        """

    async def pause(self, agent: str | None, by: str) -> Sequence[BeatInfo]:
        """Have the clock wake agents no more until resumed, also after a restart.

        Args:
            agent: whom; None for all.
            by: the name of the token that it came with.

        Raises:
            NotFound: no schedule wakes them.
        """

    async def resume(self, agent: str | None, by: str) -> Sequence[BeatInfo]:
        """Have the clock wake agents again; see `pause`."""

    async def log(self, agent: str | None, limit: int, before: int | None) -> TickPage:
        """Wakes of one agent, newest first; none if it was never woken.

        Args:
            agent: whose; None for the home's own.
            limit: how many at the most.
            before: only those before this place, as the page before said; None for the newest.

        Raises:
            NotFound: there is no such agent.
        """
