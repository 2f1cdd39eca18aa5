"""Whether a thread can be worked on, before anything is taken in for it."""

from __future__ import annotations

from collections import OrderedDict

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.store import ThreadStore

REMEMBERED = 4096
"""Threads that are known to be readable."""
_LOOKED_AT = 512
"""Newest records of one that is not, which are looked at for why."""


class ReadableThreads:
    """Looks at each thread once: what can be read now can be read as long as the program is the same.

    Args:
        threads: reads them.
        store: where the logs are.
        schema: what threads hold.
    """

    def __init__(self, threads: ThreadStore, store: Store, schema: ThreadSchema) -> None:
        self._threads = threads
        self._store = store
        self._schema = schema
        self._known: OrderedDict[ThreadId, None] = OrderedDict()

    async def check(self, thread_id: ThreadId) -> None:
        """Do nothing if the thread can be read, or if there is none.

        Raises:
            CorruptRecord: it cannot; it says which record is why, and what to do.
        """
        if thread_id in self._known:
            return
        try:
            if await self._threads.load(thread_id, messages=False) is None:
                return
        except CorruptRecord as error:
            raise CorruptRecord(await self._why_not(thread_id, error)) from error
        self.remember(thread_id)

    def remember(self, thread_id: ThreadId) -> None:
        """It can be read."""
        self._known[thread_id] = None
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    async def _why_not(self, thread_id: ThreadId, error: CorruptRecord) -> str:
        records = await self._store.read(thread_id, limit=_LOOKED_AT, reverse=True)
        unknown = next((record for record in records if record.kind not in self._schema.forms), None)
        if unknown is None:
            return f"thread {thread_id!r} cannot be read ({error.message}): `sulla doctor` says more"
        return (
            f"thread {thread_id!r} cannot be read: its record {unknown.seq} is a {unknown.kind}, which no capability"
            " here knows. Install the package that brought it again and restart the daemon, or begin another thread"
        )
