"""The settings of heartbeats, `[heartbeat]`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sulla.core.errors import InvalidInput, SettingsError
from sulla.host.section import Money, Seconds, Section
from sulla.models.catalog import parse_model
from sulla.schedules.cron import check_cron
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import zone_of


def _held(check: Callable[[str], object]) -> AfterValidator:
    """A text that is empty, or stands a check, whether agents beat by now or not."""

    def hold(text: str) -> str:
        try:
            if text:
                check(text)
        except (InvalidInput, SettingsError) as error:
            raise ValueError(error.message) from None
        return text

    return AfterValidator(hold)


CronText = Annotated[str, _held(check_cron)]
HoursText = Annotated[str, _held(parse_hours)]
ZoneName = Annotated[str, _held(zone_of)]
Model = Annotated[str, _held(parse_model)]


class BeatSettings(Section):
    """One more schedule by which an agent works by itself; what is not said here is as `[heartbeat]` says."""

    agent: str = ""
    """The agent; empty for the home's own."""
    project: str = ""
    """The project that it is to work on; empty to choose by itself."""
    period_s: Annotated[int | None, Field(ge=60, le=31_622_400)] = None
    """Seconds from one beat to the next."""
    jitter_s: Annotated[int | None, Field(ge=0)] = None
    """Seconds by up to which each is put off."""
    cron: CronText = ""
    """When, as a cron expression instead."""
    active_hours: HoursText = ""
    """When it may work, e.g. `mon-fri 09:00-18:00`."""
    zone: ZoneName = ""
    """The time zone of both."""
    missed: Literal["", "skip", "once"] = ""
    """What becomes of beats at which no daemon ran."""


class HeartbeatSettings(Section):
    """When agents work by themselves, and for how much (docs/heartbeat.md)."""

    enabled: bool = False
    """Whether they do."""
    agent: str = ""
    """Who does by this section; empty for the home's own agent."""
    period_s: Annotated[int, Field(ge=60, le=31_622_400)] = 1800
    """Seconds from one beat to the next."""
    jitter_s: Annotated[int, Field(ge=0)] = 30
    """Seconds by up to which each beat is put off, so that not all begin at once; less than `period_s`."""
    cron: CronText = ""
    """When, as a cron expression instead of a period, e.g. `*/30 9-17 * * mon-fri`, or a word such as `@hourly`."""
    active_hours: HoursText = ""
    """When agents may work, e.g. `mon-fri 09:00-18:00` or `22:00-06:00`; empty for always."""
    zone: ZoneName = ""
    """The time zone of `cron` and `active_hours`, e.g. `Europe/Berlin`; empty for that of the home (`daemon.zone`)."""
    missed: Literal["skip", "once"] = "skip"
    """What becomes of beats at which no daemon ran: with `skip` nothing, with `once` one makes up for all of them."""
    prompt: str = ""
    """What an agent is told to do with its time; empty for working on its owner's projects."""
    model: Model = ""
    """`provider:model` for beats, e.g. a cheaper one; empty for the agent's own."""
    cycles: Annotated[int, Field(ge=1, le=30)] = 10
    """The most cycles of one beat (seed 004)."""
    wall_s: Seconds = 3600.0
    """How long after its beginning a beat may still begin a cycle."""
    tokens: Annotated[int, Field(ge=12_000)] = 200_000
    """The most tokens of one beat."""
    day_tokens: Annotated[int, Field(ge=0)] = 1_000_000
    """Of an agent's beats on one day (UTC); 0 for none at all."""
    month_tokens: Annotated[int, Field(ge=0)] = 20_000_000
    """The same in one month."""
    cost: Money = None
    """The most money of one beat, in the unit of `prices`; unset for no limit."""
    day_cost: Money = None
    """The same on one day."""
    month_cost: Money = None
    """The same in one month."""
    standing: Annotated[int, Field(ge=1, le=100)] = 3
    """Beats in a row that change nothing before they come less often, and people are told."""
    schedules: Annotated[dict[str, BeatSettings], Field(repr=False)] = Field(default={})
    """More of them, for other agents or projects, each in a section of its own, `[heartbeat.schedules.<name>]`."""
