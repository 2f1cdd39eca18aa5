"""How far each thread was written when the current file was begun: a table of lines, sorted by thread. Pure.

A row is ``["<thread>",<seq>,"<at>"]``. It is looked up where it lies, so that very many threads cost a file and no
memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import merge
from mmap import mmap
from operator import itemgetter

import orjson

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.journal.lines import JournalPosition

Row = tuple[ThreadId, JournalPosition]


PositionTable = bytes | mmap
"""The bytes of a table; a mapped file, where there are many."""


def encode(row: Row) -> bytes:
    """A row as its line."""
    thread_id, mark = row
    return orjson.dumps([thread_id, mark.seq, mark.at]) + b"\n"


def look_up(table: PositionTable, thread_id: ThreadId) -> JournalPosition | None:
    """A thread's row, found by halving.

    Raises:
        CorruptRecord: the table is damaged.
    """
    at = _first_from(table, thread_id)
    if at == len(table):
        return None
    (found, mark), _ = _row_at(table, at)
    return mark if found == thread_id else None


def rows_behind(table: PositionTable, thread_id: str, upto: str | None) -> Iterator[Row]:
    """The rows with ``thread_id < thread <= upto``, in order; all that follow if `upto` is None.

    Raises:
        CorruptRecord: the table is damaged.
    """
    at = _first_from(table, thread_id)
    while at < len(table):
        row, at = _row_at(table, at)
        if upto is not None and row[0] > upto:
            return
        if row[0] != thread_id:
            yield row


def merged(
    table: PositionTable, newer: Mapping[ThreadId, JournalPosition], gone: Collection[ThreadId]
) -> Iterator[Row]:
    """The rows of the next table.

    Args:
        table: the present one.
        newer: what was written since then.
        gone: threads that were deleted since then.
    """
    held: Row | None = None
    for row in merge(rows_behind(table, "", None), sorted(newer.items(), key=itemgetter(0)), key=itemgetter(0)):
        # Of two rows for one thread the newer one comes second.
        if held is not None and held[0] != row[0]:
            yield held
        held = None if row[0] in gone else row
    if held is not None:
        yield held


def _first_from(table: PositionTable, thread_id: str) -> int:
    """Where the first row for this thread or a later one begins."""
    low, high = 0, len(table)
    while low < high:
        middle = (low + high) // 2
        before = table.rfind(b"\n", low, middle)
        start = low if before < 0 else before + 1
        (found, _), end = _row_at(table, start)
        if found < thread_id:
            low = end
        else:
            high = start
    return low


def _row_at(table: PositionTable, start: int) -> tuple[Row, int]:
    """The row that begins there, and where the next one does."""
    end = table.find(b"\n", start) + 1
    raw = table[start:end]
    try:
        match orjson.loads(raw):
            case [str(thread_id), int(seq), str(at)] if end:
                return (ThreadId(thread_id), JournalPosition(seq, at)), end
    except orjson.JSONDecodeError:
        pass  # said below, with what else can be wrong
    raise CorruptRecord(f"the row at byte {start} is {raw[:80]!r}, which is no thread with a number and a time")
