"""What has to happen, worked out another way: by the calendar, day by day, without the code under test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "Australia/Lord_Howe"),
    *("Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia", "Pacific/Chatham", "America/Santiago", "Asia/Tehran"),
)
"""Twelve: north and south, half hours and quarters, a change by half an hour, at midnight, and with Ramadan."""

MINUTE_MS = 60_000
DAY_MS = 86_400_000


def ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def days(start_ms: int, years: int) -> Iterator[date]:
    first = datetime.fromtimestamp(start_ms / 1000, UTC).date() - timedelta(days=2)
    return (first + timedelta(days=number) for number in range(366 * years + 4))


def shown(at_ms: int, zone: ZoneInfo) -> datetime:
    """What clocks of a zone show then, without the zone."""
    return datetime.fromtimestamp(at_ms / 1000, zone).replace(tzinfo=None)


def moments(wall: datetime, zone: ZoneInfo) -> list[int]:
    """When clocks show a time: never, once or twice."""
    found = {ms(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1)}
    return sorted(at for at in found if shown(at, zone) == wall)


def first_valid(wall: datetime, zone: ZoneInfo) -> int:
    """When clocks show a time first, or, where it is left out, the first time behind the gap."""
    while not (found := moments(wall, zone)):
        wall += timedelta(minutes=1)
    return found[0]


@dataclass(frozen=True, slots=True)
class Daily:
    """A cron expression of fixed times, written out."""

    text: str
    times: tuple[time, ...]
    weekdays: frozenset[int] = frozenset(range(7))
    monthdays: frozenset[int] = frozenset(range(1, 32))
    either: bool = False
    """Whether one of the two is enough, as where both fields are given."""

    def fits(self, day: date) -> bool:
        week, month = day.weekday() in self.weekdays, day.day in self.monthdays
        return (week or month) if self.either else (week and month)

    def all(self, start_ms: int, years: int, zone: ZoneInfo) -> list[int]:
        found = {
            first_valid(datetime.combine(day, at), zone)
            for day in days(start_ms, years)
            if self.fits(day)
            for at in self.times
        }
        end_ms = start_ms + years * 365 * DAY_MS
        return sorted(at for at in found if start_ms < at <= end_ms)


@dataclass(frozen=True, slots=True)
class Span:
    """Active hours, written out."""

    text: str
    start: time
    end: time
    weekdays: frozenset[int] = frozenset(range(7))

    def holds(self, at_ms: int, zone: ZoneInfo) -> bool:
        wall = shown(at_ms, zone)
        for back in (0, 1):
            day = wall.date() - timedelta(days=back)
            opens, closes = datetime.combine(day, self.start), datetime.combine(day, self.end)
            if closes <= opens:
                closes += timedelta(days=1)
            if day.weekday() in self.weekdays and opens <= wall < closes:
                return True
        return False
