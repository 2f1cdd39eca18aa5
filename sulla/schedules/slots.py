"""The times at which a schedule fires. Every daemon finds the same ones, and calls them alike. Pure."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Final, assert_never

from sulla.core.dataclass import dataclass
from sulla.schedules.cron import next_cron
from sulla.schedules.hours import Hours
from sulla.schedules.spec import At, Cron, Every, Spec, When, zone_of

MOST_LOOKS: Final = 1_000
"""How many times outside the active hours are passed over in the search for one within."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One time at which a schedule fires."""

    nominal_ms: int
    """What it is named by, UTC milliseconds."""
    due_ms: int
    """When it is really due: later by the jitter."""


def next_slot(schedule_id: str, spec: Spec, after_ms: int) -> Slot | None:
    """The first time with a nominal one behind `after_ms`, within the active hours.

    Args:
        schedule_id: whose; the jitter follows from it.
        spec: the schedule.
        after_ms: UTC milliseconds.

    Returns:
        The time, or None if there is none, or none among the next `MOST_LOOKS`.
    """
    return _next_slot(schedule_id, spec.when, spec.zone, spec.hours, after_ms)


@lru_cache(maxsize=4096)
def _next_slot(schedule_id: str, when: When, zone: str, hours: Hours | None, after_ms: int) -> Slot | None:
    """Remembered, because whoever fires asks for the same one several times."""
    spread_ms = spread(when)
    for _ in range(MOST_LOOKS):
        nominal_ms = _next(when, zone, after_ms)
        if nominal_ms is None:
            return None
        slot = Slot(nominal_ms, nominal_ms + _put_off(schedule_id, nominal_ms, spread_ms))
        if hours is None or hours.contains(slot.due_ms, zone_of(zone)):
            return slot
        after_ms = max(nominal_ms, hours.next_open(slot.due_ms, zone_of(zone)) - spread_ms - 1)
    return None


def spread(when: When) -> int:
    """By up to how much a time is put off, in milliseconds."""
    return when.jitter_s * 1000 if isinstance(when, Every) else 0


def _next(when: When, zone: str, after_ms: int) -> int | None:
    match when:
        case Every(period_s, anchor_ms):
            period_ms = period_s * 1000
            return anchor_ms + max(0, (after_ms - anchor_ms) // period_ms + 1) * period_ms
        case Cron(text):
            return next_cron(text, after_ms, zone_of(zone))
        case At(at_ms):
            return at_ms if at_ms > after_ms else None
        case _:
            assert_never(when)


def _put_off(schedule_id: str, nominal_ms: int, spread_ms: int) -> int:
    if not spread_ms:
        return 0
    digest = blake2b(f"{schedule_id}\0{nominal_ms}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) * spread_ms >> 64
