"""What clients can do with schedules."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Id, Label, Name, Params, Title, Words
from sulla.rpc.limits import ID_CHARS
from sulla.rpc.method import Example, Method, Methods, Rest
from sulla.rpc.row import Time, size_of
from sulla.schedules.hours import parse_hours
from sulla.schedules.plain_time import read_time
from sulla.schedules.rows import ScheduleRow
from sulla.schedules.service import ScheduleService
from sulla.schedules.spec import (
    Action,
    At,
    Cron,
    Every,
    MessageAction,
    PlaybookAction,
    Spec,
    ToolAction,
    When,
    explain,
)

MOST_S = 366 * 86_400


Span = Annotated[str, StringConstraints(max_length=ID_CHARS, pattern=LINE_PATTERN)]


class ScheduleList(Params):
    """`schedule.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ScheduleAdd(Params):
    """`schedule.add`: one of `every_s`, `cron` and `at`, and one of `message`, `tool` and `playbook`."""

    schedule: Id | None = None
    """Its id; null for one of its own."""
    title: Title = ""
    every_s: Annotated[int, Field(ge=1, le=MOST_S)] | None = None
    """Seconds from one firing to the next, the first of them from now on."""
    jitter_s: Annotated[int, Field(ge=0, le=MOST_S)] = 0
    """Seconds by up to which each is put off, for `every_s`."""
    cron: Label | None = None
    """An expression of five fields, or a word such as `@daily`."""
    at: Label | None = None
    """A single time, e.g. `2027-12-01T09:00`, in `zone` unless it names its own offset; or in plain English, e.g.
    `tomorrow 9:00` or `in 20 minutes`."""
    zone: Label | None = None
    """Whose clocks count; null for the home's."""
    active_hours: Span = ""
    """When it may fire, e.g. `mon-fri 09:00-18:00`; empty for always."""
    missed: Literal["skip", "once"] | None = None
    """What becomes of times at which no daemon ran; null for `once` with `at`, and `skip` otherwise."""
    message: Words | None = None
    """What an agent is told."""
    thread_id: Id | None = None
    """Where; null for a thread of the schedule's own."""
    agent: Id | None = None
    """Who answers there; null for the home's own agent."""
    tool: Name | None = None
    """What is called, with `args`; nobody is asked, and the policy rules as always."""
    args: dict[str, JsonValue] = Field(default={})
    playbook: Name | None = None
    inputs: dict[str, JsonValue] = Field(default={})
    request_id: Id | None = None
    """The same one makes the same schedule."""


class ScheduleUpdate(ScheduleAdd):
    """`schedule.update`: all that the schedule is from now on, as in `schedule.add`."""

    schedule: Id


class SchedulePreview(ScheduleAdd):
    """`schedule.preview`: what would be given to `schedule.add`; what it does may be left out."""


class ScheduleRemove(Params):
    """`schedule.remove`."""

    schedule: Id


class ScheduleRun(Params):
    """`schedule.run`: fire now, once for each `request_id`."""

    schedule: Id
    request_id: Id | None = None


class SchedulePause(Params):
    """`schedule.pause`."""

    schedule: Id


class ScheduleResume(Params):
    """`schedule.resume`."""

    schedule: Id


@dataclass(frozen=True, slots=True)
class ScheduleTimes:
    """The answer to `schedule.preview`."""

    next_ms: Annotated[tuple[Time, ...], Field(alias="next")]
    """The next five times; fewer where there are no more, none where there is a fault."""
    explain: str
    """What was understood, in English."""
    fault: str
    """What is wrong; empty for nothing."""
    place: str
    """The field that the fault is in; empty where it is in none alone."""


@dataclass(frozen=True, slots=True)
class ScheduleRows:
    """The answer to `schedule.list`."""

    schedules: tuple[ScheduleRow, ...]
    next: str | None
    """The `after` of the next page; null at the end."""


@dataclass(frozen=True, slots=True)
class ScheduleRemoved:
    """The answer to `schedule.remove`."""

    schedule: str


@dataclass(frozen=True, slots=True)
class ScheduleFired:
    """The answer to `schedule.run`: what it does follows."""

    schedule: str
    slot: str
    """The name of the firing."""


_FIELDS: Final = {"active hours": "active_hours", "jitter": "jitter_s", "every": "every_s"}
"""What faults call fields, where that is another word."""


async def _list(service: ScheduleService, params: ScheduleList, context: Context) -> ScheduleRows:
    infos = await service.list(params.after or "", params.limit + 1)
    if "write" not in context.caller.principal.scopes:  # arguments and inputs are for who may change them
        infos = [replace(info, fields=None) for info in infos]
    page, size = [*infos[:1]], 0
    for info in infos[: params.limit]:
        size += size_of(ScheduleRow, info)  # one may be as long as its message and its arguments
        if info is not page[0]:
            if size > context.page_bytes:
                break
            page.append(info)
    return ScheduleRows(tuple(page), page[-1].schedule if len(page) < len(infos) else None)


async def _add(service: ScheduleService, params: ScheduleAdd, context: Context) -> ScheduleRow:
    # What reads plain words takes a moment to load, when it is first asked for.
    spec = await asyncio.to_thread(spec_of, params, service.zone, context.at_ms)
    return await service.add(spec, params.schedule, params.request_id, context.caller.name, context.at_ms)


async def _update(service: ScheduleService, params: ScheduleUpdate, context: Context) -> ScheduleRow:
    spec = await asyncio.to_thread(spec_of, params, service.zone, context.at_ms)
    return await service.update(spec, params.schedule, context.caller.name, context.at_ms)


async def _preview(service: ScheduleService, params: SchedulePreview, context: Context) -> ScheduleTimes:
    does = params.message is not None or params.tool is not None or params.playbook is not None
    asked = params if does else params.model_copy(update={"message": "-"})
    try:
        spec = await asyncio.to_thread(spec_of, asked, service.zone, context.at_ms)
        times = await asyncio.to_thread(service.preview, spec, params.schedule or "", context.at_ms)
    except InvalidInput as error:
        return ScheduleTimes((), "", error.message, _place_of(error.message))
    return ScheduleTimes(times, explain(spec), "", "")


def _place_of(fault: str) -> str:
    said = fault.partition(":")[0]
    field = _FIELDS.get(said, said)
    return field if field in ScheduleAdd.model_fields else ""


async def _remove(service: ScheduleService, params: ScheduleRemove, context: Context) -> ScheduleRemoved:
    await service.remove(params.schedule, context.caller.name)
    return ScheduleRemoved(params.schedule)


async def _run(service: ScheduleService, params: ScheduleRun, context: Context) -> ScheduleFired:
    slot = await service.fire(params.schedule, params.request_id, context.caller.name)
    return ScheduleFired(params.schedule, slot)


async def _pause(service: ScheduleService, params: SchedulePause, context: Context) -> ScheduleRow:
    return await service.pause(params.schedule, context.caller.name)


async def _resume(service: ScheduleService, params: ScheduleResume, context: Context) -> ScheduleRow:
    return await service.resume(params.schedule, context.caller.name)


def spec_of(asked: ScheduleAdd, zone: str, now_ms: int) -> Spec:
    """What is asked for.

    Args:
        asked: that.
        zone: the name of the time zone that counts if it names none.
        now_ms: UTC milliseconds.

    Raises:
        InvalidInput: it says several times when or what, or not at all, or cannot be read.
    """
    zone = asked.zone or zone
    when, hours = _when(asked, zone, now_ms), parse_hours(asked.active_hours) if asked.active_hours else None
    missed = asked.missed or ("once" if isinstance(when, At) else "skip")
    return Spec(when, _action(asked), zone, hours, missed, asked.title)


def _when(asked: ScheduleAdd, zone: str, now_ms: int) -> When:
    if asked.jitter_s and asked.every_s is None:
        raise InvalidInput("jitter_s: only what is given with every_s can be put off")
    found: list[When] = []
    if asked.every_s is not None:
        found.append(Every(asked.every_s, jitter_s=asked.jitter_s))
    if asked.cron is not None:
        found.append(Cron(asked.cron))
    if asked.at is not None:
        found.append(At(read_time(asked.at, zone, now_ms)))
    if len(found) != 1:
        raise InvalidInput(f"expected one of every_s, cron and at, found {len(found)} of them")
    return found[0]


def _action(asked: ScheduleAdd) -> Action:
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


_SCHEDULE: Final[JsonObject] = {
    "schedule": "morning",
    "title": "",
    "explain": "At 09:00 on Monday through Friday, Europe/Berlin",
    "action": "message to its own thread: What is on today?",
    "status": "active",
    "why": "",
    "by": "owner",
    "next": ["2027-01-15T08:00:00.000Z"],
    "notes": [{"at": "2027-01-14T08:00:00.000Z", "what": "set", "slot": "", "said": "owner"}],
    "fired": 0,
    "missed": 0,
    "skipped": 0,
    "failed": 0,
    "tainted": False,
    "fields": {
        "every_s": None,
        "jitter_s": 0,
        "cron": "0 9 * * 1-5",
        "at": None,
        "zone": "Europe/Berlin",
        "active_hours": "",
        "missed": "skip",
        "message": "What is on today?",
        "thread_id": None,
        "agent": None,
        "tool": None,
        "args": {},
        "playbook": None,
        "inputs": {},
    },
}

METHODS: Final[Methods[ScheduleService]] = Methods(
    "schedules",
    (
        Method(
            "schedule.list",
            ScheduleList,
            ScheduleRows,
            "read",
            _list,
            Rest("GET", "/schedules", "Schedules by id, a page at a time."),
            Example({"schedules": [_SCHEDULE], "next": None}),
        ),
        Method(
            "schedule.add",
            ScheduleAdd,
            ScheduleRow,
            "write",
            _add,
            Rest("POST", "/schedules", "Make a schedule.", 201, "request_id"),
            Example(
                _SCHEDULE,
                {"schedule": "morning", "cron": "0 9 * * 1-5", "zone": "Europe/Berlin", "message": "What is on today?"},
            ),
        ),
        Method(
            "schedule.update",
            ScheduleUpdate,
            ScheduleRow,
            "write",
            _update,
            Rest("POST", "/schedules/{schedule}", "Change a schedule."),
            Example(_SCHEDULE, {"cron": "0 9 * * 1-5", "zone": "Europe/Berlin", "message": "What is on today?"}),
        ),
        Method(
            "schedule.preview",
            SchedulePreview,
            ScheduleTimes,
            "read",
            _preview,
            Rest("POST", "/calendar/preview", "When it would fire, or what is wrong; nothing is kept."),
            Example(
                {
                    "next": ["2027-01-15T08:00:00.000Z"],
                    "explain": "At 09:00 on Monday through Friday, Europe/Berlin",
                    "fault": "",
                    "place": "",
                },
                {"cron": "0 9 * * 1-5", "zone": "Europe/Berlin"},
            ),
        ),
        Method(
            "schedule.remove",
            ScheduleRemove,
            ScheduleRemoved,
            "write",
            _remove,
            Rest("DELETE", "/schedules/{schedule}", "End a schedule for good."),
            Example({"schedule": "morning"}),
        ),
        Method(
            "schedule.run",
            ScheduleRun,
            ScheduleFired,
            "write",
            _run,
            Rest("POST", "/schedules/{schedule}/run", "Fire it now.", 202, "request_id"),
            Example({"schedule": "morning", "slot": "now:run-1"}, {"request_id": "run-1"}),
        ),
        Method(
            "schedule.pause",
            SchedulePause,
            ScheduleRow,
            "write",
            _pause,
            Rest("POST", "/schedules/{schedule}/pause", "Have it fire no more."),
            Example({**_SCHEDULE, "status": "paused", "why": "paused", "next": []}),
        ),
        Method(
            "schedule.resume",
            ScheduleResume,
            ScheduleRow,
            "write",
            _resume,
            Rest("POST", "/schedules/{schedule}/resume", "Have it fire again."),
            Example(_SCHEDULE),
        ),
    ),
)
