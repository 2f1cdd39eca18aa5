"""A copy of a conversation as it was before a record, in the store of a running daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.ids import ThreadId
from sulla.threads.archive.lines import Sealer, event_of
from sulla.threads.archive.restore import Restored, ThreadRestore
from sulla.threads.archive.turn_begin import Renumbered, TurnBegin
from sulla.threads.log.codec import Entry
from sulla.threads.log.family import MOST_COPIES, CopyOf
from sulla.threads.log.records import ThreadCreated
from sulla.threads.store import ThreadStore

MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a conversation that is copied; it is held in memory meanwhile."""
_PAGE: Final = 512


class ThreadForks:
    """Makes copies, one at a time. Lives as long as the daemon.

    A copy is written as an import is: whole, or removed when the store is opened next.

    Args:
        threads: reads what is copied.
        restore: writes the copies.
        clock: for when each was made.
    """

    def __init__(self, threads: ThreadStore, restore: ThreadRestore, clock: Clock) -> None:
        self._threads = threads
        self._clock = clock
        self._restore = restore
        self._one_at_a_time = asyncio.Lock()  # the store has one note of what is half written

    async def fork(self, thread_id: ThreadId, before: int, copy_as: ThreadId) -> Restored:
        """Copy a conversation as it was. What was under way then does not go on in the copy.

        Args:
            thread_id: the conversation.
            before: the number of the first record that is left out; at least 2.
            copy_as: the copy; where there is such a thread already, nothing is done.

        Raises:
            InvalidInput: nothing would be left, or it is no conversation of a person's.
            TooLarge: there is too much of it.
            NotFound: there is no such thread.
            CorruptRecord: it cannot be read.
            StoreUnavailable: the store gave up.
        """
        if before < 2:
            raise InvalidInput("before its first record there is no conversation: begin a new one")
        return await self._copy(thread_id, before, (), copy_as)

    async def fork_before_turn(self, thread_id: ThreadId, message_seq: int, copy_as: ThreadId) -> Restored:
        """Copy a conversation as it was before a message's turn began: with all that was answered until then, and
        without the message and those that were queued behind it.

        Args:
            thread_id: the conversation.
            message_seq: the number of the message.
            copy_as: the copy; where there is such a thread already, nothing is done.

        Raises: as `fork`.
        """
        begin, after, found = TurnBegin(message_seq), message_seq - 1, False
        while not found and (page := await self._threads.entries(thread_id, after=after, limit=_PAGE)):
            found, after = any(begin.take(entry) for entry in page), page[-1].seq
        return await self._copy(thread_id, begin.before, begin.waiting, copy_as)

    async def _copy(self, thread_id: ThreadId, before: int, left_out: Collection[int], copy_as: ThreadId) -> Restored:
        async with self._one_at_a_time:
            lines = await self._lines(thread_id, before, Renumbered(left_out))
            return await self._restore.restore(lambda: lines, copy_as=copy_as)

    async def _lines(self, thread_id: ThreadId, before: int, renumbered: Renumbered) -> list[bytes]:
        sealer = Sealer(thread_id)
        lines, size, after = [sealer.first()], 0, 0
        while page := await self._threads.entries(thread_id, after=after, before=before, limit=_PAGE):
            after = page[-1].seq
            for entry in filter(None, map(renumbered.take, page)):
                if isinstance(entry.fact, ThreadCreated):
                    entry = await self._said_copy(thread_id, entry, entry.fact, renumbered.newest(before), renumbered)
                lines.append(sealer.event(event_of(thread_id, entry)))
                size += len(lines[-1])
            if size > MOST_BYTES:
                raise TooLarge(
                    f"the conversation has more than {MOST_BYTES >> 20} MiB before record {before}: export it with "
                    "`sulla thread export`, stop the daemon, and import it with `--as-new`"
                )
        return [*lines, sealer.last()]

    async def _said_copy(
        self, thread_id: ThreadId, entry: Entry, created: ThreadCreated, newest: int, renumbered: Renumbered
    ) -> Entry:
        """The first record of the copy, which says what it is one of."""
        (last,) = await self._threads.entries(thread_id, after=newest - 1, before=newest + 1, limit=1)
        copy = CopyOf(thread_id, renumbered.new(newest), last.origin.at_ms, round(self._clock.now() * 1000))
        copies = (*created.copies[1 - MOST_COPIES :], copy)
        return replace(entry, data=replace(created, copies=copies).data())
