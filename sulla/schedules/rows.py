"""A schedule as clients are shown it. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.rpc.row import Time

Status = Literal["active", "paused", "over", "unreadable"]


@dataclass(frozen=True, slots=True)
class NoteRow:
    """Something that happened to a schedule."""

    at_ms: Annotated[Time, Field(alias="at")]
    what: str
    """`set`, `fired`, `begun`, `succeeded`, `failed`, `cancelled`, `missed`, `skipped`, `paused`, `resumed`,
    `rewound`."""
    slot: str
    """The name of the firing that it is about; empty for none."""
    said: str


@dataclass(frozen=True, slots=True)
class ScheduleFields:
    """What a schedule is, as `schedule.add` and `schedule.update` take it."""

    every_s: int | None
    jitter_s: int
    cron: str | None
    at: str | None
    """By the clock of `zone`, with its offset, e.g. `2027-12-01T09:00:00+01:00`."""
    zone: str
    active_hours: str
    missed: Literal["skip", "once"]
    message: str | None
    thread_id: str | None
    agent: str | None
    tool: str | None
    args: dict[str, JsonValue]
    playbook: str | None
    inputs: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """One schedule."""

    schedule: str
    title: str
    explain: str
    """When it fires, in English."""
    action: str
    """What it does, in English."""
    status: Status
    why: str
    """Why it does not fire as it usually would; empty if it does."""
    by: str
    """The name of the token that it was made with; `settings` for one that the settings ask for."""
    next_ms: Annotated[tuple[Time, ...], Field(alias="next")]
    """The next times."""
    notes: tuple[NoteRow, ...]
    """What happened lately, oldest first."""
    fired: int
    missed: int
    skipped: int
    failed: int
    tainted: bool = False
    """Whether what it says may have been made from text that nobody trusts."""
    fields: ScheduleFields | None = None
    """What it is; null without the scope `write`, where `schedule.add` makes no such one (a beat, a reminder), where it
    cannot be read, and where a secret of the daemon's stands in it."""
