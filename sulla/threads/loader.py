"""Threads' states, from what the store keeps of them."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.store.values import Head, Record
from sulla.threads.head import from_head
from sulla.threads.log.schema import ThreadSchema
from sulla.threads.log.state import ThreadState
from sulla.threads.recent import RecentEntries
from sulla.threads.tail import load_offers, load_tail


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
        self, thread_id: ThreadId, head: Head, last_seq: int, ceiling_tokens: int | None
    ) -> tuple[ThreadState, int, int]:
        """A thread's state, with its newest messages.

        Args:
            thread_id: which.
            head: its head.
            last_seq: the newest record.
            ceiling_tokens: as many messages as weigh this much; None for none, and no summary either.

        Returns:
            The state, the number of the last record in it, and the lease's number under which the head was written.

        Raises:
            CorruptRecord: what is kept cannot be read.
        """
        state, point = from_head(self._schema, thread_id, head)
        seen = point.claimed
        while seen < last_seq and (records := await self._store.read(thread_id, after=seen, before=last_seq + 1)):
            self.fold(state, records)
            seen = records[-1].seq
        # After what the head did not know: a summary among it says where the messages begin.
        if ceiling_tokens is None:
            await load_offers(self._store, self.recent, state, point)
        else:
            await load_tail(self._store, self.recent, state, point, ceiling_tokens, last_seq)
        return state, seen, point.epoch

    def fold(self, state: ThreadState, records: Iterable[Record]) -> None:
        """Take what was offered since the head was written into the state."""
        for record in records:
            if record.offered:
                entry = self.recent.decode(record, state.thread_id)
                if self._schema.is_offer(fact := entry.fact):
                    self._schema.offer(state, fact, entry.seq, entry.origin)
