"""Logs of open speech without the words of threads that were deleted."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.host.compaction import CompactionContext
from sulla.speech.log.records import SPEECH, entries_of
from sulla.speech.log.segments import LEASE_S, logs_of

_PAGE: Final = 512


async def compact(context: CompactionContext) -> str:
    """See `host.compaction.Compaction`. A log with speech that is still open in a thread stays whole: the next start
    delivers that, and then removes the log."""
    removed = left = 0
    for info in await logs_of(context.store):
        threads = await _threads_in(context, info.key)
        if threads is not None and threads <= set(context.live):
            continue
        grant = None
        if threads is not None and not threads & set(context.live):
            grant = await context.store.acquire(info.key, context.owner, LEASE_S)
        if grant is None:
            left += 1
            continue
        removed += await context.store.delete(grant.lease)
    kept = f"; {left} hold open speech of others too: start the daemon once, stop it, and compact again" if left else ""
    return f"{removed} logs of open speech removed{kept}" if removed or left else "nothing to remove"


async def _threads_in(context: CompactionContext, key: str) -> set[str] | None:
    """Whose speech a log holds; None if it cannot be read."""
    found: set[str] = set()
    after = 0
    while records := await context.store.read(key, after=after, limit=_PAGE):
        for record in records:
            if record.kind == SPEECH:
                try:
                    found |= {str(entry.thread_id) for entry in entries_of(record, key)}
                except CorruptRecord:
                    return None
        after = records[-1].seq
    return found
