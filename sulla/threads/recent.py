"""The records that were opened last: all who follow a thread in this process share one reading of each. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.store.values import Draft, Record
from sulla.threads.log.codec import Entry
from sulla.threads.log.schema import ThreadSchema

LARGEST_BYTES = 256 * 1024
"""A record with a larger body is opened for each reader: it would push out all the others."""
_KEPT_BYTES = 4 * 1024 * 1024
_KEPT = 2048


class RecentEntries:
    """Opens records, and keeps what was opened last. Lives as long as the store of threads; its entries are shared, so
    nobody may change their data.

    Args:
        schema: what threads hold.
        kept_bytes: bound of the bodies whose entries are kept.
    """

    def __init__(self, schema: ThreadSchema, kept_bytes: int = _KEPT_BYTES) -> None:
        self.schema = schema
        self._kept_bytes = kept_bytes
        self._entries: OrderedDict[tuple[str, int], tuple[bytes, Entry]] = OrderedDict()
        self._bytes = 0

    def decode(self, record: Record, thread_id: str) -> Entry:
        """A record, opened; see `ThreadSchema.decode`.

        Args:
            record: what the store gave.
            thread_id: the log it is from.

        Raises:
            CorruptRecord: the bytes are not what was written.
        """
        key = thread_id, record.seq
        found = self._entries.get(key)
        # A thread that is deleted and made again under its name counts from 1 again: the bytes decide.
        if found is not None and found[0] == record.body:
            self._entries.move_to_end(key)
            return found[1]
        entry = self.schema.decode(record, thread_id)
        self._drop(key)
        if len(record.body) <= LARGEST_BYTES:
            self._entries[key] = record.body, entry
            self._bytes += len(record.body)
            while self._bytes > self._kept_bytes or len(self._entries) > _KEPT:
                self._drop(next(iter(self._entries)))
        return entry

    def written(self, thread_id: str, drafts: Sequence[Draft], last: int, *, offered: bool) -> JustWritten | None:
        """What was kept a moment ago; None if it is too large to be passed on.

        Args:
            thread_id: the log that it was added to.
            drafts: it, in order.
            last: the number of the last one.
            offered: whether it is an input.
        """
        if sum(len(draft.body) for draft in drafts) > LARGEST_BYTES:
            return None
        first = last - len(drafts) + 1
        records = [Record(seq, draft.kind, offered, draft.body) for seq, draft in enumerate(drafts, first)]
        return JustWritten(thread_id, records, self)

    def _drop(self, key: tuple[str, int]) -> None:
        if (found := self._entries.pop(key, None)) is not None:
            self._bytes -= len(found[0])


@dataclass(frozen=True, slots=True)
class JustWritten:
    """Records that were kept in this process a moment ago, to be opened if somebody wants them. Lives as long as the
    signal that has it.
    """

    thread_id: str
    records: Sequence[Record]
    """In order, without a hole."""
    recent: RecentEntries

    def entries(self) -> list[Entry]:
        """They, opened once for all who ask."""
        return [self.recent.decode(record, self.thread_id) for record in self.records]
