"""What a schedule is: when, what, and what becomes of times that nobody saw. Pure."""

from __future__ import annotations

import re
from dataclasses import field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Literal, assert_never
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.schedules.cron import MOST_CHARS, check_cron, explain_cron
from sulla.schedules.hours import Hours, local_time, utc_ms
from sulla.tools.zones import no_zone

MissedPolicy = Literal["skip", "once"]
"""What becomes of times at which no daemon ran: nothing but a record, or one firing for all of them."""

MIN_PERIOD_S: Final = 1
MOST_PERIOD_S: Final = 366 * 86_400
MOST_TEXT_CHARS: Final = 64_000


@dataclass(frozen=True, slots=True)
class Every:
    """A period: again and again, in elapsed time."""

    period_s: int
    anchor_ms: int = 0
    """From where it is counted, UTC milliseconds: so that no restart makes it drift."""
    jitter_s: int = 0
    """By up to how much each time is put off; by how much is the same in every daemon. Less than the period."""


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression: by the clock on the wall."""

    text: str
    """Five fields (six with seconds before them), or a word such as ``@daily``."""


@dataclass(frozen=True, slots=True)
class At:
    """A single time."""

    at_ms: int
    """UTC milliseconds."""


When = Every | Cron | At


@dataclass(frozen=True, slots=True)
class BeatAction:
    """Wake an agent, so that it works by itself."""

    agent: str
    project: str = ""


@dataclass(frozen=True, slots=True)
class MessageAction:
    """Say something to an agent."""

    text: str
    thread: str = ""
    """Where; empty for a thread of the schedule's own."""
    agent: str = ""
    """Who answers in a thread of its own; empty for the home's own agent."""
    tainted: bool = False
    """Whether it may have been made from what nobody trusts: what is said then is such, too."""


@dataclass(frozen=True, slots=True)
class ReminderAction:
    """Tell people something; no model is asked."""

    text: str
    thread: str = ""
    """The conversation that it is about, where it stands too; empty for a thread of the schedule's own."""
    agent: str = ""
    """Who was asked for it; empty for the home's own agent."""
    tainted: bool = False
    """As of a message."""


@dataclass(frozen=True, slots=True)
class ToolAction:
    """Call a tool."""

    name: str
    args: FrozenJson = field(default_factory=dict)
    agent: str = ""
    """Whose tools; empty for the home's own agent."""


@dataclass(frozen=True, slots=True)
class PlaybookAction:
    """Begin a playbook."""

    name: str
    inputs: FrozenJson = field(default_factory=dict)


Action = BeatAction | MessageAction | ReminderAction | ToolAction | PlaybookAction


@dataclass(frozen=True, slots=True)
class Spec:
    """A schedule, without what has become of it."""

    when: When
    action: Action
    zone: str = "UTC"
    hours: Hours | None = None
    """When it may fire; None for always."""
    missed: MissedPolicy = "skip"
    title: str = ""


@lru_cache(maxsize=256)
def zone_of(name: str) -> ZoneInfo:
    """A time zone.

    Raises:
        InvalidInput: nobody knows it.
    """
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise no_zone(name) from None


def check_spec(spec: Spec) -> None:
    """Do nothing if a schedule can be as it is said.

    Raises:
        InvalidInput: it cannot; the message says what is wrong and what was expected.
    """
    zone_of(spec.zone)
    match spec.when:
        case Every(period_s, _, jitter_s):
            if not MIN_PERIOD_S <= period_s <= MOST_PERIOD_S:
                raise InvalidInput(
                    f"every: got {period_s} seconds, expected from {MIN_PERIOD_S} s to {MOST_PERIOD_S // 86_400} days"
                )
            if not 0 <= jitter_s < period_s:
                raise InvalidInput(f"jitter: got {jitter_s} seconds, expected 0 or more and less than every {period_s}")
        case Cron(text):
            if len(text) > MOST_CHARS:
                raise InvalidInput(f"cron: got {len(text)} characters, expected at most {MOST_CHARS}")
            check_cron(text)
        case At():
            pass
        case _:
            assert_never(spec.when)
    if isinstance(spec.action, MessageAction | ReminderAction) and not 0 < len(spec.action.text) <= MOST_TEXT_CHARS:
        raise InvalidInput(f"message: expected 1 to {MOST_TEXT_CHARS} characters, got {len(spec.action.text)}")


_DAY: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)


def _is_no_day(year: int, month: int, day: int) -> bool:
    try:
        datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return True
    return False


def parse_at(text: str, zone: str) -> int:
    """A time as people write it, e.g. ``2027-12-01T09:00``, as UTC milliseconds.

    Args:
        text: the time; without an offset of its own it is one of `zone`.
        zone: the name of a time zone.

    Raises:
        InvalidInput: it is no time, or one that clocks of the zone never show.
    """
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        if text[4:5] == "-" and (day := _DAY.match(text)) and _is_no_day(*map(int, day.groups())):
            raise InvalidInput(f"at: got {text[:60]!r}, and there is no {day[0]}") from None
        raise InvalidInput(f"at: got {text[:60]!r}, expected a time such as 2027-12-01T09:00") from None
    if local.tzinfo is not None:
        return utc_ms(local)
    there = zone_of(zone)
    at_ms = utc_ms(local.replace(tzinfo=there))
    if local_time(at_ms, there).replace(tzinfo=None, fold=0) != local.replace(
        microsecond=local.microsecond // 1000 * 1000
    ):
        raise InvalidInput(f"at: clocks of {zone} never show {text[:60]!r}, because they are put forward then")
    return at_ms


def explain(spec: Spec) -> str:
    """When a schedule fires, in English: one line for people."""
    match spec.when:
        case Every(period_s, _, jitter_s):
            said = f"Every {duration(period_s)}" + (f", up to {duration(jitter_s)} later" if jitter_s else "")
        case Cron(text):
            said = f"{explain_cron(text)}, {spec.zone}"
        case At(at_ms):
            said = f"Once, at {local_time(at_ms, zone_of(spec.zone)):%A %Y-%m-%d %H:%M:%S} {spec.zone}"
        case _:
            assert_never(spec.when)
    return said if spec.hours is None else f"{said}; only {spec.hours}, {spec.zone}"


def duration(seconds: int) -> str:
    """So many seconds, as people write them: ``30m``, ``1h30m``, ``2d``."""
    words = ""
    for letter, size in (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        words += f"{count}{letter}" if count else ""
    return words or "0s"


def action_text(action: Action) -> str:
    """What a schedule does: one line for people."""
    match action:
        case BeatAction(agent, project):
            return f"beat of {agent}" + (f" for {project}" if project else "")
        case MessageAction(text, thread, agent):
            where = f"to {thread}" if thread else f"to {agent}" if agent else "to its own thread"
            return f"message {where}: {text}"
        case ReminderAction(text):
            return f"remind people: {text}"
        case ToolAction(name):
            return f"tool {name}"
        case PlaybookAction(name):
            return f"playbook {name}"
        case _:
            assert_never(action)
