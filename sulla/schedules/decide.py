"""What to write down for a schedule now, and when to look again. Pure: no clock; the same state and time give the same
answer in every daemon.
"""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.schedules.records import Fired, Missed, Rewound, Skipped, SlotFact
from sulla.schedules.slots import Slot, next_slot, spread
from sulla.schedules.spec import Every, zone_of
from sulla.schedules.state import MOST_PENDING, ScheduleState

GRACE_MS: Final = 60_000
"""By how much a time may be late without counting as missed; with a shorter period, as much as that."""
LEAST_GRACE_MS: Final = 5_000
MOST_COUNTED: Final = 1_000
"""Missed times that are counted one by one; behind that nobody wants to know exactly."""
MOST_AT_ONCE: Final = 64
"""Times that are fired in one look."""
REWIND_MS: Final = 86_400_000
"""If the last firing lies so far ahead of the clock, the clock was wrong then: without this a schedule would be silent
until that time comes, for years perhaps. Smaller jumps back are waited out, so that nothing fires twice.
"""


@dataclass(frozen=True, slots=True)
class FiringDecision:
    """What the scheduler has to record and do for one schedule now, and when to look again."""

    facts: tuple[SlotFact | Rewound, ...] = ()
    """To be offered, in this order; then look again."""
    due_ms: int | None = None
    """If there are none: when to look again, UTC milliseconds; None for not before something changes."""


@dataclass(frozen=True, slots=True)
class _Late:
    """Times that came and went unseen."""

    first: Slot
    last: Slot
    count: int
    upto_ms: int


def decide(state: ScheduleState, now_ms: int) -> FiringDecision:
    """What a schedule wants now.

    Args:
        state: as the log has it.
        now_ms: UTC milliseconds.
    """
    if state.paused or state.removed or state.moved:
        return FiringDecision()
    if state.settled_ms - now_ms > REWIND_MS:
        return FiringDecision((Rewound(state.settled_ms, now_ms),))
    late = _late(state, now_ms - grace_ms(state))
    slot = following(state, late.upto_ms if late is not None else state.settled_ms)
    makes_up = late is not None and state.spec.missed == "once"
    facts: list[SlotFact | Rewound] = []
    if late is not None and not makes_up:
        facts.append(Missed(late.first.nominal_ms, late.upto_ms, late.count, now_ms, state.revision))
    elif late is not None and (slot is None or slot.due_ms > now_ms):
        opens_ms = _opens(state, now_ms)
        return (
            FiringDecision(due_ms=opens_ms) if opens_ms > now_ms else FiringDecision((_catch_up(state, late, now_ms),))
        )
    room = MOST_PENDING - len(state.pending)
    while slot is not None and slot.due_ms <= now_ms and len(facts) < MOST_AT_ONCE:
        facts.append(_on_time(state, slot, now_ms, late if makes_up else None, room))
        late, room = None, room - 1
        slot = following(state, slot.nominal_ms)
    return FiringDecision(tuple(facts)) if facts else FiringDecision(due_ms=slot.due_ms if slot is not None else None)


def following(state: ScheduleState, after_ms: int) -> Slot | None:
    """The schedule's first time behind a nominal one, failures considered; None if there is none."""
    return next_slot(state.id, state.spec, max(after_ms, state.hold_ms - 1))


def grace_ms(state: ScheduleState) -> int:
    """By how much a time of it may be late."""
    when = state.spec.when
    return min(GRACE_MS, max(LEAST_GRACE_MS, when.period_s * 1000)) if isinstance(when, Every) else GRACE_MS


def _late(state: ScheduleState, before_ms: int) -> _Late | None:
    """The unsettled times that were due before a moment."""
    slot = first = following(state, state.settled_ms)
    if slot is None or first is None or slot.due_ms >= before_ms:
        return None
    last, count = slot, 0
    while slot is not None and slot.due_ms < before_ms:
        last, count = slot, count + 1
        if count >= MOST_COUNTED:
            # What lies between is settled with it: each time up to there was due before that moment.
            upto_ms = max(last.nominal_ms, before_ms - spread(state.spec.when) - 1)
            return _Late(first, last, count, upto_ms)
        slot = following(state, slot.nominal_ms)
    return _Late(first, last, count, last.nominal_ms)


def _opens(state: ScheduleState, now_ms: int) -> int:
    """When something that is not bound to a time may be done: now, or once the active hours begin."""
    hours, zone = state.spec.hours, zone_of(state.spec.zone)
    return now_ms if hours is None or hours.contains(now_ms, zone) else hours.next_open(now_ms, zone)


def _catch_up(state: ScheduleState, late: _Late, now_ms: int) -> SlotFact:
    name = state.slot_name(late.last.nominal_ms)
    first_ms = late.first.nominal_ms
    return Fired(name, now_ms, state.revision, first_ms, late.upto_ms, late.last.due_ms, late.count)


def _on_time(state: ScheduleState, slot: Slot, now_ms: int, late: _Late | None, room: int) -> SlotFact:
    name = state.slot_name(slot.nominal_ms)
    first_ms = late.first.nominal_ms if late is not None else slot.nominal_ms
    missed = late.count if late is not None else 0
    if room <= 0:
        why = f"{MOST_PENDING} earlier ones could not be begun yet"
        return Skipped(name, first_ms, slot.nominal_ms, why, now_ms, state.revision)
    return Fired(name, now_ms, state.revision, first_ms, slot.nominal_ms, slot.due_ms, missed)
