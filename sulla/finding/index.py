"""Which thread something happened in last: kept in memory, made of the threads' heads alone."""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.finding.title import Kind, TitledBy, kind_of, title_from, title_of
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.head import THREAD_KIND
from sulla.threads.log.family import CopyOf
from sulla.threads.log.inputs import opening_of
from sulla.threads.log.records import Input
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

CHANNEL: Final = "threads"
"""The bus channel on which daemons tell each other in which threads something happened. Lossy: see `SWEEP_S`."""
SWEEP_S: Final = 600.0
"""How old what is known may be before all heads are read again: another daemon's word may have been lost."""
MOST_ROWS: Final = 100_000
"""Threads that are known, the ones last at work: some 40 MB. An older one is found by its id alone."""
MOST_CHANGED: Final = 10_000
"""Threads that may wait to be looked at again; if there are more, all heads are read."""
_PAGE: Final = 500
_BEGINNING: Final = 16
"""Records in which the first message of a thread is looked for whose head does not have it, because it was written
before heads did."""
_LISTEN_S: Final = 5.0
Place = tuple[int, str]
"""Where a thread stands in the order of all."""


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """What is known of a thread for lists."""

    thread_id: ThreadId
    active_ms: int
    """When something was decided in it last, UTC milliseconds."""
    kind: Kind
    agent: str
    title: str
    titled_by: TitledBy
    words: str
    """How its first message begins; empty if there is none, or its head does not say."""
    tainted: bool
    """Whether it holds text that nobody trusts: its words may be such."""
    created_ms: int
    status: str
    last_seq: int
    waiting: int
    """Messages that wait for their turn."""
    held: int = 0
    """How many of them a stop holds."""
    copy: CopyOf | None = None
    """What it is a copy of; None for none."""

    @property
    def place(self) -> Place:
        """Where it stands: the thread that something happened in last comes first."""
        return (-self.active_ms, self.thread_id)


class ThreadIndex:
    """The threads by when something happened in them. It lives as long as the daemon, and nothing of it is kept: it is
    made of the heads when it is first asked for, and of those that changed from then on. Its cost goes by how many
    threads there are, never by how long they are.

    Args:
        store: finds threads, and carries the word between daemons.
        threads: reads their heads.
        clock: for the age of what is known.
    """

    def __init__(self, store: Store, threads: ThreadStore, clock: Clock) -> None:
        self._store = store
        self._threads = threads
        self._clock = clock
        self._rows: dict[ThreadId, ThreadEntry] = {}
        self._changed: set[ThreadId] = set()
        self._read_s: float | None = None
        """When all heads were read; None if never."""
        self._reading = asyncio.Lock()

    # -------------------------------------------------------------------------------------------------- for the daemon

    def wake(self, thread_id: ThreadId) -> None:
        """Something happened in a thread; it is looked at when a list is asked for. Never waits, never fails."""
        self._note(thread_id)
        self._store.publish(CHANNEL, thread_id.encode())

    async def run(self) -> None:
        """Hear what other daemons on the store do, until cancelled."""
        while True:
            try:
                async with self._store.subscribe(CHANNEL) as heard:
                    async for payload in heard:
                        self._note(ThreadId(payload.decode(errors="replace")))
                        if heard.lagged:
                            self._read_s = None
            except StoreUnavailable as error:
                log.debug("nobody can listen for threads that change, so all are read again: %s", error)
                self._read_s = None
            await self._clock.sleep(_LISTEN_S)

    # ------------------------------------------------------------------------------------------------ for whoever asks

    async def newest(
        self, kinds: Collection[Kind], after: Place | None, limit: int
    ) -> tuple[Sequence[ThreadEntry], Place | None]:
        """Threads by when something happened in them, the newest first.

        Args:
            kinds: only these.
            after: the place of the last one of the page before; None for the first page.
            limit: how many at most.

        Returns:
            The page, and behind which place the next one begins; None if there is none.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._refresh()
        wanted = (row for row in self._rows.values() if row.kind in kinds and (after is None or row.place > after))
        found = heapq.nsmallest(limit + 1, wanted, key=_place)
        page = await asyncio.gather(*map(self._with_words, found[:limit]))
        return [row for row in page if row.kind in kinds], found[limit - 1].place if len(found) > limit else None

    async def get(self, thread_ids: Iterable[ThreadId]) -> Sequence[ThreadEntry]:
        """These threads, in this order; those that there are not are left out.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._refresh()
        found = [row for thread_id in thread_ids if (row := self._rows.get(thread_id)) is not None]
        return await asyncio.gather(*map(self._with_words, found))

    async def entries(self) -> Collection[ThreadEntry]:
        """All that are known, in no order, with the words that their heads have.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._refresh()
        return self._rows.values()

    async def beginning_with(self, begins: str, limit: int) -> Sequence[ThreadId]:
        """Threads whose id begins so, by id; asked of the store, so that none is missing.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        exact = await self._store.head(begins)
        longer = await self._store.find(kind=THREAD_KIND, after_key=begins, limit=limit)
        found = [exact.key] if exact is not None and exact.head.kind == THREAD_KIND else []
        return [ThreadId(key) for key in (*found, *(info.key for info in longer)) if key.startswith(begins)][:limit]

    # --------------------------------------------------------------------------------------------------------- private

    def _note(self, thread_id: ThreadId) -> None:
        if len(self._changed) < MOST_CHANGED:
            self._changed.add(thread_id)
        else:
            self._read_s = None

    async def _refresh(self) -> None:
        async with self._reading:
            now_s = self._clock.elapsed()
            if self._read_s is None or now_s - self._read_s > SWEEP_S:
                await self._read_all()
                self._read_s = now_s
            # What somebody works on, or has just written to, also where no word of it came yet.
            ready = await self._store.find(kind=THREAD_KIND, ready=True, limit=_PAGE)
            changed, self._changed = self._changed | {ThreadId(info.key) for info in ready}, set()
            try:
                for thread_id in changed:
                    await self._take(thread_id, await self._store.head(thread_id))
            except StoreUnavailable:
                self._changed |= changed
                raise

    async def _read_all(self) -> None:
        self._changed.clear()
        rows: dict[ThreadId, ThreadEntry] = {}
        after, more = "", True
        while more:
            page = await self._store.find(kind=THREAD_KIND, after_key=after, limit=_PAGE)
            for info in page:
                row = await self._row(info)
                rows[row.thread_id] = row
            if len(rows) > 2 * MOST_ROWS:
                rows = {row.thread_id: row for row in heapq.nsmallest(MOST_ROWS, rows.values(), key=_place)}
            more = len(page) == _PAGE
            if more:
                after = page[-1].key
        self._rows = rows

    async def _take(self, thread_id: ThreadId, info: LogInfo | None) -> None:
        if info is None or info.head.kind != THREAD_KIND:
            self._rows.pop(thread_id, None)
            return
        self._rows[thread_id] = await self._row(info)
        if len(self._rows) > 2 * MOST_ROWS:
            self._rows = {row.thread_id: row for row in heapq.nsmallest(MOST_ROWS, self._rows.values(), key=_place)}

    async def _row(self, info: LogInfo) -> ThreadEntry:
        thread_id, state = ThreadId(info.key), await self._threads.with_inbox(info)
        if state is None:
            at_ms, agent = info.created_ms, info.head.agent
            return ThreadEntry(
                thread_id, at_ms, "chat", agent, "", "nobody", "", True, at_ms, "unreadable", info.last_seq, 0
            )
        known, (title, titled_by) = self._rows.get(thread_id), title_of(state)
        words = state.inbox.opening.words
        if not words and known is not None and known.created_ms == state.identity.created_ms:
            words = known.words  # it was looked for in the log before
            title, titled_by = (title, titled_by) if title or not words else (title_from(words), "words")
        return ThreadEntry(
            thread_id,
            state.updated_ms or state.identity.created_ms,
            kind_of(state),
            state.identity.agent,
            title,
            titled_by,
            words,
            state.context.tainted,
            state.identity.created_ms,  # the log of an imported thread is younger
            info.head.status,
            info.last_seq,
            len(state.inbox.waiting),
            state.held,
            state.identity.copies[-1] if state.identity.copies else None,
        )

    async def _with_words(self, row: ThreadEntry) -> ThreadEntry:
        """The row with what its thread's log begins with, where the head was written before heads said it."""
        if row.words or row.status == "unreadable" or row.last_seq < 2:
            return row
        try:
            entries = await self._threads.entries(row.thread_id, limit=_BEGINNING)
        except CorruptRecord:
            return row  # `sulla doctor` says what is wrong with it
        first = next((entry.fact for entry in entries if isinstance(entry.fact, Input)), None)
        if first is None:
            return row
        opening = opening_of(first)
        title, titled_by = (row.title, row.titled_by) if row.title else (title_from(opening.words), "words")
        kind: Kind = "schedule" if row.kind == "chat" and opening.origin == "beat" else row.kind
        changed = replace(row, title=title, titled_by=titled_by, words=opening.words, kind=kind)
        self._rows[row.thread_id] = changed
        return changed


def _place(row: ThreadEntry) -> Place:
    return row.place
