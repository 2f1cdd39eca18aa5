"""The log of a heartbeat, read from its newest wake on, a page at a time."""

from __future__ import annotations

from typing import Final

from sulla.core.ids import ThreadId
from sulla.heartbeat.ticks import TickPage, ticks_of
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import RunStarted
from sulla.threads.store import ThreadStore

RECORDS: Final = 6
"""Of a wake that came to nothing, and one to spare: how many are read at once for each that is asked for."""
WINDOW: Final = 256
"""Records that are read at once: some fifty wakes that came to nothing, or three of ten cycles."""
MOST_RECORDS: Final = 4_096
"""Records that are read for one page; it is shorter rather than late."""


async def read_ticks(threads: ThreadStore, thread_id: ThreadId, limit: int, before: int | None = None) -> TickPage:
    """The newest wakes of a heartbeat.

    Args:
        threads: where it is.
        thread_id: its thread.
        limit: how many at most.
        before: only those that began before this record; None for all.

    Raises:
        NotFound: there is no such thread.
        CorruptRecord: a record of it cannot be read.
    """
    upto = before
    if upto is None:
        info, _ = await threads.get(thread_id)
        upto = info.last_seq + 1
    entries: list[Entry] = []
    begun, window = 0, min(WINDOW, RECORDS * (limit + 1))
    # Runs do not overlap in a log, so whatever begins a run is the first that is told of it.
    while upto > 1 and begun <= limit and len(entries) < MOST_RECORDS:
        after = max(0, upto - 1 - window)
        found = await threads.entries(thread_id, after=after, before=upto, limit=window)
        begun += sum(entry.kind == RunStarted.kind for entry in found)
        entries[:0] = found
        upto = after + 1
    ticks = ticks_of(entries)[-limit:]
    more = begun > len(ticks) or upto > 1
    following = (ticks[0].seq if ticks else upto) if more else None
    return TickPage(tuple(reversed(ticks)), following)
