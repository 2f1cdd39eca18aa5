"""What clients can do with heartbeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.heartbeat.rpc_forms import (
    BeatScheduleRow,
    BudgetRow,
    CycleRow,
    HeartbeatLog,
    HeartbeatPause,
    HeartbeatResume,
    HeartbeatRow,
    HeartbeatRows,
    HeartbeatStatus,
    HeartbeatTrigger,
    TickRow,
    TickRows,
)
from sulla.heartbeat.service import HeartbeatService
from sulla.heartbeat.status import BeatInfo, HeartbeatBegun
from sulla.heartbeat.ticks import Cycle, Tick
from sulla.rpc import Context, Example, Method, Methods, Rest


async def _status(service: HeartbeatService, params: HeartbeatStatus, context: Context) -> HeartbeatRows:
    return _rows(await service.status(params.agent))


async def _pause(service: HeartbeatService, params: HeartbeatPause, context: Context) -> HeartbeatRows:
    return _rows(await service.pause(params.agent, context.caller.name))


async def _resume(service: HeartbeatService, params: HeartbeatResume, context: Context) -> HeartbeatRows:
    return _rows(await service.resume(params.agent, context.caller.name))


async def _trigger(service: HeartbeatService, params: HeartbeatTrigger, context: Context) -> HeartbeatBegun:
    return await service.trigger(params.agent, params.project or "", params.request_id)


async def _log(service: HeartbeatService, params: HeartbeatLog, context: Context) -> TickRows:
    page = await service.log(params.agent, params.limit, params.before)
    return TickRows(tuple(map(_tick, page.ticks)), page.next)


def _rows(infos: Sequence[BeatInfo]) -> HeartbeatRows:
    return HeartbeatRows(tuple(map(_row, infos)))


def _row(info: BeatInfo) -> HeartbeatRow:
    coming = [one.next_ms for one in info.schedules if one.next_ms is not None]
    return HeartbeatRow(
        agent=info.agent,
        thread_id=info.thread_id,
        enabled=any(not one.paused for one in info.schedules),
        next_ms=min(coming, default=None),
        schedules=tuple(
            BeatScheduleRow(one.id, one.explain, one.paused, one.why, one.next_ms, one.project)
            for one in info.schedules
        ),
        running=info.running or None,
        last=_tick(info.last) if info.last is not None else None,
        beat=_tick(info.beat) if info.beat is not None else None,
        budgets=tuple(
            BudgetRow(one.span, one.tokens, one.tokens_limit, one.cost_micro, one.cost_limit_micro)
            for one in info.budgets
        ),
        quiet_until_ms=info.quiet_until_ms,
        failures=info.failures,
        standing=info.standing,
        skipped=info.skipped,
        beats=info.beats,
    )


def _tick(tick: Tick) -> TickRow:
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
        cost_micro=tick.cost_micro,
        changed=tick.changed,
        summary=tick.summary,
    )


def _cycle(cycle: Cycle) -> CycleRow:
    return CycleRow(cycle.number, cycle.thread_id, cycle.status, cycle.summary, cycle.tokens, cycle.cost_micro)


_TICK: Final[JsonObject] = {
    "run_id": "run_1",
    "seq": 3,
    "at": "2027-01-15T08:00:00.000Z",
    "by": "schedule heartbeat_sulla",
    "fired": True,
    "status": "done",
    "reason": "",
    "why": "1 open task",
    "focus": "garden",
    "focus_reason": "1 open task",
    "cycles": [
        {
            "number": 1,
            "thread_id": "thr_cycle",
            "status": "done",
            "summary": "ticked one",
            "tokens": 1200,
            "cost": 0.0003,
        }
    ],
    "duration_s": 9.0,
    "tokens": 1200,
    "cost": 0.0003,
    "changed": "garden: +1 done, -1 open",
    "summary": "ticked one",
}
_HEARTBEAT: Final[JsonObject] = {
    "agent": "sulla",
    "thread_id": "thr_beat",
    "enabled": True,
    "next": "2027-01-15T08:30:00.000Z",
    "schedules": [
        {
            "schedule": "heartbeat_sulla",
            "explain": "Every 30m",
            "paused": False,
            "why": "",
            "next": "2027-01-15T08:30:00.000Z",
            "project": "",
        }
    ],
    "running": None,
    "last": _TICK,
    "beat": _TICK,
    "budgets": [
        {"span": "day", "tokens": 1200, "tokens_limit": 1000000, "cost": 0.0003, "cost_limit": None},
        {"span": "month", "tokens": 1200, "tokens_limit": 20000000, "cost": 0.0003, "cost_limit": 5.0},
    ],
    "quiet_until": None,
    "failures": 0,
    "standing": 0,
    "skipped": 1,
    "beats": 1,
}

METHODS: Final[Methods[HeartbeatService]] = Methods(
    "heartbeat",
    (
        Method(
            "heartbeat.status",
            HeartbeatStatus,
            HeartbeatRows,
            "read",
            _status,
            Rest("GET", "/heartbeat", "How heartbeats are, and what they did last."),
            Example({"heartbeats": [_HEARTBEAT]}),
        ),
        Method(
            "heartbeat.trigger",
            HeartbeatTrigger,
            HeartbeatBegun,
            "write",
            _trigger,
            Rest("POST", "/heartbeat/trigger", "Begin a beat now.", 202, "request_id"),
            Example(
                {"agent": "sulla", "thread_id": "thr_b2e1", "run_id": "run_77aa", "seq": 20},
                {"project": "garden", "request_id": "beat-1"},
            ),
        ),
        Method(
            "heartbeat.pause",
            HeartbeatPause,
            HeartbeatRows,
            "write",
            _pause,
            Rest("POST", "/heartbeat/pause", "Have the clock wake nobody."),
            Example({"heartbeats": [{**_HEARTBEAT, "enabled": False, "next": None}]}),
        ),
        Method(
            "heartbeat.resume",
            HeartbeatResume,
            HeartbeatRows,
            "write",
            _resume,
            Rest("POST", "/heartbeat/resume", "Have the clock wake agents again."),
            Example({"heartbeats": [_HEARTBEAT]}),
        ),
        Method(
            "heartbeat.log",
            HeartbeatLog,
            TickRows,
            "read",
            _log,
            Rest("GET", "/heartbeat/log", "What became of each wake, newest first.", numbers=("limit", "before")),
            Example({"ticks": [_TICK], "next": None}),
        ),
    ),
)
