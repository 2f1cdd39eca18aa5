"""Requests about schedules."""

from __future__ import annotations

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.core.stamp import stamp
from sulla.gateway import wire_schedules as wire
from sulla.schedule import (
    Action,
    At,
    Cron,
    Every,
    MessageAction,
    PlaybookAction,
    ScheduleInfo,
    ScheduleOffice,
    Spec,
    ToolAction,
    When,
    parse_at,
    parse_hours,
)

ScheduleRequest = (
    wire.ScheduleList
    | wire.ScheduleAdd
    | wire.ScheduleRemove
    | wire.ScheduleRun
    | wire.SchedulePause
    | wire.ScheduleResume
)


async def perform_schedule(office: ScheduleOffice, params: ScheduleRequest, by: str) -> JsonObject:
    """Make, list, end, fire, pause or resume schedules.

    Args:
        office: does it.
        params: what is asked for.
        by: the name of the token that asks.
    """
    match params:
        case wire.ScheduleList(after=after, limit=limit):
            infos = list(await office.list(after or "", limit + 1))
            following = infos[limit - 1].id if len(infos) > limit else None
            return wire.ScheduleRows(schedules=[_row(info) for info in infos[:limit]], next=following).model_dump()
        case wire.ScheduleAdd(schedule=schedule, request_id=request_id):
            return _row(await office.add(spec_of(params), schedule, request_id, by)).model_dump()
        case wire.ScheduleRemove(schedule=schedule):
            await office.remove(schedule, by)
            return wire.ScheduleRemoved(schedule=schedule).model_dump()
        case wire.ScheduleRun(schedule=schedule, request_id=request_id):
            slot = await office.fire(schedule, request_id, by)
            return wire.ScheduleFired(schedule=schedule, slot=slot).model_dump()
        case wire.SchedulePause(schedule=schedule):
            return _row(await office.pause(schedule, by)).model_dump()
        case wire.ScheduleResume(schedule=schedule):
            return _row(await office.resume(schedule, by)).model_dump()


def spec_of(asked: wire.ScheduleAdd) -> Spec:
    """What is asked for.

    Raises:
        InvalidInput: it says several times when or what, or not at all, or cannot be read.
    """
    when, hours = _when(asked), parse_hours(asked.active_hours) if asked.active_hours else None
    missed = asked.missed or ("once" if isinstance(when, At) else "skip")
    return Spec(when, _action(asked), asked.zone, hours, missed, asked.title)


def _when(asked: wire.ScheduleAdd) -> When:
    if asked.jitter_s and asked.every_s is None:
        raise InvalidInput("jitter_s: only what is given with every_s can be put off")
    found: list[When] = []
    if asked.every_s is not None:
        found.append(Every(asked.every_s, jitter_s=asked.jitter_s))
    if asked.cron is not None:
        found.append(Cron(asked.cron))
    if asked.at is not None:
        found.append(At(parse_at(asked.at, asked.zone)))
    if len(found) != 1:
        raise InvalidInput(f"expected one of every_s, cron and at, found {len(found)} of them")
    return found[0]


def _action(asked: wire.ScheduleAdd) -> Action:
    found: list[Action] = []
    if asked.message is not None:
        found.append(MessageAction(asked.message, asked.thread_id or "", asked.agent or ""))
    if asked.tool is not None:
        found.append(ToolAction(asked.tool, asked.args, asked.agent or ""))
    if asked.playbook is not None:
        found.append(PlaybookAction(asked.playbook, asked.inputs))
    if len(found) != 1:
        raise InvalidInput(f"expected one of message, tool and playbook, found {len(found)} of them")
    if asked.thread_id and asked.agent:
        raise InvalidInput("agent: the thread has one already; give thread_id or agent")
    return found[0]


def _row(info: ScheduleInfo) -> wire.ScheduleRow:
    return wire.ScheduleRow(
        schedule=info.id,
        title=info.title,
        explain=info.explain,
        action=info.action,
        status=info.status,
        why=info.why,
        by=info.by,
        next=[stamp(at_ms) for at_ms in info.next_ms],
        notes=[
            wire.NoteRow(at=stamp(note.at_ms), what=note.what, slot=note.slot, said=note.said) for note in info.notes
        ],
        fired=info.fired,
        missed=info.missed,
        skipped=info.skipped,
        failed=info.failed,
    )
