"""Heartbeats that never beat."""

from __future__ import annotations

from dataclasses import replace

from sulla.core.errors import NotFound
from sulla.core.ids import RunId
from sulla.heartbeat.rpc_forms import BeatScheduleRow, BudgetRow, HeartbeatBegun, HeartbeatRow, next_wake, tick_row
from sulla.heartbeat.service import HeartbeatService
from sulla.heartbeat.ticks import Cycle, Tick, TickPage

_AT_MS = 1_800_000_000_000
_DONE = Tick(
    RunId("run_1"),
    3,
    _AT_MS,
    "schedule heartbeat_sulla",
    "done",
    why="1 open task",
    focus="garden",
    focus_reason="1 open task",
    cycles=(Cycle(1, "cyc_1", "thr_cycle", "done", "ticked one", 1_200, 300),),
    ended_ms=_AT_MS + 9_000,
    changed="garden: +1 done, -1 open",
    summary="ticked one",
)
_IDLE = Tick(
    RunId("run_2"), 15, _AT_MS + 60_000, "request r1", "skipped", "idle", "nothing to do", ended_ms=_AT_MS + 60_001
)
_SCHEDULE = BeatScheduleRow("heartbeat_sulla", "Every 30m", False, "", _AT_MS + 1_800_000, "")
_BUDGETS = (BudgetRow("day", 1_200, 1_000_000, 300, None), BudgetRow("month", 1_200, 20_000_000, 300, 5_000_000))
_SULLA = HeartbeatRow(
    agent="sulla",
    thread_id="thr_beat",
    enabled=True,
    next_ms=_SCHEDULE.next_ms,
    schedules=(_SCHEDULE,),
    running=None,
    last=tick_row(_IDLE),
    beat=tick_row(_DONE),
    budgets=_BUDGETS,
    quiet_until_ms=None,
    failures=0,
    standing=0,
    skipped=1,
    beats=1,
)


class MemoryBeats(HeartbeatService):
    """The heartbeat of the agent `sulla`, which has beaten once and was woken for nothing once.

    Attributes:
        info: how its heartbeat is.
        triggered: the projects of the beats that were asked for.
    """

    def __init__(self) -> None:
        self.info = _SULLA
        self.triggered: list[str] = []

    async def status(self, agent: str | None) -> tuple[HeartbeatRow, ...]:
        """What `info` says."""
        self._check(agent)
        return (self.info,)

    async def trigger(self, agent: str | None, project: str, request_id: str | None) -> HeartbeatBegun:
        """Remember that it was asked for."""
        self._check(agent)
        self.triggered.append(project)
        return HeartbeatBegun("sulla", "thr_beat", f"run_{request_id or len(self.triggered)}", 20)

    async def pause(self, agent: str | None, by: str) -> tuple[HeartbeatRow, ...]:
        """Show its schedule as paused."""
        return self._set(agent, replace(_SCHEDULE, paused=True, why="paused", next_ms=None))

    async def resume(self, agent: str | None, by: str) -> tuple[HeartbeatRow, ...]:
        """Show its schedule as active."""
        return self._set(agent, _SCHEDULE)

    async def log(self, agent: str | None, limit: int, before: int | None) -> TickPage:
        """Both wakes, newest first."""
        self._check(agent)
        older = [tick for tick in (_IDLE, _DONE) if before is None or tick.seq < before]
        return TickPage(tuple(older[:limit]), older[limit - 1].seq if len(older) > limit else None)

    def _set(self, agent: str | None, schedule: BeatScheduleRow) -> tuple[HeartbeatRow, ...]:
        self._check(agent)
        self.info = replace(
            self.info, schedules=(schedule,), enabled=not schedule.paused, next_ms=next_wake([schedule])
        )
        return (self.info,)

    def _check(self, agent: str | None) -> None:
        if agent not in (None, "sulla"):
            raise NotFound(f"no agent {agent!r} (known: sulla)")
