"""A single time as people say it, e.g. ``tomorrow 9:00``: read by dateparser, refused wherever that would guess.

The library gives an answer to nearly everything: of ``tomorrow at 9`` it drops the hour, and of ``01/02`` it makes a
day by the order that it likes. So what it is given is made plain first, and its answer has to hold what was said. Pure.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from sulla.core.errors import InvalidInput
from sulla.core.pattern import late_pattern
from sulla.schedules.hours import local_time, utc_ms
from sulla.schedules.spec import parse_at, zone_of

MOST_CHARS: Final = 80
_HOURS: Final = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}
_AT_WORD: Final = late_pattern(rf"\bat ({'|'.join(_HOURS)})\b(?! (?:minute|hour|day|week|month))")
_AT_HOUR: Final = late_pattern(r"\bat (\d{1,2})(?: ?o'?clock)?(?![\d:.]| ?[ap]\.?m\b)")
_CLOCK: Final = late_pattern(r"\b(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?([ap])\.?m\b|\b(\d{1,2}):(\d{2})(?::(\d{2}))?\b")
_NAMED: Final = {"noon": (12, 0), "midnight": (0, 0)}
_SPAN: Final = late_pattern(
    r"(?:in )?(?:(?:and )?(?:(?:an?|half an?|\d+(?:\.\d+)?|" + "|".join(_HOURS) + r") ?"
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|m|s)(?:,? | ?|$))+)(?:from now)?"
)
"""A time in hours and less from now on: it passes as fast whatever is done to clocks."""
_NEXT_DAY: Final = late_pattern(r"\bnext (mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b")
_ZONED: Final = late_pattern(r"\b(?:utc|gmt|z|[ceamphw]?[esd]?t|cest|[+-]\d{1,2}:?\d{2})$")
_ZONE_NAME: Final = late_pattern(r"(?:\s+in)?\s+([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+){1,2}|[Uu][Tt][Cc]|[Gg][Mm][Tt])\s*$")
_EXPECTED: Final = "expected a time such as 2027-12-01T09:00, 'tomorrow 9:00', 'friday 14:30' or 'in 20 minutes'"


def zoned(text: str, zone: str) -> tuple[str, str]:
    """A time without the zone that it names at its end, and that zone: ``tomorrow 9:00 in Asia/Tokyo``.

    Args:
        text: the time.
        zone: the zone that counts where it names none.
    """
    found = _ZONE_NAME.search(text)
    if found is None:
        return text, zone
    return text[: found.start()], found[1].upper() if found[1].isalpha() else found[1]


def read_time(text: str, zone: str, now_ms: int) -> int:
    """A time as people write it or say it, as UTC milliseconds.

    Args:
        text: ISO 8601, or plain English.
        zone: the name of the time zone whose clocks it speaks of, unless it names a zone or an offset of its own.
        now_ms: UTC milliseconds.

    Raises:
        InvalidInput: it is no time, may mean several, or is over; the message says what was understood.
    """
    text, zone = zoned(text, zone)
    if text[:4].isdecimal():  # as it is written
        return parse_at(text, zone)
    if len(text) > MOST_CHARS:
        raise InvalidInput(f"at: got {len(text)} characters, {_EXPECTED}")
    said, there = _plain(text), zone_of(zone)
    if _SPAN.fullmatch(said):
        found_ms = utc_ms(_one(said, text, _naive(now_ms, ZoneInfo("UTC"))).replace(tzinfo=ZoneInfo("UTC")))
    else:
        found_ms = _by_clock(said, text, there, zone, now_ms)
    if found_ms <= now_ms:
        raise InvalidInput(f"at: {text!r} is understood as {shown(found_ms, zone)}, and that is over")
    return found_ms


def shown(at_ms: int, zone: str) -> str:
    """A time as it was understood, for people.

    Args:
        at_ms: UTC milliseconds.
        zone: whose clocks show it.
    """
    return f"{local_time(at_ms, zone_of(zone)):%A %d %B %Y, %H:%M} {zone}"


def _by_clock(said: str, text: str, there: ZoneInfo, zone: str, now_ms: int) -> int:
    """A time that clocks of a zone show."""
    now = _naive(now_ms, there)
    if (odd := _ZONED.search(said)) is not None and odd[0]:
        raise InvalidInput(f"at: {text!r} names no zone that is one: write its name, e.g. Europe/Berlin or UTC")
    found = _one(said, text, now)
    if (next_day := _NEXT_DAY.search(said)) is not None:
        later = found + timedelta(days=7)
        raise InvalidInput(
            f"at: {next_day[0]!r} may mean {found:%A %d %B} or {later:%A %d %B}: say the date, or the day alone"
        )
    clock = _clock_of(said)
    if found < now and clock is None:
        raise InvalidInput(f"at: {text!r} is understood as {found:%A %d %B %Y, %H:%M} {zone}, and that is over")
    if clock is None and not said.startswith("in "):
        day = f"{found:%A %d %B %Y}, without a time of day"
        raise InvalidInput(f"at: {text!r} is understood as {day}: say e.g. {text.strip() + ' 9:00'!r}")
    if clock is not None and (found.hour, found.minute) != clock:
        raise InvalidInput(f"at: {text!r} cannot be understood as a whole; {_EXPECTED}")
    return parse_at(found.replace(microsecond=0).isoformat(), zone)


def _plain(text: str) -> str:
    """The text with its hours written so that the library does not lose them."""
    said = " ".join(text.casefold().split()).rstrip(".!")
    said = _AT_WORD.sub(lambda found: f"at {_HOURS[found[1]]}", said)
    said = _AT_HOUR.sub(r"at \1:00", said)
    if "tonight" in said:
        said = said.replace("tonight", "today")
        # "Tonight at 8" is no hour of the morning.
        said = _CLOCK.sub(lambda found: f"{int(found[5]) + 12}:{found[6]}" if _is_evening(found) else found[0], said)
    return said


def _is_evening(found: re.Match[str]) -> bool:
    return found[5] is not None and 5 <= int(found[5]) < 12


def _clock_of(said: str) -> tuple[int, int] | None:
    """The time of day that is said: hour and minute; None if none is."""
    for word, clock in _NAMED.items():
        if word in said:
            return clock
    found = _CLOCK.search(said)
    if found is None:
        return None
    if found[4] is None:
        return int(found[5]), int(found[6])
    return int(found[1]) % 12 + (12 if found[4] == "p" else 0), int(found[2] or 0)


def _one(said: str, text: str, now: datetime) -> datetime:
    """What the library makes of it; refused if the order of day and month decides it.

    Raises:
        InvalidInput: it is no time, or may be two.
    """
    # It takes a fifth of a second to load: only for those who speak plainly.
    from dateparser.date import DateDataParser

    def read(order: Literal["DMY", "MDY"]) -> datetime | None:
        settings = {"DATE_ORDER": order, "PREFER_DATES_FROM": "future", "RELATIVE_BASE": now}
        found: datetime | None = DateDataParser(languages=["en"], settings=settings).get_date_data(said).date_obj
        return found

    found, other = read("DMY"), read("MDY")
    if found is None or other is None:
        raise InvalidInput(f"at: got {text[:MOST_CHARS]!r}, {_EXPECTED}")
    if found != other:
        raise InvalidInput(
            f"at: {text!r} may mean {found:%d %B %Y} or {other:%d %B %Y}: write the month's name, or 2027-12-01T09:00"
        )
    return found


def _naive(now_ms: int, zone: ZoneInfo) -> datetime:
    return local_time(now_ms, zone).replace(tzinfo=None)
