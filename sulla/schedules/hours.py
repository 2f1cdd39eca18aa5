"""The hours in which a schedule may fire: days of the week, and a span of the clock in a time zone. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ALL_DAYS: Final = tuple(range(7))
_FORM: Final = re.compile(r"(?:(?P<days>[a-z,\-]+)\s+)?(?P<start>\d{1,2}:\d\d)-(?P<end>\d{1,2}:\d\d)", re.ASCII)
_EXPECTED: Final = "expected e.g. '09:00-18:00' or 'mon-fri 09:00-18:00' (an end before the start is on the next day)"


@dataclass(frozen=True, slots=True)
class Hours:
    """When something may happen: from `start_min` on, until before `end_min`, on the days when that begins.

    An end before the start lies on the next day; an end equal to the start means the whole day.
    """

    start_min: int
    """Minutes from midnight, by the clock on the wall."""
    end_min: int
    days: tuple[int, ...] = _ALL_DAYS
    """0 for Monday to 6 for Sunday, in order."""

    def __str__(self) -> str:
        """As `parse_hours` reads it."""
        span = f"{_clock(self.start_min)}-{_clock(self.end_min)}"
        return span if self.days == _ALL_DAYS else f"{','.join(DAYS[day] for day in self.days)} {span}"

    def contains(self, at_ms: int, zone: ZoneInfo) -> bool:
        """Whether a moment lies within.

        Args:
            at_ms: UTC milliseconds.
            zone: whose clock counts.
        """
        local = local_time(at_ms, zone)
        today, minute = local.weekday() in self.days, local.hour * 60 + local.minute
        if self.start_min == self.end_min:
            return today
        if self.start_min < self.end_min:
            return today and self.start_min <= minute < self.end_min
        yesterday = (local.weekday() - 1) % 7 in self.days
        return (today and minute >= self.start_min) or (yesterday and minute < self.end_min)

    def next_open(self, at_ms: int, zone: ZoneInfo) -> int:
        """The first moment behind `at_ms` that lies within, where `at_ms` itself does not.

        Args:
            at_ms: UTC milliseconds.
            zone: whose clock counts.
        """
        opens_ms = min(moment for moment in self._openings(at_ms, zone) if moment > at_ms)
        # Where clocks are changed in between, that may open it as well: a start that does not exist on that day, or an
        # hour that comes twice.
        changed_ms = _change_between(at_ms, opens_ms, zone)
        return changed_ms if changed_ms and self.contains(changed_ms, zone) else opens_ms

    def _openings(self, at_ms: int, zone: ZoneInfo) -> list[int]:
        start = 0 if self.start_min == self.end_min else self.start_min
        midnight = local_time(at_ms, zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None, fold=0)
        found = []
        for ahead in range(-1, 9):
            day = midnight + timedelta(days=ahead)
            if day.weekday() in self.days:
                opens = (day + timedelta(minutes=start)).replace(tzinfo=zone)
                found += [utc_ms(opens), utc_ms(opens.replace(fold=1))]
        return [moment for moment in found if self.contains(moment, zone)]


def parse_hours(text: str) -> Hours:
    """Hours as people write them: ``mon-fri 09:00-18:00``, ``sat,sun 10:00-12:00``, ``22:00-06:00``.

    Raises:
        InvalidInput: it is of another form.
    """
    form = _FORM.fullmatch(text.strip().lower())
    if form is None:
        raise InvalidInput(f"active hours: got {text[:60]!r}, {_EXPECTED}")
    return Hours(_minutes(form["start"], text), _minutes(form["end"], text) % (24 * 60), _days(form["days"], text))


def local_time(at_ms: int, zone: ZoneInfo) -> datetime:
    """A moment by the clocks of a zone."""
    return (_EPOCH + timedelta(milliseconds=at_ms)).astimezone(zone)


def utc_ms(local: datetime) -> int:
    """The moment of a time with a zone, UTC milliseconds."""
    return (local.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _change_between(low_ms: int, high_ms: int, zone: ZoneInfo) -> int:
    """The moment when clocks are changed between two moments; 0 if they are not."""
    before = local_time(low_ms, zone).utcoffset()
    if local_time(high_ms, zone).utcoffset() == before:
        return 0
    while high_ms - low_ms > 1:
        middle_ms = (low_ms + high_ms) // 2
        if local_time(middle_ms, zone).utcoffset() == before:
            low_ms = middle_ms
        else:
            high_ms = middle_ms
    return high_ms


def _minutes(word: str, text: str) -> int:
    hour, minute = map(int, word.split(":"))
    if minute > 59 or hour * 60 + minute > 24 * 60:
        raise InvalidInput(f"active hours: {word!r} in {text[:60]!r} is no time of day, {_EXPECTED}")
    return hour * 60 + minute


def _days(words: str | None, text: str) -> tuple[int, ...]:
    if words is None:
        return _ALL_DAYS
    found: set[int] = set()
    for word in words.split(","):
        first, dash, last = word.partition("-")
        last = last if dash else first
        if first not in DAYS or last not in DAYS:
            raise InvalidInput(f"active hours: {word!r} in {text[:60]!r} is no day, {_EXPECTED}")
        start, end = DAYS.index(first), DAYS.index(last)
        found |= {day % 7 for day in range(start, (end if end >= start else end + 7) + 1)}
    return tuple(sorted(found))


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
