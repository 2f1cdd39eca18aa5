"""The driver: follows every thread's log behind the turns, and writes an episode for each run that ended."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.memory.base import MemoryIndex
from sulla.memory.episodes import EpisodeReader
from sulla.memory.note import Note, Progress
from sulla.store import LogInfo, Store
from sulla.threads import THREAD_KIND, ThreadStore

log = logging.getLogger(__name__)

MAX_WOKEN: Final = 10_000
"""Threads that may wait to be looked at; if there are more, all threads are looked through instead."""

SWEEP_S: Final = 3600.0
"""How often all threads are looked through, for what was missed and for what is gone."""

BREATH_S: Final = 0.01
"""The pause after each page while much is to be read: turns come first."""

_PAGE = 512
_THREADS = 200
_RETRY_S = (1.0, 5.0, 30.0, 60.0, 300.0)
_MAX_UNREADABLE = 1000


class Recorder:
    """Writes episodes. Nobody ever waits for it, and nothing is lost with it: the logs are read on where it stopped.

    Args:
        threads: whose logs are read.
        store: for finding threads.
        index: where episodes are kept, and how far each log was read.
        clock: all time.
    """

    def __init__(self, threads: ThreadStore, store: Store, index: MemoryIndex, clock: Clock) -> None:
        self._threads = threads
        self._store = store
        self._index = index
        self._clock = clock
        self._woken: dict[ThreadId, None] = {}
        self._unreadable: set[ThreadId] = set()
        self._sweep_due = True
        self._busy = False
        self._failures = 0
        self._error = ""
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon; never waits, never fails."""
        if len(self._woken) < MAX_WOKEN:
            self._woken[thread_id] = None
        else:
            self._sweep_due = True
        self._news.set()

    def status(self) -> JsonObject:
        """How it is, for people."""
        behind = bool(self._busy or self._woken or self._sweep_due)
        return {
            "memory": "failing" if self._error else "behind" if behind else "up to date",
            "memory_error": self._error,
            "memory_unreadable": [str(thread_id) for thread_id in sorted(self._unreadable)],
        }

    async def run(self) -> None:
        """Catch up with what was missed, then follow, until `stop`; run this as one task."""
        self._task = asyncio.current_task()
        try:
            while not self._stopping.is_set():
                await self.catch_up()
                await self._rest()
            await self.catch_up()
        finally:
            self._ended.set()

    async def stop(self, patience_s: float) -> None:
        """Write what the last turns have left, for so many seconds at the most; the next start writes the rest."""
        self._stopping.set()
        self._news.set()
        try:
            async with self._clock.timeout(patience_s):
                await self._ended.wait()
        except TimeoutError:
            log.warning("the memory is behind; it catches up at the next start")
            if self._task is not None:
                self._task.cancel()

    async def catch_up(self) -> None:
        """One round: all that is known to be left. A failure is said once and tried again later."""
        self._news.clear()
        self._busy = True
        try:
            if self._sweep_due:
                self._sweep_due = False  # one that is asked for from here on is another one
                self._sweep_due = not await self._sweep() or self._sweep_due
            await self._look_at_woken()
        except (StoreUnavailable, CorruptRecord) as error:
            if not self._error:
                log.warning("the memory cannot be written: %s; turns go on, and it catches up later", error)
            self._error = error.message
            self._failures += 1
        else:
            if self._error:
                log.info("the memory is written again")
            self._failures, self._error = 0, ""
        finally:
            self._busy = False

    async def _rest(self) -> None:
        if self._error:
            await self._within(self._stopping, _RETRY_S[min(self._failures, len(_RETRY_S)) - 1])
            self._sweep_due = True
        elif not await self._within(self._news, SWEEP_S):
            self._sweep_due = True

    async def _within(self, event: asyncio.Event, seconds: float) -> bool:
        try:
            async with self._clock.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        return True

    async def _sweep(self) -> bool:
        """Look through all threads, those that were deleted first; whether it came to the end."""
        after = ""
        while page := await self._index.threads(after, _THREADS):
            for key in page:
                if await self._store.head(key) is None:
                    await self._drop(ThreadId(key))
            if not await self._turns_first():
                return False
            after = page[-1]
        after = ""
        while found := await self._store.find(kind=THREAD_KIND, after_key=after, limit=_THREADS):
            for info in found:
                if await self._look_at(ThreadId(info.key), info):
                    await self._clock.sleep(BREATH_S)
            if not await self._turns_first():
                return False
            after = found[-1].key
        return True

    async def _turns_first(self) -> bool:
        """What has just ended is not to wait for all that is old; whether there is time to go on."""
        await self._look_at_woken()
        await self._clock.sleep(BREATH_S)
        return not self._stopping.is_set()

    async def _look_at_woken(self) -> None:
        while self._woken:
            thread_id = next(iter(self._woken))
            del self._woken[thread_id]
            await self._look_at(thread_id)

    async def _look_at(self, thread_id: ThreadId, info: LogInfo | None = None) -> bool:
        """Write what a thread has no episodes for; one thread's trouble is not the others'.

        Args:
            thread_id: which.
            info: its log, where that is known.

        Returns:
            Whether there was anything to read.
        """
        try:
            info = info if info is not None else await self._store.head(thread_id)
            if info is None:
                await self._drop(thread_id)
            elif thread_id not in self._unreadable:
                return await self._read_on(thread_id, info)
        except NotFound:
            await self._drop(thread_id)  # deleted just now
        except CorruptRecord as error:
            log.warning("a thread cannot be read, so its memory ends here: %s", error)
            if len(self._unreadable) < _MAX_UNREADABLE:
                self._unreadable.add(thread_id)
        return False

    async def _drop(self, thread_id: ThreadId) -> None:
        await self._index.drop_thread(thread_id)
        self._unreadable.discard(thread_id)

    async def _read_on(self, thread_id: ThreadId, info: LogInfo) -> bool:
        known = await self._index.progress(thread_id)
        if known is not None and known.created_ms != info.created_ms:
            await self._index.drop_thread(thread_id)  # another thread under its id
            known = None
        if known is not None and known.from_seq >= info.last_seq:
            return False
        read = known if known is not None else Progress(info.created_ms)
        reader, after, kept = EpisodeReader(thread_id, read), read.from_seq, known
        while True:
            page = await self._threads.entries(thread_id, after=after, limit=_PAGE)
            notes: list[Note] = reader.read(page)
            if notes or reader.progress != kept:
                kept = reader.progress
                await self._index.add(notes, (thread_id, kept))
            if len(page) < _PAGE:
                return True
            after = page[-1].seq
            await self._clock.sleep(BREATH_S)
