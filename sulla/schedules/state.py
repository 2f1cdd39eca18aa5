"""What the log of a schedule adds up to. Pure: the same records give the same state in every daemon."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.stamp import stamp
from sulla.schedules import records as f
from sulla.schedules.forms import spec_from_json
from sulla.schedules.spec import Every, Spec

MOST_PENDING: Final = 16
"""Firings of one schedule that may wait to be begun."""
MOST_ASKED: Final = 64
"""Firings that somebody asked for that are remembered, so that none is done twice."""
MOST_NOTES: Final = 12
"""What happened lately, for people."""
WHY_CHARS: Final = 300

BACK_OFF_S: Final = 300
"""What a failure puts off a schedule without a period, in seconds; a period counts as itself."""
MOST_BACK_OFF_S: Final = 6 * 3600
"""The most that failures put off, in seconds, unless the period is longer."""


@dataclass(frozen=True, slots=True)
class ScheduleNote:
    """Something that happened to a schedule, for people."""

    at_ms: int
    what: str
    slot: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """A schedule and its history, folded from its log."""

    id: str
    spec: Spec
    by: str = ""
    set_ms: int = 0
    """When it was set last, UTC milliseconds."""
    revision: int = 1
    """Counts what makes earlier offers of times void: each setting and each resuming."""
    paused: bool = False
    removed: bool = False
    settled_ms: int = 0
    """Up to which nominal time everything is fired, missed or over."""
    hold_ms: int = 0
    """Times before this are passed over, because of failures."""
    failures: int = 0
    """In a row."""
    unbegun: bool = False
    """Whether the last of them could not even begin."""
    rewinds: int = 0
    fired: int = 0
    missed: int = 0
    skipped: int = 0
    failed: int = 0
    pending: tuple[f.Fired, ...] = ()
    """What was fired and is not begun yet."""
    asked: tuple[str, ...] = ()
    notes: tuple[ScheduleNote, ...] = ()
    """What happened lately, oldest first."""
    moved: bool = False
    """Whether its log goes on in another one."""

    def slot_name(self, nominal_ms: int) -> str:
        """What a time is called."""
        return stamp(nominal_ms) + (f".{self.rewinds}" if self.rewinds else "")


def apply(state: ScheduleState, fact: f.Fact, where: str) -> ScheduleState:
    """The state after one more record. What has no effect any more (a time that was settled before, of an earlier
    spec, of a paused schedule) leaves it as it is: so it does not matter who offered it, and how often.

    Raises:
        CorruptRecord: it does not fit what came before it.
    """
    if state.moved or (state.removed and not isinstance(fact, f.Moved)):
        return state
    return _apply(fact, state, where)


def is_open(state: ScheduleState, fact: f.SlotFact) -> bool:
    """Whether what it settles is not settled yet."""
    return fact.revision == state.revision and not state.paused and fact.first_ms > state.settled_ms


@singledispatch
def _apply(fact: object, state: ScheduleState, where: str) -> ScheduleState:
    raise CorruptRecord(f"{where}: {type(fact).__name__} within a log")


@_apply.register
def _(fact: f.ScheduleSet, state: ScheduleState, where: str) -> ScheduleState:
    spec = spec_from_json(fact.spec, where)
    changed = replace(
        state,
        spec=spec,
        by=fact.by,
        set_ms=fact.at_ms,
        revision=state.revision + 1,
        # Never back: what was fired stays fired, whatever the clock says now.
        settled_ms=max(state.settled_ms, fact.at_ms),
        hold_ms=0,
        failures=0,
    )
    return _noted(changed, ScheduleNote(fact.at_ms, "set", said=fact.by))


@_apply.register
def _(fact: f.SchedulePaused, state: ScheduleState, where: str) -> ScheduleState:
    return (
        state if state.paused else _noted(replace(state, paused=True), ScheduleNote(fact.at_ms, "paused", said=fact.by))
    )


@_apply.register
def _(fact: f.ScheduleResumed, state: ScheduleState, where: str) -> ScheduleState:
    if not state.paused:
        return state
    resumed = replace(
        state,
        paused=False,
        revision=state.revision + 1,  # what was offered meanwhile is void for ever
        settled_ms=max(state.settled_ms, fact.at_ms),
        hold_ms=0,
        failures=0,
    )
    return _noted(resumed, ScheduleNote(fact.at_ms, "resumed", said=fact.by))


@_apply.register
def _(fact: f.ScheduleDeleted, state: ScheduleState, where: str) -> ScheduleState:
    return replace(state, removed=True, pending=())


@_apply.register
def _(fact: f.Fired, state: ScheduleState, where: str) -> ScheduleState:
    note = ScheduleNote(fact.at_ms, "fired", fact.slot, f"makes up for {fact.missed} missed" if fact.missed else "")
    if fact.asked_by:
        if fact.slot in state.asked:
            return state
        asked = (*state.asked, fact.slot)[-MOST_ASKED:]
        note = replace(note, said=f"asked for by {fact.asked_by}")
        return _noted(replace(state, asked=asked, fired=state.fired + 1, pending=(*state.pending, fact)), note)
    if not is_open(state, fact):
        return state
    fired = replace(
        state,
        settled_ms=max(fact.upto_ms, fact.first_ms),
        fired=state.fired + 1,
        missed=state.missed + fact.missed,
        pending=(*state.pending, fact),
    )
    return _noted(fired, note)


@_apply.register
def _(fact: f.Missed, state: ScheduleState, where: str) -> ScheduleState:
    if not is_open(state, fact):
        return state
    missed = replace(state, settled_ms=max(fact.upto_ms, fact.first_ms), missed=state.missed + fact.count)
    return _noted(missed, ScheduleNote(fact.at_ms, "missed", state.slot_name(fact.first_ms), f"{fact.count} in all"))


@_apply.register
def _(fact: f.Skipped, state: ScheduleState, where: str) -> ScheduleState:
    if not is_open(state, fact):
        return state
    skipped = replace(state, settled_ms=max(fact.upto_ms, fact.first_ms), skipped=state.skipped + 1)
    return _noted(skipped, ScheduleNote(fact.at_ms, "skipped", fact.slot, fact.why))


@_apply.register
def _(fact: f.Rewound, state: ScheduleState, where: str) -> ScheduleState:
    if fact.from_ms != state.settled_ms or fact.to_ms >= state.settled_ms:
        return state
    rewound = replace(state, settled_ms=fact.to_ms, hold_ms=0, rewinds=state.rewinds + 1)
    return _noted(rewound, ScheduleNote(fact.to_ms, "rewound", said=f"the clock was at {stamp(fact.from_ms)}"))


@_apply.register
def _(fact: f.Delivered, state: ScheduleState, where: str) -> ScheduleState:
    if not _is_pending(state, fact.slot):
        return state
    begun = _without(state, fact.slot)
    if state.unbegun:  # nobody else says that it works again
        begun = replace(begun, failures=0, hold_ms=0, unbegun=False)
    return _noted(begun, ScheduleNote(fact.at_ms, "begun", fact.slot, fact.thread_id))


@_apply.register
def _(fact: f.Failed, state: ScheduleState, where: str) -> ScheduleState:
    if not fact.begun and not _is_pending(state, fact.slot):
        return state
    failures = state.failures + 1
    failed = replace(
        _without(state, fact.slot),
        failures=failures,
        failed=state.failed + 1,
        unbegun=not fact.begun,
        hold_ms=state.settled_ms + _put_off_s(state.spec, failures) * 1000,
    )
    return _noted(failed, ScheduleNote(fact.at_ms, "failed", fact.slot, fact.why[:WHY_CHARS]))


@_apply.register
def _(fact: f.Succeeded, state: ScheduleState, where: str) -> ScheduleState:
    succeeded = replace(state, failures=0, hold_ms=0, unbegun=False)
    return _noted(succeeded, ScheduleNote(fact.at_ms, "succeeded", fact.slot))


@_apply.register
def _(fact: f.Ended, state: ScheduleState, where: str) -> ScheduleState:
    return _noted(state, ScheduleNote(fact.at_ms, fact.how, fact.slot, fact.why[:WHY_CHARS]))


@_apply.register
def _(fact: f.Moved, state: ScheduleState, where: str) -> ScheduleState:
    return replace(state, moved=True)


def _put_off_s(spec: Spec, failures: int) -> int:
    """By how much the next time is put off after failures in a row: doubled by each, and bounded."""
    base_s = spec.when.period_s if isinstance(spec.when, Every) else BACK_OFF_S
    return min(base_s << min(failures, 20), max(base_s, MOST_BACK_OFF_S))


def _is_pending(state: ScheduleState, slot: str) -> bool:
    return any(fired.slot == slot for fired in state.pending)


def _without(state: ScheduleState, slot: str) -> ScheduleState:
    return replace(state, pending=tuple(fired for fired in state.pending if fired.slot != slot))


def _noted(state: ScheduleState, note: ScheduleNote) -> ScheduleState:
    return replace(state, notes=(*state.notes, note)[-MOST_NOTES:])
