"""Times for people: by the clocks of the home where its settings name a zone (`place.door`), else by the machine's; by
those of `TZ` where that is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def minute(at: str) -> str:
    """A time to the minute, e.g. ``2027-01-15 09:00``; `zone_word` says whose clocks show it.

    Args:
        at: as the daemon gives it, UTC.
    """
    return f"{_here(at):%Y-%m-%d %H:%M}"


def second(at: str) -> str:
    """A time to the second, e.g. ``2027-01-15 09:00:00``, where it is plain whose clocks show it."""
    return f"{_here(at):%Y-%m-%d %H:%M:%S}"


def millisecond(at: str) -> str:
    """A time to the millisecond with its zone, e.g. ``2027-01-15 09:00:00.000 CET``.

    Args:
        at: as the daemon gives it, UTC.

    Raises:
        ValueError: it is none.
    """
    here = _here(at)
    return f"{here:%Y-%m-%d %H:%M:%S}.{here.microsecond // 1000:03} {here:%Z}"


def moment(at: str) -> str:
    """A time to the second with its zone, e.g. ``2027-01-15 09:00:00 CET``.

    Args:
        at: as the daemon gives it, UTC.
    """
    return f"{_here(at):%Y-%m-%d %H:%M:%S %Z}"


def ago(at: str, now_s: float) -> str:
    """How long something is past, e.g. ``5 min ago``.

    Args:
        at: as the daemon gives it, UTC.
        now_s: the time, in seconds UTC.
    """
    past_s = now_s - _read(at).timestamp()
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if past_s >= size:
            return f"{past_s // size:.0f} {unit} ago"
    return "just now"


def zone_word() -> str:
    """What the time is called in the heads of lists, e.g. ``CET``; around a change of clocks the rows of a
    list may differ from it."""
    return _here("2027-01-15T08:00:00.000Z").tzname() or "local"


def _here(at: str) -> datetime:
    return _read(at).astimezone()


def _read(at: str) -> datetime:
    from datetime import datetime  # most commands tell no time

    return datetime.fromisoformat(at)
