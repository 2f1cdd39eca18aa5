"""Keeps a channel's book in the store, for one daemon at a time: whoever has the lease on it has the channel."""

from __future__ import annotations

import asyncio
from typing import Final

from sulla.channels.machine.book import Book, decode, encode
from sulla.core.clock import Clock
from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.values import Draft, Head, Lease

KIND: Final = "channel"
"""What the logs of books are called. They hold one record, and all that counts in their head."""
LEASE_S: Final = 30.0
"""How long another daemon waits for a channel whose holder has died, in seconds."""


class Shelf:
    """One channel's book, while this daemon holds it. Made for each time that it takes the channel up.

    Args:
        store: where it is kept.
        clock: all time.
        owner: as leases name this daemon.
        name: the channel's.
        lease_s: see `LEASE_S`.
    """

    def __init__(self, store: Store, clock: Clock, owner: str, name: str, lease_s: float = LEASE_S) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner
        self._key = f"{KIND}:{name}"
        self._lease_s = lease_s
        self._lease: Lease | None = None
        self._claimed = 0
        self._write_no = 0
        self._wanted = 0
        self._written = 0
        self._lock = asyncio.Lock()
        self.book = Book()

    async def open(self) -> bool:
        """Take the channel up; whether no other daemon holds it.

        Raises:
            StoreUnavailable: the store does not answer.
            CorruptRecord: the book cannot be read.
        """
        draft = Draft(KIND.upper(), b"{}")
        await self._store.offer(self._key, "made", draft, digest=b"made" * 4, create=Head(KIND), wakes=False)
        grant = await self._store.acquire(self._key, self._owner, self._lease_s)
        if grant is None:
            return False
        self._lease, self._claimed = grant.lease, grant.last_seq
        self.book = decode(grant.head.body)
        return True

    async def keep(self) -> None:
        """The book as it is now is kept when this returns. Several who ask at once are served by one write.

        Raises:
            StaleLease: another daemon has the channel now.
            StoreUnavailable: nobody knows whether it was kept: open it anew.
        """
        self._wanted += 1
        mine = self._wanted
        async with self._lock:
            if self._written >= mine:
                return
            if self._lease is None:
                raise StaleLease(f"{self._key} was given back: keep nothing more")
            upto, self._write_no = self._wanted, self._write_no + 1
            head = Head(KIND, body=encode(self.book))
            await self._store.append(self._lease, self._write_no, (), head, self._claimed)
            self._written = upto

    async def hold(self) -> None:
        """Renew the lease until cancelled.

        Raises:
            StaleLease: another daemon has the channel now.
            StoreUnavailable: the store does not answer.
        """
        while self._lease is not None:
            await self._clock.sleep(self._lease_s / 3)
            if self._lease is not None:
                await self._store.renew(self._lease)

    async def close(self) -> None:
        """Give the channel back: another daemon may take it up at once.

        Raises:
            StoreUnavailable: it could not be; the lease runs out by itself.
        """
        lease, self._lease = self._lease, None
        if lease is not None:
            await self._store.release(lease)
