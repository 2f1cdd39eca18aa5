"""Takes threads' leases, also one that the store may have given without saying so."""

from __future__ import annotations

from typing import Final

from sulla.core.ids import ThreadId
from sulla.store.base import Store
from sulla.store.values import Grant
from sulla.threads.given_back import GivenBack

MOST_UNSURE: Final = 10_000
"""So many are remembered; of any more it is waited until they run out."""


_AGAIN: Final = "+"


def daemon_of(owner: str) -> str:
    """The daemon that has a lease.

    Args:
        owner: the name that the lease is under.
    """
    return owner.partition(_AGAIN)[0]


class LeaseTaker:
    """Takes leases in one daemon's name. It lives as long as the daemon.

    While a store is away, what it was asked may still be done, and its answer is lost: a lease is then given to
    somebody who does not know, and everybody, that one too, would wait until it has run out.

    Args:
        store: gives them.
        owner: the daemon's name for leases.
        ttl_s: how long one holds without renewal, in seconds.
        given_back: counts those that were given so; nobody crashed under them.
    """

    def __init__(self, store: Store, owner: str, ttl_s: float, given_back: GivenBack) -> None:
        self._store = store
        self._owner = owner
        self._ttl_s = ttl_s
        self._given_back = given_back
        self._unsure: set[ThreadId] = set()
        """Threads whose lease was asked for, and whose last answer was lost."""
        self._names: dict[ThreadId, str] = {}
        """The names under which leases were taken over. A thread keeps its name: under another one, whoever asks
        whether it is worked on, as before a deletion, would take it away from who does.
        """
        self._number = 0

    async def take(self, thread_id: ThreadId, after: int | None = None) -> Grant | None:
        """Take one; see `Store.acquire`.

        Only for a thread that nobody in this daemon works on.

        Raises:
            StoreUnavailable: it may have been given all the same.
        """
        owner = self._names.get(thread_id, self._owner)
        try:
            grant = await self._store.acquire(thread_id, owner, self._ttl_s, after=after)
            if grant is None and thread_id in self._unsure:
                grant = await self._take_over(thread_id, after)
        except BaseException:
            if len(self._names) + len(self._unsure) < MOST_UNSURE:
                self._unsure.add(thread_id)
            raise
        self._unsure.discard(thread_id)
        return grant

    async def _take_over(self, thread_id: ThreadId, after: int | None) -> Grant | None:
        """Take it as a later boot of this home, which gets what an earlier one has and nothing of anybody else's."""
        self._number += 1
        owner = self._names[thread_id] = f"{self._owner}{_AGAIN}{self._number}"
        try:
            grant = await self._store.acquire(thread_id, owner, self._ttl_s, after=after)
        except BaseException:
            self._given_back.note(thread_id)
            raise
        if grant is not None:
            self._given_back.note(thread_id)
        return grant
