"""Reads all threads' logs behind the turns, each from where it was left. Nobody waits for it, and nothing is lost with
it: what it hands on is kept together with how far it was read, by whoever takes it.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, NotFound, SullaError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.head import THREAD_KIND
from sulla.threads.log.codec import Entry
from sulla.threads.pending import Intervals
from sulla.threads.store import ThreadStore
from sulla.threads.wake_loop import WakeLoop, Wording

log = logging.getLogger(__name__)

BREATH_S: Final = 0.01
"""The pause after each page while much is to be read: turns come first."""
MAX_UNREADABLE: Final = 1000
"""Threads that are known to be unreadable; any further one is tried again whenever it is woken."""
_THREADS: Final = 200


@dataclass(frozen=True, slots=True)
class LogCursor:
    """A consumer's place in one thread's log; made for one look at the thread."""

    after: int
    """Entries with a higher number are handed on."""
    take: Callable[[list[Entry]], Awaitable[int | None]]
    """Takes the next entries, in order, and keeps how far they go; on return a crash loses neither. There are none if
    there is nothing new. It may return another number to read on behind than the last entry's: an earlier one where the
    log is another thread's than it was.
    """


class LogConsumer(ABC):
    """Makes something of threads' logs, and keeps how far it has read each of them. Only `cursor` is its own in any
    case; a consumer lives as long as its follower.

    `CorruptRecord` from it says that one thread cannot be taken, any other `SullaError` that none can for now.
    """

    def opened(self) -> AbstractAsyncContextManager[object]:
        """What it needs open from the first round to the last."""
        return nullcontext()

    async def begin(self) -> bool:
        """A round begins; whether anything is to be read at all. If not, all news until now is of no interest."""
        return True

    async def behind(self, page: Sequence[LogInfo], after: str, *, last: bool) -> Sequence[LogInfo]:
        """Which threads have to be looked at, while all are looked through; also a time to forget what is gone.

        Args:
            page: the next threads by id.
            after: the id of the last one of the page before; empty for the first page.
            last: whether no page follows.
        """
        return page

    async def swept(self) -> None:  # noqa: B027 - a step that most consumers have no use for
        """All threads were looked through, and none is set aside."""

    async def gone(self, thread_id: ThreadId) -> None:  # noqa: B027 - the same
        """A thread was deleted."""

    @abstractmethod
    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        """Where a thread is read on; None if there is nothing to be read of it.

        Args:
            thread_id: which.
            info: its log; None for one that was woken, of which nobody has asked the store yet.

        Raises:
            NotFound: it was deleted.
        """


class LogFollower(WakeLoop):
    """Hands each thread's entries to one consumer: soon after the thread was woken, and by itself what was missed.

    Args:
        name: what people call it in `status`.
        consumer: takes the entries.
        threads: whose logs are read.
        store: finds threads.
        clock: all time.
        wording: what people read; None for that of something that is written.
        intervals: how long it rests.
        page: entries that are read at once.
    """

    def __init__(
        self,
        name: str,
        consumer: LogConsumer,
        threads: ThreadStore,
        store: Store,
        clock: Clock,
        wording: Wording | None = None,
        *,
        intervals: Intervals | None = None,
        page: int = 512,
    ) -> None:
        super().__init__(self._round, clock, wording or written(name), intervals or Intervals(), consumer.opened)
        self._name = name
        self._consumer = consumer
        self._threads = threads
        self._store = store
        self._page = page
        self._unreadable: set[ThreadId] = set()

    @property
    def error(self) -> str:
        """Why it cannot go on for now; empty if it can."""
        return self.pending.error

    def status(self) -> JsonObject:
        """How it is, for people."""
        return {
            self._name: self.state,
            f"{self._name}_error": self.error,
            f"{self._name}_unreadable": [str(thread_id) for thread_id in sorted(self._unreadable)],
        }

    async def _round(self) -> None:
        if not await self._consumer.begin():
            self.pending.forget()
            return
        if not self.stopping and self.pending.begin_sweep():
            await self._sweep()
        await self._look_at_woken()

    async def _sweep(self) -> None:
        """Look through all threads. What has just been woken does not wait for all that is old."""
        after, last = "", False
        while not last:
            if self.stopping:
                return  # the next start looks through all of them
            page = await self._store.find(kind=THREAD_KIND, after_key=after, limit=_THREADS)
            last = len(page) < _THREADS
            for info in await self._consumer.behind(page, after, last=last):
                if await self._look_at(ThreadId(info.key), info):
                    await self._clock.sleep(BREATH_S)
            await self._look_at_woken()
            if not last:
                after = page[-1].key
                await self._clock.sleep(BREATH_S)
        if not self._unreadable:  # else the next start has them looked at again
            await self._consumer.swept()

    async def _look_at_woken(self) -> None:
        while (key := self.pending.next()) is not None:
            await self._look_at(ThreadId(key))

    async def _look_at(self, thread_id: ThreadId, info: LogInfo | None = None) -> bool:
        """Read a thread on; one thread's trouble is not the others'.

        Args:
            thread_id: which.
            info: its log, where that is known.

        Returns:
            Whether there was anything to read.
        """
        try:
            if thread_id in self._unreadable and await self._store.head(thread_id) is not None:
                return False
            cursor = await self._consumer.cursor(thread_id, info)
            if cursor is not None:
                await self._read_on(thread_id, cursor)
            return cursor is not None
        except NotFound:
            await self._consumer.gone(thread_id)
            self._unreadable.discard(thread_id)
        except CorruptRecord as error:
            log.warning("a thread cannot be read, so its %s ends here: %s", self._name, error.message)
            self._set_aside(thread_id)
        except SullaError:
            raise
        except Exception:
            log.exception("the %s failed on a thread as nobody foresaw", self._name, extra={"thread_id": thread_id})
            self._set_aside(thread_id)
        return False

    async def _read_on(self, thread_id: ThreadId, cursor: LogCursor) -> None:
        after = cursor.after
        while True:
            page = await self._threads.entries(thread_id, after=after, limit=self._page)
            back = await cursor.take(page)
            if len(page) < self._page and (back is None or back >= after):
                return
            after = page[-1].seq if back is None else back
            await self._clock.sleep(BREATH_S)

    def _set_aside(self, thread_id: ThreadId) -> None:
        """Until it is deleted, or the next start."""
        if len(self._unreadable) < MAX_UNREADABLE:
            self._unreadable.add(thread_id)


def written(name: str) -> Wording:
    """What people read of something that is written behind the turns.

    Args:
        name: what it is called.
    """
    return Wording(
        f"the {name} cannot be written: %s; turns go on, and it catches up later",
        f"the {name} is written again",
        f"the {name} is behind; it catches up at the next start",
    )
