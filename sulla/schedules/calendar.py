"""What schedules have done and will do within a span of time. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.schedules.decide import following
from sulla.schedules.spec import Action
from sulla.schedules.state import ScheduleNote, ScheduleState

HAPPENED: Final = frozenset({"fired", "begun", "succeeded", "failed", "cancelled", "missed", "skipped"})
"""What of a schedule's notes is about a firing."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing in a calendar."""

    at_ms: int
    schedule: str
    title: str
    action: Action
    what: str
    """`due` for what will be, else what happened."""
    said: str = ""
    thread_id: str = ""
    """Where it was begun; empty where that is not known."""


def ahead(states: Iterable[ScheduleState], since_ms: int, until_ms: int) -> Iterator[Happening]:
    """What will be, the soonest first. One whose zone this machine does not know is left out: `schedule.list` says so.

    Args:
        states: the schedules.
        since_ms: UTC milliseconds.
        until_ms: UTC milliseconds; not within the span.
    """
    return heapq.merge(*(_ahead(one, since_ms, until_ms) for one in states), key=_place)


def behind(states: Iterable[ScheduleState], since_ms: int, until_ms: int) -> list[Happening]:
    """What was, as far as their notes go back, the oldest first.

    Args:
        states: the schedules.
        since_ms: UTC milliseconds.
        until_ms: UTC milliseconds; not within the span.
    """
    found = [
        Happening(note.at_ms, one.id, one.spec.title, one.spec.action, note.what, *_said(note))
        for one in states
        for note in one.notes
        if note.what in HAPPENED and since_ms <= note.at_ms < until_ms
    ]
    return sorted(found, key=_place)


def _ahead(state: ScheduleState, since_ms: int, until_ms: int) -> Iterator[Happening]:
    if state.paused or state.removed:
        return
    after_ms = max(state.settled_ms, since_ms - 1)
    try:
        while (slot := following(state, after_ms)) is not None and slot.due_ms < until_ms:
            after_ms = slot.nominal_ms
            if slot.due_ms >= since_ms:
                yield Happening(slot.due_ms, state.id, state.spec.title, state.spec.action, "due")
    except InvalidInput:
        return


def _said(note: ScheduleNote) -> tuple[str, str]:
    """What a note says, and the thread that it names."""
    return ("", note.said) if note.what == "begun" else (note.said, "")


def _place(one: Happening) -> tuple[int, str]:
    return one.at_ms, one.schedule
