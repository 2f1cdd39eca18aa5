"""The driver: follows every thread's log, and writes down what has no line yet. Nobody ever waits for it."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.journal.lines import Mark, mark_of, to_line, unwritten
from sulla.journal.runs import PAGE, Training, examples_of
from sulla.journal.shelf import Shelf
from sulla.journal.worker import Worker
from sulla.store import LogInfo, Store
from sulla.threads import THREAD_KIND, Entry, ThreadStore

log = logging.getLogger(__name__)

MAX_WOKEN = 10_000
"""Threads that may wait to be looked at; if there are more, all threads are looked through instead."""

SWEEP_S = 3600.0
"""How often all threads are looked through: a new thread without a message wakes nobody."""

BREATH_S = 0.01
"""The pause after each page, while much is to be written: turns come first."""

LINGER_S = 0.1
"""How long it waits once it was told of work: what is done meanwhile costs no look of its own, and the next turn that
follows at once is not disturbed."""

_THREADS = 200
_RETRY_S = (1.0, 5.0, 30.0, 60.0, 300.0)
_MAX_UNREADABLE = 1000


class Journal:
    """Writes conversations down as lines of JSON.

    Args:
        threads: whose logs are read.
        store: for finding threads.
        clock: all time.
        shelf: where it is written.
        redactor: takes secrets out.
        training: what the training log takes; None for none.
    """

    def __init__(
        self,
        threads: ThreadStore,
        store: Store,
        clock: Clock,
        shelf: Shelf,
        redactor: Redactor,
        training: Training | None = None,
    ) -> None:
        self._threads = threads
        self._store = store
        self._clock = clock
        self._shelf = shelf
        self._redactor = redactor
        self._training = training
        self._worker = Worker("journal")
        self._woken: dict[ThreadId, None] = {}
        self._sweep_due = True
        self._busy = False
        self._unreadable: set[ThreadId] = set()
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
        behind = bool(self._woken or self._sweep_due or self._busy)
        return {
            "journal": "failing" if self._error else "behind" if behind else "up to date",
            "journal_error": self._error,
            "journal_folder": str(self._shelf.folder),
            "journal_unreadable": [str(thread_id) for thread_id in sorted(self._unreadable)],
        }

    async def run(self) -> None:
        """Catch up with what was missed, then follow, until `stop`; run this as one task."""
        self._task = asyncio.current_task()
        self._worker.start()
        try:
            while not self._stopping.is_set():
                await self._attempt()
                await self._rest()
            await self._attempt()
            if not self._error:
                await self._worker.call(self._shelf.settle)
        except OSError as error:
            self._fail(error)  # the last lines may not outlive a power cut; the next start writes them again
        finally:
            self._worker.stop()
            self._ended.set()

    async def stop(self, patience_s: float) -> None:
        """Write what threads that were worked on have left, for so many seconds at the most; then end."""
        self._stopping.set()
        self._news.set()
        try:
            async with self._clock.timeout(patience_s):
                await self._ended.wait()
        except TimeoutError:
            log.warning("the journal is behind; it catches up at the next start")
            if self._task is not None:
                self._task.cancel()

    # --------------------------------------------------------------------------------------------------- rounds

    async def _attempt(self) -> None:
        self._news.clear()
        self._busy = True
        try:
            await self._worker.call(self._shelf.open)
            if self._sweep_due:
                await self._sweep()
            await self._follow()
        except (OSError, StoreUnavailable, CorruptRecord) as error:
            await self._worker.call(self._shelf.close)
            self._fail(error)
        except Exception as error:
            log.exception("the journal failed in a way that nobody foresaw")
            await self._worker.call(self._shelf.close)
            self._fail(error)
        else:
            if self._error:
                log.info("the journal is written again")
            self._failures, self._error = 0, ""
        finally:
            self._busy = False

    def _fail(self, error: Exception) -> None:
        """Say so once."""
        said = self._in_words(error)
        if not self._error:
            log.warning("the journal cannot be written: %s; turns go on, and it catches up later", said)
        self._error = said
        self._failures += 1

    def _in_words(self, error: Exception) -> str:
        folder = self._shelf.folder
        match error:
            case OSError():
                return f"{error.filename or folder}: {error.strerror or error}"
            case CorruptRecord():
                return f"{folder / 'positions'} is damaged ({error}); move the folder away to have all written anew"
            case _:
                return str(error) or type(error).__name__

    async def _rest(self) -> None:
        """Wait for news; after a failure for a while, whatever comes.

        All threads are looked through then, so nothing has to be remembered of what was missed.
        """
        if self._error:
            await self._within(self._stopping, _RETRY_S[min(self._failures, len(_RETRY_S)) - 1])
            self._sweep_due = True
            return
        if not await self._within(self._news, SWEEP_S):
            self._sweep_due = True
        await self._within(self._stopping, LINGER_S)

    async def _within(self, event: asyncio.Event, seconds: float) -> bool:
        try:
            async with self._clock.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        return True

    async def _sweep(self) -> None:
        """Look through all threads, for what was missed and for what is gone."""
        self._sweep_due = False
        after, last = "", False
        while not (last or self._stopping.is_set()):
            page = await self._store.find(kind=THREAD_KIND, after_key=after, limit=_THREADS)
            last = len(page) < _THREADS
            ids = [ThreadId(info.key) for info in page]
            marks, gone = await self._worker.call(partial(self._shelf.compare, ids, after, last=last))
            await self._worker.call(partial(self._shelf.forget, gone))
            for info, mark in zip(page, marks, strict=True):
                if _is_behind(info, mark):
                    await self._look_at(ThreadId(info.key))
                    await self._clock.sleep(BREATH_S)
            await self._follow()
            after = ids[-1] if ids else after

    async def _follow(self) -> None:
        """Look at the threads that were worked on."""
        while self._woken:
            thread_id = next(iter(self._woken))
            del self._woken[thread_id]
            await self._look_at(thread_id)

    # ----------------------------------------------------------------------------------------------- one thread

    async def _look_at(self, thread_id: ThreadId) -> None:
        """Write what a thread has no lines for; one thread's trouble is not the others'."""
        try:
            await self._catch_up(thread_id)
        except (OSError, StoreUnavailable, CorruptRecord):
            raise
        except Exception:
            log.exception("a thread cannot be written down", extra={"thread_id": thread_id})
            self._set_aside(thread_id)

    async def _catch_up(self, thread_id: ThreadId) -> None:
        mark = await self._worker.call(partial(self._shelf.mark, thread_id))
        page = await self._page(thread_id, mark)
        while page:
            fresh = unwritten(page, mark)
            if fresh is None:
                mark = Mark()  # another thread under a known id: its events are new
            elif fresh:
                examples = await self._examples(thread_id, fresh)
                await self._worker.call(partial(self._write, thread_id, fresh, examples))
                mark = mark_of(fresh[-1])
            if fresh is not None and len(page) < PAGE:
                return
            await self._clock.sleep(BREATH_S)
            page = await self._page(thread_id, mark)

    async def _page(self, thread_id: ThreadId, mark: Mark) -> list[Entry]:
        """The events from the last written one on; empty if there is nothing to be read."""
        if thread_id in self._unreadable:
            return []
        try:
            page = await self._threads.entries(thread_id, after=max(0, mark.seq - 1), limit=PAGE)
            # A thread that is shorter than what is written of it is another one.
            return page or (await self._threads.entries(thread_id, limit=PAGE) if mark.seq else [])
        except NotFound:
            await self._worker.call(partial(self._shelf.forget, [thread_id]))
        except CorruptRecord as error:
            log.warning("a thread cannot be read, so its journal ends here: %s", error)
            self._set_aside(thread_id)
        return []

    def _set_aside(self, thread_id: ThreadId) -> None:
        """Until the next start."""
        if len(self._unreadable) < _MAX_UNREADABLE:
            self._unreadable.add(thread_id)

    async def _examples(self, thread_id: ThreadId, fresh: list[Entry]) -> list[bytes]:
        """The examples of the runs that end among these events."""
        if self._training is None:
            return []
        unknown = [entry for entry in fresh if not self._shelf.has_example(thread_id, mark_of(entry))]
        return await examples_of(self._threads, thread_id, unknown, self._training, self._redactor)

    def _write(self, thread_id: ThreadId, fresh: list[Entry], examples: list[bytes]) -> None:
        self._shelf.append([to_line(thread_id, entry, self._redactor) for entry in fresh], examples)


def _is_behind(info: LogInfo, mark: Mark) -> bool:
    """Whether a thread has to be looked at; a look says for certain.

    One that was made after the last line of its name was written is another one.
    """
    return info.last_seq != mark.seq or stamp(info.created_ms) > mark.at
