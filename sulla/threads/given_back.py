"""Leases that end without a write and are no crash of whoever had them."""

from __future__ import annotations

from typing import Final

from sulla.core.ids import ThreadId
from sulla.store.base import Store

_TTL_S: Final = 5.0
"""How long a lease holds that is given back at once, in seconds."""


class GivenBack:
    """Counts them by thread, since the thread was last worked on; see `LoadedThread.fruitless`.

    It lives as long as the daemon.
    """

    def __init__(self) -> None:
        self._counts: dict[ThreadId, int] = {}

    def note(self, thread_id: ThreadId) -> None:
        """One more."""
        self._counts[thread_id] = self.of(thread_id) + 1

    def of(self, thread_id: ThreadId) -> int:
        """How many there were."""
        return self._counts.get(thread_id, 0)

    def forget(self, thread_id: ThreadId) -> None:
        """Something was written."""
        self._counts.pop(thread_id, None)


async def free_lease(store: Store, given_back: GivenBack, thread_id: ThreadId, home: str, boot: str) -> None:
    """End the lease that a home has left on a thread; nothing happens if another one has it.

    Args:
        store: where the thread is.
        given_back: counts the lease that this takes.
        thread_id: the thread.
        home: the id of a home that is dead. Should it live after all, it writes nothing more to this thread.
        boot: the second part of our own name for leases.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    info = await store.head(thread_id)
    if info is None or not info.held:
        return
    # A later boot of a home gets what an earlier one has, so this one takes it as if that home had begun anew.
    if (grant := await store.acquire(thread_id, f"{home}:{boot}", _TTL_S)) is not None:
        given_back.note(thread_id)
        await store.release(grant.lease)
