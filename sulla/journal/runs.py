"""Reading a run's events back from its end, for the training log."""

from __future__ import annotations

from sulla.core.errors import CorruptRecord
from sulla.core.ids import RunId, ThreadId
from sulla.journal.training import first_event
from sulla.threads import Entry, ThreadStore

PAGE = 64
"""Events that are read at once."""

MAX_EVENTS = 8192
"""So far back a run's beginning is looked for: 50 model calls with 80 tools each, and their inputs."""


async def events_of(threads: ThreadStore, thread_id: ThreadId, run_id: RunId, end_seq: int) -> list[Entry]:
    """The thread's events from the message that a run took up to the run's end.

    Raises:
        CorruptRecord: its beginning is not there.
        NotFound: the thread was deleted.
    """
    found: list[Entry] = []
    wanted: int | None = None
    while not found or found[0].seq > (wanted or 1):
        before = found[0].seq if found else end_seq + 1
        page = await threads.entries(thread_id, after=max(0, before - 1 - PAGE), before=before, limit=PAGE)
        found[:0] = page
        wanted = first_event(page, run_id) if wanted is None else wanted
        if not page or len(found) > MAX_EVENTS:
            break
    if wanted is None or found[0].seq > wanted:
        raise CorruptRecord(
            f"{thread_id}: the beginning of the run {run_id!r} is not among its last {MAX_EVENTS} events"
        )
    return [entry for entry in found if entry.seq >= wanted]
