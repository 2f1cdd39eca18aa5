"""Writes down what has no line yet in the journal, as far as each thread's log goes. Nobody ever waits for it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.redact import Redactor
from sulla.core.stamp import stamp
from sulla.journal.folder import JournalFolder
from sulla.journal.lines import START, JournalPosition, mark_of, to_line, unwritten
from sulla.journal.runs import PAGE, TrainingFilter, examples_of
from sulla.journal.worker import BlockingWorker
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.follower import LogConsumer, LogCursor, LogFollower
from sulla.threads.log.codec import Entry
from sulla.threads.pending import Intervals
from sulla.threads.store import ThreadStore

LINGER_S: Final = 1.0
"""See `Intervals.linger_s`."""

T = TypeVar("T")

log = logging.getLogger(__name__)


def journal_follower(journal: JournalWriter, threads: ThreadStore, store: Store, clock: Clock) -> LogFollower:
    """What has the journal written: soon after each turn, and at the start what was missed."""
    return LogFollower("journal", journal, threads, store, clock, intervals=Intervals(linger_s=LINGER_S), page=PAGE)


class JournalWriter(LogConsumer):
    """Writes conversations down as lines of JSON, behind the log. It lives as long as the daemon.

    Args:
        threads: where the beginnings of runs are read, for the training log.
        files: where it is written.
        redactor: takes secrets out.
        training: what the training log takes; None for none.
    """

    def __init__(
        self, threads: ThreadStore, files: JournalFolder, redactor: Redactor, training: TrainingFilter | None = None
    ) -> None:
        self._threads = threads
        self._files = files
        self._redactor = redactor
        self._training = training
        self._worker = BlockingWorker("journal")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The thread that waits for the disk; at the end the disk has all that was written."""
        self._worker.start()
        try:
            yield
            await self._on_disk(self._files.settle)
        except StoreUnavailable as error:
            log.warning("the last lines of the journal may not outlive a power cut: %s", error.message)
        finally:
            self._worker.stop()

    async def begin(self) -> bool:
        """See what the disk has, after a failure and if somebody moved a file away."""
        await self._on_disk(self._files.open)
        return True

    async def behind(self, page: Sequence[LogInfo], after: str, *, last: bool) -> Sequence[LogInfo]:
        """Those whose last line is not that of their last event; a look says for certain."""
        ids = [ThreadId(info.key) for info in page]
        marks, gone = await self._on_disk(partial(self._files.compare, ids, after, last=last))
        await self._on_disk(partial(self._files.forget, gone))
        return [info for info, mark in zip(page, marks, strict=True) if _is_behind(info, mark)]

    async def gone(self, thread_id: ThreadId) -> None:
        """It keeps the lines that it has."""
        await self._on_disk(partial(self._files.forget, [thread_id]))

    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor:
        """Before its last line: that event is read once more, to tell the thread from an earlier one of its id."""
        mark = await self._on_disk(partial(self._files.mark, thread_id))

        async def take(page: list[Entry]) -> int:
            nonlocal mark
            fresh = unwritten(page, mark)
            if fresh is None:  # another thread under a known id: all its events are new
                fresh = page if _behind(mark) == 0 else []
                mark = START
            if fresh:
                await self._write(thread_id, fresh)
                mark = mark_of(fresh[-1])
            return _behind(mark)

        return LogCursor(_behind(mark), take)

    async def _write(self, thread_id: ThreadId, fresh: list[Entry]) -> None:
        """Write events, and the examples of the runs that end among them."""
        examples: list[bytes] = []
        if self._training is not None:
            unknown = [entry for entry in fresh if not self._files.has_example(thread_id, mark_of(entry))]
            examples = await examples_of(self._threads, thread_id, unknown, self._training, self._redactor)
        await self._on_disk(partial(self._append, thread_id, fresh, examples))

    def _append(self, thread_id: ThreadId, fresh: list[Entry], examples: list[bytes]) -> None:
        self._files.append([to_line(thread_id, entry, self._redactor) for entry in fresh], examples)

    async def _on_disk(self, work: Callable[[], T]) -> T:
        return await self._worker.call(partial(self._careful, work))

    def _careful(self, work: Callable[[], T]) -> T:
        """Do what may fail. After that the next round looks at the disk again, whatever of it was written."""
        try:
            return work()
        except (OSError, CorruptRecord) as error:
            self._files.close()
            folder = self._files.folder
            if isinstance(error, OSError):
                said = f"{error.filename or folder}: {error.strerror or error}"
            else:
                said = f"{folder / 'positions'} is damaged ({error}); move the folder away to have all written anew"
            raise StoreUnavailable(said) from error


def _behind(mark: JournalPosition) -> int:
    """Behind which number the last written event comes first."""
    return max(0, mark.seq - 1)


def _is_behind(info: LogInfo, mark: JournalPosition) -> bool:
    """Whether a thread has to be looked at. One that was made after the last line of its name was written is another
    one.
    """
    return info.last_seq != mark.seq or stamp(info.created_ms) > mark.at
