"""Writes an episode for each run that ended, behind the turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.memory.base import MemoryIndex
from sulla.memory.episodes import EpisodeReader
from sulla.memory.note import ReadPosition
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.follower import LogConsumer, LogCursor, LogFollower
from sulla.threads.log.codec import Entry
from sulla.threads.pending import Intervals
from sulla.threads.store import ThreadStore

LINGER_S: Final = 0.5
"""See `Intervals.linger_s`: the turn that follows at once is not disturbed. Who asks an agent's memory waits for none
of it: what lingers is written first (`Memory`, `settled`)."""
_THREADS = 200


def nobody_hears() -> None:
    """Nobody wants to know of notes that were added."""


def memory_follower(
    index: MemoryIndex,
    threads: ThreadStore,
    store: Store,
    clock: Clock,
    added: Callable[[], None] = nobody_hears,
    forgetful: Callable[[str], bool] = lambda agent: False,
) -> LogFollower:
    """What has episodes written: soon after each turn, and at the start what was missed.

    Args:
        index: where they are kept.
        threads: whose logs are read.
        store: finds threads.
        clock: all time.
        added: hears of notes that were written.
        forgetful: says of an agent, by its id, whether nothing of its turns is remembered.
    """
    consumer = Recorder(index, store, added, forgetful)
    return LogFollower("memory", consumer, threads, store, clock, intervals=Intervals(linger_s=LINGER_S))


class Recorder(LogConsumer):
    """Writes episodes, each together with how far its thread was read.

    Args:
        index: where episodes are kept, and how far each log was read.
        store: knows which threads are there.
        added: hears of notes that were written.
        forgetful: says of an agent, by its id, whether nothing of its turns is remembered.
    """

    def __init__(
        self,
        index: MemoryIndex,
        store: Store,
        added: Callable[[], None] = nobody_hears,
        forgetful: Callable[[str], bool] = lambda agent: False,
    ) -> None:
        self._index = index
        self._added = added
        self._store = store
        self._forgetful = forgetful

    async def behind(self, page: Sequence[LogInfo], after: str, *, last: bool) -> Sequence[LogInfo]:
        """All of them; what is remembered of deleted threads between them goes."""
        there = {info.key for info in page}
        while known := await self._index.threads(after, _THREADS):
            for key in known:
                if not last and key > page[-1].key:
                    return page
                # One that was made since the page was read, and was read by another daemon, is no deleted one.
                if key not in there and await self._store.head(key) is None:
                    await self._index.drop_thread(key)
            after = known[-1]
        return page

    async def gone(self, thread_id: ThreadId) -> None:
        """Its episodes go; facts from it stay."""
        await self._index.drop_thread(thread_id)

    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        """Behind the runs that are over."""
        info = info if info is not None else await self._store.head(thread_id)
        if info is None:
            raise NotFound(f"no thread {thread_id!r}")
        known = await self._index.progress(thread_id)
        if known is not None and known.created_ms != info.created_ms:
            await self._index.drop_thread(thread_id)  # another thread under its id
            known = None
        if known is not None and known.from_seq >= info.last_seq:
            return None
        read = known if known is not None else ReadPosition(info.created_ms, tainted=False)
        reader = EpisodeReader(thread_id, read)

        async def take(page: list[Entry]) -> None:
            nonlocal known
            notes = [note for note in reader.read(page) if not self._forgetful(note.agent)]
            if notes or reader.progress != known:
                known = reader.progress
                await self._index.add(notes, (thread_id, known))
                if notes:
                    self._added()

        return LogCursor(read.from_seq, take)
