"""The journal's lines: an event as clients see it, and what a line says of how far its thread is written. Pure."""

from __future__ import annotations

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.threads.archive.lines import event_of
from sulla.threads.log.codec import Entry


@dataclass(frozen=True, slots=True)
class JournalPosition:
    """How far a thread is written to the journal: the number and time of its last event there."""

    seq: int = 0
    at: str = ""
    """As it stands in the line. It tells a thread from an earlier one with the same id."""


START = JournalPosition()
"""Nothing is written yet."""


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One event, ready to be written."""

    thread_id: ThreadId
    mark: JournalPosition
    body: bytes


def to_line(thread_id: ThreadId, entry: Entry, redactor: Redactor) -> JournalLine:
    """An event as its line; secrets are taken out of its data."""
    event = event_of(thread_id, entry) | {"data": redactor.json(entry.data)}
    return JournalLine(thread_id, mark_of(entry), orjson.dumps(event) + b"\n")


def mark_of(entry: Entry) -> JournalPosition:
    """How far a thread is written once this event is."""
    return JournalPosition(entry.seq, stamp(entry.origin.at_ms))


def read_line(raw: bytes) -> tuple[ThreadId, JournalPosition] | None:
    """Whose line it is and how far it goes; None if it is not a whole line of ours."""
    match _read(raw):
        case {"thread_id": str(thread_id), "seq": int(seq), "at": str(at), "data": dict()}:
            return ThreadId(thread_id), JournalPosition(seq, at)
        case _:
            return None


def read_example(raw: bytes) -> tuple[ThreadId, JournalPosition] | None:
    """The same for a line of the training log: the run's last event."""
    match _read(raw):
        case {"metadata": {"thread_id": str(thread_id), "seq": int(seq), "at": str(at)}}:
            return ThreadId(thread_id), JournalPosition(seq, at)
        case _:
            return None


def unwritten(page: list[Entry], mark: JournalPosition) -> list[Entry] | None:
    """What of a thread's events has no line yet.

    Args:
        page: the events from the last written one on; from the first one on if none is written.
        mark: how far the thread is written.

    Returns:
        None if the last written event is not among them as it was: the thread was deleted, and this is another one.
    """
    if mark == START:
        return page
    if page and mark_of(page[0]) == mark:
        return page[1:]
    return None


def _read(raw: bytes) -> object:
    if not raw.endswith(b"\n"):
        return None
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
