"""The embedded default: one SQLite file, durable at each commit, nothing to install."""

from __future__ import annotations

from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.ids import MakeId
from sulla.store import rules
from sulla.store.bus import LocalBus
from sulla.store.checked import CheckedStore
from sulla.store.requests import AppendRequest, FindRequest, OfferRequest
from sulla.store.sqlite import steps
from sulla.store.sqlite.file import open_file, open_read_only
from sulla.store.sqlite.thread import SqliteThread
from sulla.store.values import Grant, Lease, LogInfo, Offered, Record


class SqliteStore(CheckedStore):
    """Implements `Store` in one file, for one process at a time (a daemon's lock on its home sees to that).

    Leases are timed by `Clock.elapsed`, which starts anew with the machine. That holds nobody up: a later boot of the
    same home takes over at once, and a lease with more time left than it ever had counts as run out.

    Args:
        path: the file; its folder exists.
        clock: for leases, times to live and due dates.
        make_id: for the incarnation of a new file.
        busy_timeout_s: how long a write waits for another process's, in seconds.
        read_only: the file lies where nothing can be written; all but reading fails.
    """

    def __init__(
        self, path: Path, clock: Clock, make_id: MakeId, *, busy_timeout_s: float = 5.0, read_only: bool = False
    ) -> None:
        self._clock = clock
        self._make_id = make_id
        self._bus = LocalBus()
        super().__init__(self._bus)
        self._read_only = read_only
        self._db = SqliteThread(path, busy_timeout_s, open_read_only if read_only else open_file)

    async def open(self) -> None:
        """Open the file; make or migrate it as needed. A second time does nothing.

        Raises:
            StoreUnavailable: it cannot be used; the message names it and says what to do.
        """
        await self._db.start()
        try:
            if not self._read_only:
                await self._db.write(lambda db: steps.settle_in(db, self._make_id("store"), self._clock))
        except BaseException:
            await self._db.stop()
            raise
        self._bus.open()

    async def close(self) -> None:
        """Finish what was asked, close the file, end all subscriptions."""
        self._bus.close()
        await self._db.stop()

    async def ping(self) -> None:
        """Prove that the file is there and can be written."""
        await self._db.write(steps.incarnation)

    async def incarnation(self) -> str:
        """The id that this file got when it was first made, as long as it is where it was."""
        return await self._db.read(steps.incarnation, in_place=True)

    # ---------------------------------------------------------------------------------------------------- logs

    async def _offer(self, offer: OfferRequest) -> Offered:
        return await self._db.write(lambda db: steps.offer(db, offer, self._clock))

    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None:
        lease = Lease(key, owner, 0, ttl_s)
        # A power cut ends the holder too, so whether it held a lease need not be on the disk.
        return await self._db.write(lambda db: steps.acquire(db, lease, after, self._clock), synced=False)

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; see `Store.renew`."""
        await self._db.write(lambda db: steps.renew(db, lease, self._clock), synced=False)

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours."""
        await self._db.write(lambda db: steps.release(db, lease), synced=False)

    async def _append(self, write: AppendRequest) -> int:
        return await self._db.write(lambda db: steps.append(db, write))

    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]:
        end = steps.END if before is None else before
        return await self._db.read(lambda db: steps.read(db, key, after, end, limit, reverse=reverse))

    async def _head(self, key: str) -> LogInfo | None:
        log = await self._db.read(lambda db: steps.load(db, key))
        return rules.info_of(key, log, self._clock) if log is not None else None

    async def _find(self, question: FindRequest) -> list[LogInfo]:
        return await self._db.read(lambda db: steps.find(db, question, self._clock))

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        return await self._db.write(lambda db: steps.delete(db, lease, last_seq))

    # -------------------------------------------------------------------------------------------------- values

    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None:
        await self._db.write(lambda db: steps.put(db, key, value, ttl_s, self._clock))

    async def _swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool:
        return await self._db.write(lambda db: steps.swap(db, key, old, new, ttl_s, self._clock))

    async def _get(self, key: str) -> bytes | None:
        return await self._db.read(lambda db: steps.get(db, key, self._clock))

    async def _remove(self, key: str) -> bool:
        return await self._db.write(lambda db: steps.remove(db, key, self._clock))

    # ----------------------------------------------------------------------------------------------------- bus

    def is_heard(self, channel: str) -> bool:
        """Whether anybody listens on a channel."""
        return self._bus.is_heard(channel)
