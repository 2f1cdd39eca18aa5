"""Threads' states, from what the store keeps of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.store.values import Head, LogInfo, Record
from sulla.threads.head import from_head
from sulla.threads.log.records import Answer, ContinueAsked, Input, StopAsked
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.recent import RecentEntries
from sulla.threads.tail import load_offers, load_tail

WAKING: Final = frozenset(cls.kind for cls in (Input, StopAsked, ContinueAsked, Answer))
"""The offered records that wait to be dealt with. A playbook's order is none of them: it goes by its own log."""


class StateLoader:
    """Makes states of heads and records. Lives as long as the store of threads.

    Args:
        store: where the logs are.
        schema: what threads hold.
    """

    def __init__(self, store: Store, schema: ThreadSchema) -> None:
        self._store = store
        self._schema = schema
        self.recent = RecentEntries(schema)

    async def load(
        self,
        thread_id: ThreadId,
        head: Head,
        last_seq: int,
        ceiling_tokens: int | None,
        unread: list[int] | None = None,
    ) -> tuple[ThreadState, int, int]:
        """A thread's state, with its newest messages.

        Args:
            thread_id: which.
            head: its head.
            last_seq: the newest record.
            ceiling_tokens: as many messages as weigh this much; None for none, and no summary either.
            unread: takes the numbers of waiting inputs that cannot be read, which are left out; None if none may be.

        Returns:
            The state, the number of the last record in it, and the lease's number under which the head was written.

        Raises:
            CorruptRecord: what is kept cannot be read.
        """
        try:
            state, point = from_head(self._schema, thread_id, head)
        except CorruptRecord:
            if unread is None:
                raise
            return await self._replayed(thread_id, last_seq, unread), last_seq, 0
        seen = point.claimed
        while seen < last_seq and (records := await self._store.read(thread_id, after=seen, before=last_seq + 1)):
            self.fold(state, records, unread)
            seen = records[-1].seq
        # After what the head did not know: a summary among it says where the messages begin.
        if ceiling_tokens is None:
            await load_offers(self._store, self.recent, state, point, unread)
        else:
            await load_tail(self._store, self.recent, state, point, ceiling_tokens, last_seq)
        return state, seen, point.epoch

    async def with_inbox(self, info: LogInfo) -> ThreadState:
        """A thread's state without messages but for those that wait: heads only name these, and know nothing of what
        was offered since. Nothing is read where there is none.

        Args:
            info: its head.

        Raises:
            CorruptRecord: what is kept cannot be read.
        """
        state, point = from_head(self._schema, thread_id := ThreadId(info.key), info.head)
        if not point.pending and point.claimed >= info.last_seq:
            return state
        return (await self.load(thread_id, info.head, info.last_seq, None))[0]

    async def _replayed(self, thread_id: ThreadId, last_seq: int, unread: list[int]) -> ThreadState:
        """The state that all records add up to, where the head cannot be read; the next write makes another head."""
        state, seen = self._schema.new(thread_id), 0
        while seen < last_seq and (records := await self._store.read(thread_id, after=seen, before=last_seq + 1)):
            for record in records:
                if record.offered:
                    self.fold(state, [record], unread)
                elif (entry := self.recent.decode(record, thread_id)).fact is not None:
                    self._schema.decide(state, entry.fact, entry.origin)
            state.context.transcript.fit(0)
            seen = records[-1].seq
        return state

    def fold(self, state: ThreadState, records: Iterable[Record], unread: list[int] | None = None) -> None:
        """Take what was offered since the head was written into the state; `unread` as in `load`."""
        for record in records:
            if record.offered:
                try:
                    entry = self.recent.decode(record, state.thread_id)
                    if self._schema.is_offer(fact := entry.fact):
                        self._schema.offer(state, fact, entry.seq, entry.origin)
                except CorruptRecord:
                    if unread is None:
                        raise
                    if record.kind in WAKING:
                        unread.append(record.seq)
