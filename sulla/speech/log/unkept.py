"""Entries that wait to be written to a log of speech, and those who wait for that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from sulla.core.errors import StoreUnavailable


class UnkeptEntries:
    """Entries in their order, from 1, and whoever waits until they are kept. Lives as long as its log."""

    def __init__(self) -> None:
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self.pending: list[bytes] = []
        self.bytes = 0
        """How much that is."""
        self.added = 0
        """The number of the last entry that came."""
        self.written = 0
        """The number of the last one that is kept."""
        self.more = asyncio.Event()
        """Set when there is something to look at."""

    def add(self, packed: bytes) -> int:
        """One more; its number."""
        self.pending.append(packed)
        self.bytes += len(packed)
        self.added += 1
        self.more.set()
        return self.added

    def take(self) -> tuple[list[bytes], int]:
        """All that waits to be written, and the number of the last of it."""
        packed, self.pending, self.bytes = self.pending, [], 0
        return packed, self.added

    async def kept(self, place: int) -> None:
        """Return when everything up to there is kept.

        Raises:
            StoreUnavailable: an attempt failed.
        """
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((place, waiter))
        await waiter

    def done(self, place: int) -> None:
        """Everything up to there is kept."""
        self.written = place
        for waiter in self._sorted_out(place):
            waiter.set_result(None)

    def fail(self, why: str) -> None:
        """Nobody needs to wait now, also not for what waits behind what was tried."""
        for waiter in self._sorted_out(self.added):
            waiter.set_exception(StoreUnavailable(f"it could not be kept ({why}); send it again", retry_after_s=1.0))

    def _sorted_out(self, place: int) -> Iterable[asyncio.Future[None]]:
        """Those who wait for anything up to there, and still wait; they wait no more."""
        waiters, self._waiters = self._waiters, []
        self._waiters = [one for one in waiters if one[0] > place]
        return [waiter for at, waiter in waiters if at <= place and not waiter.done()]
