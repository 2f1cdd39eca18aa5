"""What is so of some threads at this moment, for whoever watches: made of their heads, and kept up to date by their
changes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.store.base import Store
from sulla.store.values import LogInfo, Status
from sulla.threads.head import THREAD_KIND
from sulla.threads.pulse import PULSE_S, ThreadPulse

log = logging.getLogger(__name__)

HEAL_S: Final = 10.0
"""How often all heads are read while somebody watches, in case a word was lost, or a lease ran out."""
RETRY_S: Final = 1.0
"""How long after an outage it is tried to listen again."""
MOST_LOOKED: Final = 5_000
"""Heads that one look goes through."""
_PAGE: Final = 200

Describe = Callable[[LogInfo], Awaitable[Json]]
"""What is so of a thread; None if nothing is. It may read a bounded end of its log."""


@dataclass(frozen=True, slots=True)
class Look:
    """Which heads may have something to say."""

    ready: bool | None = None
    """Those in which something is to be done."""
    status: Status | None = None


class ThreadBoard:
    """Knows what is so of some threads, for as long as somebody watches. It lives as long as the daemon.

    Nothing is read while nobody watches; while somebody does, the heads that have changed, and all of them now and
    then. Its cost goes by how many threads are at work, never by how long they are.

    Args:
        store: finds heads.
        pulse: says what has changed.
        clock: all time.
        describe: says what is so of a thread.
        looks: where threads are looked for of which something may be so.
        most: rows at the most.
    """

    def __init__(
        self,
        store: Store,
        pulse: ThreadPulse,
        clock: Clock,
        describe: Describe,
        looks: Collection[Look],
        most: int,
    ) -> None:
        self._store = store
        self._pulse = pulse
        self._clock = clock
        self._describe = describe
        self._looks = looks
        self._most = most
        self._known = _Known()
        self._reading = asyncio.Lock()
        self._watchers: set[asyncio.Event] = set()
        self._watched = asyncio.Event()

    @property
    def rows(self) -> Mapping[ThreadId, Json]:
        """What is so, by thread, as it was read last."""
        return self._known.rows

    @property
    def more(self) -> bool:
        """Whether something is so of further threads, too."""
        return self._known.more

    async def read(self) -> None:
        """Read all that is so.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        async with self._reading:
            await self._read_all()

    @contextmanager
    def watch(self) -> Iterator[asyncio.Event]:
        """Have the rows kept up to date for as long as the block lasts.

        Returns:
            What is set whenever a row may have changed, and at the beginning.
        """
        told = asyncio.Event()
        told.set()
        self._watchers.add(told)
        self._watched.set()
        try:
            yield told
        finally:
            self._watchers.discard(told)
            if not self._watchers:
                self._watched.clear()

    def tell(self) -> None:
        """Something else has changed that watchers are told beside the rows."""
        for told in self._watchers:
            told.set()

    async def run(self) -> None:
        """Keep the rows up to date while somebody watches, until cancelled."""
        while True:
            await self._watched.wait()
            try:
                async with self._pulse.heard(self._known.hear):
                    await self._keep_up()
            except StoreUnavailable as error:
                log.debug("what goes on in threads cannot be read; trying again soon: %s", error)
                await self._clock.sleep(RETRY_S)

    async def _keep_up(self) -> None:
        self._known.hear(None)
        while self._watchers:
            async with self._reading:
                await self._take_up()
            await self._clock.sleep(PULSE_S)
            try:
                async with self._clock.timeout(HEAL_S):
                    await self._known.news.wait()
            except TimeoutError:
                self._known.hear(None)

    async def _take_up(self) -> None:
        known = self._known
        known.news.clear()
        if known.all:
            await self._read_all()
            return
        changed, known.changed = known.changed, set()
        for thread_id in changed:
            try:
                info = await self._store.head(thread_id)
                row = await self._describe(info) if info is not None and info.head.kind == THREAD_KIND else None
            except StoreUnavailable:
                known.hear(None)
                raise
            if known.put(thread_id, row, self._most):
                self.tell()

    async def _read_all(self) -> None:
        known, before = self._known, self._known.rows
        known.all, known.changed = False, set()
        rows: dict[ThreadId, Json] = {}
        more = False
        try:
            async for info in self._found():
                thread_id = ThreadId(info.key)
                if thread_id in rows or (row := await self._describe(info)) is None:
                    continue
                if len(rows) == self._most:
                    more = True
                    break
                rows[thread_id] = row
        except StoreUnavailable:
            known.hear(None)
            raise
        known.rows, known.more = rows, more
        if rows != before:
            self.tell()

    async def _found(self) -> AsyncIterator[LogInfo]:
        looked = 0
        for look in self._looks:
            after = ""
            while looked < MOST_LOOKED:
                page = await self._store.find(
                    kind=THREAD_KIND, ready=look.ready, status=look.status, after_key=after, limit=_PAGE
                )
                for info in page:
                    yield info
                looked += len(page)
                if len(page) < _PAGE:
                    break
                after = page[-1].key


class _Known:
    """The rows, and what has changed since they were read."""

    def __init__(self) -> None:
        self.rows: dict[ThreadId, Json] = {}
        self.more = False
        self.changed: set[ThreadId] = set()
        self.all = True
        self.news = asyncio.Event()

    def hear(self, changed: Collection[ThreadId] | None) -> None:
        """These threads have changed, or any may have."""
        if changed is None:
            self.all = True
        else:
            self.changed.update(changed)
        self.news.set()

    def put(self, thread_id: ThreadId, row: Json, most: int) -> bool:
        """One row is another now; whether that changes anything."""
        if row is None:
            return self.rows.pop(thread_id, None) is not None
        if thread_id not in self.rows and len(self.rows) >= most:
            self.more = True
            return False
        changed = self.rows.get(thread_id) != row
        self.rows[thread_id] = row
        return changed
