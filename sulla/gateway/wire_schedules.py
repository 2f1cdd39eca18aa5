"""What travels over ``sulla.v1`` about schedules, as strict models. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from sulla.gateway.limits import ID_CHARS
from sulla.gateway.wire_form import LINE_PATTERN, Id, Label, Name, Title, Wire, Words

MOST_S = 366 * 86_400
Span = Annotated[str, StringConstraints(max_length=ID_CHARS, pattern=LINE_PATTERN)]

# ------------------------------------------------------------------------------------------------------ parameters


class ScheduleList(Wire):
    """`schedule.list`."""

    after: Id | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class ScheduleAdd(Wire):
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
    """A single time, e.g. `2027-12-01T09:00`: in `zone` unless it names its own offset."""
    zone: Label = "UTC"
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


class ScheduleRemove(Wire):
    """`schedule.remove`."""

    schedule: Id


class ScheduleRun(Wire):
    """`schedule.run`: fire now, once for each `request_id`."""

    schedule: Id
    request_id: Id | None = None


class SchedulePause(Wire):
    """`schedule.pause`."""

    schedule: Id


class ScheduleResume(Wire):
    """`schedule.resume`."""

    schedule: Id


# ---------------------------------------------------------------------------------------------------------- results


class NoteRow(Wire):
    """Something that happened to a schedule."""

    at: str
    what: str
    """`set`, `fired`, `begun`, `succeeded`, `failed`, `missed`, `skipped`, `paused`, `resumed` or `rewound`."""
    slot: str
    """The name of the firing that it is about; empty for none."""
    said: str


class ScheduleRow(Wire):
    """One schedule."""

    schedule: str
    title: str
    explain: str
    """When it fires, in English."""
    action: str
    """What it does, in English."""
    status: Literal["active", "paused", "over", "unreadable"]
    why: str
    """Why it does not fire as it usually would; empty if it does."""
    by: str
    """The name of the token that it was made with; `settings` for one that the settings ask for."""
    next: list[str]
    """The next times."""
    notes: list[NoteRow]
    """What happened lately, oldest first."""
    fired: int
    missed: int
    skipped: int
    failed: int


class ScheduleRows(Wire):
    """The answer to `schedule.list`."""

    schedules: list[ScheduleRow]
    next: str | None
    """The `after` of the next page; null at the end."""


class ScheduleRemoved(Wire):
    """The answer to `schedule.remove`."""

    schedule: str


class ScheduleFired(Wire):
    """The answer to `schedule.run`: what it does follows."""

    schedule: str
    slot: str
    """The name of the firing."""
