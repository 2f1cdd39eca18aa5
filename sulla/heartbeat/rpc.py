"""What clients can do with heartbeats."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import JsonObject
from sulla.heartbeat.rpc_forms import (
    HeartbeatBegun,
    HeartbeatLog,
    HeartbeatPause,
    HeartbeatResume,
    HeartbeatRows,
    HeartbeatStatus,
    HeartbeatTrigger,
    TickRows,
    tick_row,
)
from sulla.heartbeat.service import HeartbeatService
from sulla.rpc.caller import Context
from sulla.rpc.method import Example, Method, Methods, Rest


async def _status(service: HeartbeatService, params: HeartbeatStatus, context: Context) -> HeartbeatRows:
    return HeartbeatRows(await service.status(params.agent))


async def _pause(service: HeartbeatService, params: HeartbeatPause, context: Context) -> HeartbeatRows:
    return HeartbeatRows(await service.pause(params.agent, context.caller.name))


async def _resume(service: HeartbeatService, params: HeartbeatResume, context: Context) -> HeartbeatRows:
    return HeartbeatRows(await service.resume(params.agent, context.caller.name))


async def _trigger(service: HeartbeatService, params: HeartbeatTrigger, context: Context) -> HeartbeatBegun:
    return await service.trigger(params.agent, params.project or "", params.request_id)


async def _log(service: HeartbeatService, params: HeartbeatLog, context: Context) -> TickRows:
    page = await service.log(params.agent, params.limit, params.before)
    return TickRows(tuple(map(tick_row, page.ticks)), page.next)


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
