"""What was changed in one channel's book since it was written whole: a log, deleted when it is written whole again."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import CorruptRecord
from sulla.store.base import Store
from sulla.store.values import Draft, Grant, Head, Lease

KIND: Final = "channel_changes"
"""What the logs of changes are called."""
PAGE: Final = 512
"""Changes that are read at once."""


class HeldLog:
    """A log of which this daemon has the lease.

    Args:
        store: where it is kept.
        grant: the right to it.
    """

    def __init__(self, store: Store, grant: Grant) -> None:
        self._store = store
        self.lease = grant.lease
        self._looked = grant.last_seq
        self._write_no = 0

    async def write(self, head: Head, *drafts: Draft) -> None:
        """Keep records and the head, in one step and once: after a call that did not return, the same is asked again.

        Raises:
            StaleLease: another daemon has it now.
            StoreUnavailable: nobody knows whether they were kept.
        """
        number = self._write_no + 1
        await self._store.append(self.lease, number, drafts, head, self._looked)
        self._write_no = number

    async def renew(self) -> None:
        """Hold it for longer.

        Raises:
            StaleLease: another daemon has it now.
            StoreUnavailable: the store does not answer.
        """
        await self._store.renew(self.lease)

    async def release(self) -> None:
        """Give it back.

        Raises:
            StoreUnavailable: it could not be; the lease runs out by itself.
        """
        await self._store.release(self.lease)


class Journal:
    """One log of changes, while this daemon holds it. Made by `taken_up` and `begun`.

    Args:
        store: where it is kept.
        grant: the right to it.
    """

    def __init__(self, store: Store, grant: Grant) -> None:
        self._store = store
        self.log = HeldLog(store, grant)
        self.size_bytes = 0
        """Of the changes that are in it, as far as they were read or added."""
        self.whole_bytes = 0
        """Of the book that it goes on from, as that was written whole."""

    async def read(self) -> list[bytes]:
        """The changes that are in it, the oldest first. To be asked once.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        found, after = list[bytes](), 0
        while page := await self._store.read(self.log.lease.key, after=after, limit=PAGE):
            found += [record.body for record in page if not record.offered]
            after = page[-1].seq
        self.size_bytes = sum(map(len, found))
        return found

    async def add(self, changes: bytes) -> None:
        """Keep some changes, once: after a call that did not return, the same ones have to be added again.

        Raises:
            StaleLease: another daemon has it now.
            StoreUnavailable: nobody knows whether they were kept.
        """
        await self.log.write(Head(KIND), Draft("CHANGED", changes))
        self.size_bytes += len(changes)

    async def delete(self) -> None:
        """Remove it: what is in it is written elsewhere.

        Raises:
            StaleLease: another daemon has it now.
            StoreUnavailable: nobody knows whether it is gone.
        """
        await self._store.delete(self.log.lease)


async def taken_up(store: Store, key: str, owner: str, lease_s: float) -> Journal | None:
    """A journal that a book names; None where another daemon has it yet.

    Args:
        store: where it is kept.
        key: the log.
        owner: as leases name this daemon.
        lease_s: how long it is held without a renewal, in seconds.

    Raises:
        CorruptRecord: there is none.
        StoreUnavailable: the store does not answer.
    """
    grant = await store.acquire(key, owner, lease_s)
    if grant is not None:
        return Journal(store, grant)
    if await store.head(key) is None:
        raise CorruptRecord(f"{key} is gone, and with it what was changed in the book of the channel")
    return None


async def begun(store: Store, key: str, owner: str, lease_s: float, book: Lease) -> Journal | None:
    """A new and empty journal; None where another daemon has one of its name yet.

    Args:
        store: where it is to be kept.
        key: the log. What a kill has left of that name is removed; the book must not name it.
        owner: as leases name this daemon.
        lease_s: how long it is held without a renewal, in seconds.
        book: the right to the book.

    Raises:
        StaleLease: another daemon has the book now, or takes it.
        StoreUnavailable: the store does not answer.
    """
    left = await store.acquire(key, owner, lease_s)
    if left is not None:
        # In this order: the book is still ours after this journal became ours. Whoever takes the book later, and then
        # this journal to name it in the book, ends our right to remove it.
        await store.renew(book)
        await store.delete(left.lease)
    elif await store.head(key) is not None:
        return None
    await store.offer(key, "made", Draft("MADE", b""), digest=b"made" * 4, create=Head(KIND), wakes=False)
    grant = await store.acquire(key, owner, lease_s)
    return Journal(store, grant) if grant is not None else None
