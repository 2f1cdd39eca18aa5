"""Requests about heartbeats."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.core.units import MICRO
from sulla.gateway import wire_heartbeat as wire
from sulla.heartbeat import BeatBudget, BeatInfo, BeatOffice, BeatSchedule, Cycle, Tick

HeartbeatRequest = (
    wire.HeartbeatStatus | wire.HeartbeatTrigger | wire.HeartbeatPause | wire.HeartbeatResume | wire.HeartbeatLog
)


async def perform_heartbeat(office: BeatOffice, params: HeartbeatRequest, by: str) -> JsonObject:
    """Say how heartbeats are, begin a beat, pause or resume them, or give their log.

    Args:
        office: does it.
        params: what is asked for.
        by: the name of the token that asks.
    """
    match params:
        case wire.HeartbeatStatus(agent=agent):
            return _rows(await office.status(agent))
        case wire.HeartbeatPause(agent=agent):
            return _rows(await office.pause(agent, by))
        case wire.HeartbeatResume(agent=agent):
            return _rows(await office.resume(agent, by))
        case wire.HeartbeatTrigger(agent=agent, project=project, request_id=request_id):
            begun = await office.trigger(agent, project or "", request_id)
            return wire.HeartbeatBegun(
                agent=begun.agent, thread_id=begun.thread_id, run_id=begun.run_id, seq=begun.seq
            ).model_dump()
        case wire.HeartbeatLog(agent=agent, limit=limit, before=before):
            page = await office.log(agent, limit, before)
            return wire.TickRows(ticks=[_tick(tick) for tick in page.ticks], next=page.next).model_dump()


def _rows(infos: Sequence[BeatInfo]) -> JsonObject:
    return wire.HeartbeatRows(heartbeats=[_row(info) for info in infos]).model_dump()


def _row(info: BeatInfo) -> wire.HeartbeatRow:
    coming = [one.next_ms for one in info.schedules if one.next_ms is not None]
    return wire.HeartbeatRow(
        agent=info.agent,
        thread_id=info.thread_id,
        enabled=any(not one.paused for one in info.schedules),
        next=stamp(min(coming)) if coming else None,
        schedules=[_schedule(one) for one in info.schedules],
        running=info.running or None,
        last=_tick(info.last) if info.last is not None else None,
        beat=_tick(info.beat) if info.beat is not None else None,
        budgets=[_budget(one) for one in info.budgets],
        quiet_until=stamp(info.quiet_until_ms) if info.quiet_until_ms is not None else None,
        failures=info.failures,
        standing=info.standing,
        skipped=info.skipped,
        beats=info.beats,
    )


def _schedule(one: BeatSchedule) -> wire.BeatScheduleRow:
    return wire.BeatScheduleRow(
        schedule=one.id,
        explain=one.explain,
        paused=one.paused,
        why=one.why,
        next=stamp(one.next_ms) if one.next_ms is not None else None,
        project=one.project,
    )


def _budget(one: BeatBudget) -> wire.BudgetRow:
    return wire.BudgetRow(
        span=one.span,
        tokens=one.tokens,
        tokens_limit=one.tokens_limit,
        cost=one.cost_micro / MICRO,
        cost_limit=one.cost_limit_micro / MICRO if one.cost_limit_micro is not None else None,
    )


def _tick(tick: Tick) -> wire.TickRow:
    return wire.TickRow(
        run_id=tick.run_id,
        seq=tick.seq,
        at=stamp(tick.at_ms),
        by=tick.by,
        fired=tick.fired,
        status=tick.status,
        reason=tick.reason,
        why=tick.why,
        focus=tick.focus,
        focus_reason=tick.focus_reason,
        cycles=[_cycle(cycle) for cycle in tick.cycles],
        duration_s=(tick.ended_ms - tick.at_ms) / 1000 if tick.ended_ms is not None else None,
        tokens=tick.tokens,
        cost=tick.cost_micro / MICRO,
        changed=tick.changed,
        summary=tick.summary,
    )


def _cycle(cycle: Cycle) -> wire.CycleRow:
    return wire.CycleRow(
        number=cycle.number,
        thread_id=cycle.thread_id,
        status=cycle.status,
        summary=cycle.summary,
        tokens=cycle.tokens,
        cost=cycle.cost_micro / MICRO,
    )
