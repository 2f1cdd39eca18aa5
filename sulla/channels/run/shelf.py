"""Keeps a channel's book in the store, for one daemon at a time: whoever has the lease on it has the channel.

The book is written whole now and then, into the head of its log. What is changed after that goes into a journal, one
record for all that a step changed, so that a message costs what it changes and not what is there. The head names the
journal that goes on from it, and both are replaced in one write: a kill leaves the old pair or the new one.
"""

from __future__ import annotations

import asyncio
from typing import Final

from sulla.channels.machine.book import Book, decode, encode, encode_changes, with_changes, written
from sulla.channels.run.journal import HeldLog, Journal, begun, taken_up
from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, StaleLease, StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import Draft, Head

KIND: Final = "channel"
"""What the logs of books are called. They hold one record, and all that counts in their head."""
LEASE_S: Final = 30.0
"""How long another daemon waits for a channel whose holder has died, in seconds."""
LEAST_BYTES: Final = 256 * 1024
"""A journal that is larger than this, and than the book as it was written whole, ends: so writing the book whole costs
about what writing the journal did, and little more than twice the book is kept."""
_NAMES: Final = ("a", "b")
"""Of journals: one of the two counts, the other one is not there, or is being made or removed."""


class Shelf:
    """One channel's book, while this daemon holds it. Made for each time that it takes the channel up.

    Args:
        store: where it is kept.
        clock: all time.
        owner: as leases name this daemon.
        name: the channel's.
        lease_s: see `LEASE_S`.
        least_bytes: see `LEAST_BYTES`.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: str,
        name: str,
        *,
        lease_s: float = LEASE_S,
        least_bytes: int = LEAST_BYTES,
    ) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._name = name
        self._lease_s = lease_s
        self._least_bytes = least_bytes
        self._log: HeldLog | None = None
        self._journal: Journal | None = None
        self._unwritten = b""
        """Changes of which nobody knows whether they are in the journal."""
        self._lock = asyncio.Lock()
        self.book = Book()
        self._written = written(self.book)

    async def open(self) -> bool:
        """Take the channel up; whether no other daemon holds it. To be closed in any case.

        Raises:
            StoreUnavailable: the store does not answer.
            CorruptRecord: the book cannot be read.
        """
        key, draft = f"{KIND}:{self._name}", Draft(KIND.upper(), b"{}")
        await self._store.offer(key, "made", draft, digest=b"made" * 4, create=Head(KIND), wakes=False)
        grant = await self._store.acquire(key, self._owner, self._lease_s)
        if grant is None:
            return False
        self._log = HeldLog(self._store, grant)
        await self._read(self._log, grant.head.body)
        if self._journal is None:  # whoever had the channel before has it for a moment yet
            await self.close()
        return self._log is not None

    async def keep(self) -> None:
        """The book as it is now is kept when this returns. Several who ask at once are served by one write.

        Raises:
            StaleLease: another daemon has the channel now.
            StoreUnavailable: nobody knows whether it was kept: open it anew.
        """
        async with self._lock:
            _, journal = self._held()
            if self._unwritten:
                await journal.add(self._unwritten)
            self._unwritten = self._changes()
            if self._unwritten:
                await journal.add(self._unwritten)
                self._unwritten = b""

    async def shorten(self) -> None:
        """End the journal if it became too large.

        Raises:
            StaleLease: another daemon has the channel now.
            StoreUnavailable: nobody knows whether the book was written: open it anew.
        """
        async with self._lock:
            log, journal = self._held()
            if journal.size_bytes > max(self._least_bytes, journal.whole_bytes):
                await self._write_whole(log)

    async def hold(self) -> None:
        """Renew the lease, and shorten what is kept, until cancelled.

        Raises:
            StaleLease: another daemon has the channel now.
            StoreUnavailable: the store does not answer.
        """
        while self._log is not None:
            await self.shorten()
            await self._clock.sleep(self._lease_s / 3)
            if self._log is not None:
                log, journal = self._held()
                await journal.log.renew()  # first: whoever finds the book free finds the journal free
                await log.renew()

    async def close(self) -> None:
        """Give the channel back: another daemon may take it up at once.

        Raises:
            StoreUnavailable: it could not be; the lease runs out by itself.
        """
        (log, journal), self._log, self._journal = (self._log, self._journal), None, None
        if journal is not None:
            await journal.log.release()
        if log is not None:
            await log.release()

    # ------------------------------------------------------------------------------------------------------- private

    def _held(self) -> tuple[HeldLog, Journal]:
        if self._log is None:
            raise StaleLease(f"{KIND}:{self._name} was given back: keep nothing more")
        if self._journal is None:
            raise StoreUnavailable(f"{KIND}:{self._name}: nobody knows which journal it names: open it anew")
        return self._log, self._journal

    def _key(self, name: str) -> str:
        return f"{KIND}_changes:{self._name}:{name}"

    def _changes(self) -> bytes:
        """What was changed since this was asked last."""
        changes, self._written = encode_changes(self.book, self._written), written(self.book)
        return changes

    async def _read(self, log: HeldLog, body: bytes) -> None:
        """Read the book; without a journal where another daemon has that yet."""
        name, _, whole = body.rpartition(b"\n")
        book = decode(whole)
        if name:
            if (at := name.decode("ascii", "replace")) not in _NAMES:
                raise CorruptRecord(f"the book of the channel {self._name} names a journal {at[:20]!r}: there is none")
            journal = self._journal = await taken_up(self._store, self._key(at), self._owner, self._lease_s)
            for changes in await journal.read() if journal is not None else ():
                book = with_changes(book, changes)
        self.book = book
        self._changes()  # they are written
        if self._journal is not None:
            self._journal.whole_bytes = len(whole)
        elif not name:  # it is new, or of a version that wrote it whole each time
            await self._write_whole(log)

    async def _write_whole(self, log: HeldLog) -> None:
        """Write the book whole and begin another journal; not now where another daemon has one of its name yet."""
        before = self._journal
        used = before.log.lease.key if before is not None else ""
        key = next(key for key in map(self._key, _NAMES) if key != used)
        journal = await begun(self._store, key, self._owner, self._lease_s, log.lease)
        if journal is None:
            return
        whole = encode(self.book)
        self._changes()
        self._unwritten, self._journal = b"", None  # until it is known which of them the head names
        await log.write(Head(KIND, body=key.rpartition(":")[2].encode() + b"\n" + whole))
        self._journal, journal.whole_bytes = journal, len(whole)
        if before is not None:
            await before.delete()
