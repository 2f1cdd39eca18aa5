"""The state of a schedule as the first record of a log, and the log's key. Pure."""

from __future__ import annotations

import re
from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.schedules import records as f
from sulla.schedules.forms import from_json, spec_from_json, spec_to_json, to_json
from sulla.schedules.state import ScheduleNote, ScheduleState
from sulla.store.values import Head

KIND: Final = "schedule"
HEAD: Final = Head(KIND)
"""Never due and never open, so that nobody looks for work in it."""
_KEY: Final = re.compile(r"schedule:(?P<id>[A-Za-z0-9][A-Za-z0-9_.\-]*):(?P<number>[1-9]\d*)", re.ASCII)


def key_of(schedule_id: str, number: int) -> str:
    """The log of a schedule. No thread can be called so: a client's ids have no colon.

    Args:
        schedule_id: whose.
        number: 1 for its first log, one more for each that goes on where another one was full.
    """
    return f"{KIND}:{schedule_id}:{number}"


def parse_key(key: str) -> tuple[str, int] | None:
    """The inverse of `key_of`; None if it made no such key."""
    found = _KEY.fullmatch(key)
    return (found["id"], int(found["number"])) if found else None


def begin(schedule_id: str, fact: f.Fact, where: str) -> ScheduleState:
    """The state after the first record.

    Raises:
        CorruptRecord: no log begins so.
    """
    match fact:
        case f.ScheduleSet(spec, by, at_ms):
            made = spec_from_json(spec, where)
            return ScheduleState(
                schedule_id, made, by, at_ms, settled_ms=at_ms, notes=(ScheduleNote(at_ms, "set", said=by),)
            )
        case f.LogStarted(state):
            return state_from_json(state, where)
        case _:
            raise CorruptRecord(f"{where}: the log of a schedule begins with what it is")


def state_to_json(state: ScheduleState) -> JsonObject:
    """All of it, for the first record of the next log."""
    return {
        **to_json(state),
        "spec": spec_to_json(state.spec),
        "asked": list(state.asked),
        "pending": [to_json(fired) for fired in state.pending],
        "notes": [to_json(note) for note in state.notes],
        "moved": False,
    }


def state_from_json(value: Json, where: str) -> ScheduleState:
    """The state that `state_to_json` made `value` from.

    Raises:
        CorruptRecord: it made nothing like it.
    """
    match value:
        case {"spec": spec, "asked": list(asked), "pending": list(pending), "notes": list(notes), **others}:
            parts: dict[object, object] = {
                **others,
                "spec": spec_from_json(spec, where),
                "asked": tuple(str(slot) for slot in asked),
                "pending": tuple(from_json(f.Fired, fired, where) for fired in pending),
                "notes": tuple(from_json(ScheduleNote, note, where) for note in notes),
            }
            return from_json(ScheduleState, parts, where)
    raise CorruptRecord(f"{where}: not a state as this version writes it")
