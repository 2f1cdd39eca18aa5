"""The embedded default: one SQLite file, durable at each commit, nothing to install."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.ids import MakeId
from sulla.store import rules
from sulla.store.asks import (
    AppendRequest,
    FindRequest,
    OfferRequest,
    check_lease,
    check_limit,
    check_name,
    check_swap,
    check_value,
)
from sulla.store.base import Subscription
from sulla.store.bus import LocalBus
from sulla.store.sqlite import steps
from sulla.store.sqlite.thread import SqliteThread
from sulla.store.values import Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status


class SqliteStore:
    """Implements `Store` in one file, for one process at a time (a daemon's lock on its home sees to that).

    Leases are timed by `Clock.elapsed`, which starts anew with the machine. That holds nobody up: a later boot of the
    same home takes over at once, and a lease with more time left than it ever had counts as run out.

    Args:
        path: the file; its folder exists.
        clock: for leases, times to live and due dates.
        make_id: for the incarnation of a new file.
        busy_timeout_s: how long a write waits for another process's, in seconds.
    """

    def __init__(self, path: Path, clock: Clock, make_id: MakeId, *, busy_timeout_s: float = 5.0) -> None:
        self._clock = clock
        self._make_id = make_id
        self._bus = LocalBus()
        self._db = SqliteThread(path, busy_timeout_s)

    async def open(self) -> None:
        """Open the file; make or migrate it as needed. A second time does nothing.

        Raises:
            StoreUnavailable: it cannot be used; the message names it and says what to do.
        """
        await self._db.start()
        try:
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
        """The id that this file got when it was first made."""
        return await self._db.read(steps.incarnation)

    # ---------------------------------------------------------------------------------------------------- logs

    async def offer(
        self,
        key: str,
        dedupe_id: str,
        draft: Draft,
        *,
        digest: bytes,
        create: Head | None = None,
        wakes: bool = True,
        max_waiting: int | None = None,
    ) -> Offered:
        """Add an input to a log, once; see `Store.offer`."""
        offer = OfferRequest(key, dedupe_id, draft, digest, create, wakes, max_waiting)
        return await self._db.write(lambda db: steps.offer(db, offer, self._clock))

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        """Take the lease of a log; see `Store.acquire`."""
        check_name("key", key)
        check_lease(owner, ttl_s)
        lease = Lease(key, owner, 0, ttl_s)
        # A power cut ends the holder too, so whether it held a lease need not be on the disk.
        return await self._db.write(lambda db: steps.acquire(db, lease, after, self._clock), synced=False)

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; see `Store.renew`."""
        await self._db.write(lambda db: steps.renew(db, lease, self._clock), synced=False)

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours."""
        await self._db.write(lambda db: steps.release(db, lease), synced=False)

    async def append(
        self,
        lease: Lease,
        write_no: int,
        drafts: Sequence[Draft],
        head: Head,
        claimed: int,
        *,
        release: bool = False,
    ) -> int:
        """Add decided records and replace the head; see `Store.append`."""
        write = AppendRequest(lease, write_no, tuple(drafts), head, claimed, release)
        return await self._db.write(lambda db: steps.append(db, write))

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Records of a log; see `Store.read`."""
        check_name("key", key)
        check_limit(limit)
        end = steps.END if before is None else before
        return await self._db.read(lambda db: steps.read(db, key, after, end, limit, reverse=reverse))

    async def head(self, key: str) -> LogInfo | None:
        """The log's head and whereabouts, or None if there is no such log."""
        check_name("key", key)
        log = await self._db.read(lambda db: steps.load(db, key))
        return rules.info_of(key, log, self._clock) if log is not None else None

    async def find(
        self,
        *,
        ready: bool | None = None,
        kind: str | None = None,
        status: Status | None = None,
        due_before_ms: int | None = None,
        after_key: str = "",
        limit: int = 100,
    ) -> list[LogInfo]:
        """Logs that meet every given condition; see `Store.find`."""
        question = FindRequest(ready, kind, status, due_before_ms, after_key, limit)
        return await self._db.read(lambda db: steps.find(db, question, self._clock))

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds; see `Store.delete`."""
        return await self._db.write(lambda db: steps.delete(db, lease, last_seq))

    # -------------------------------------------------------------------------------------------------- values

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        """Keep a small value, for `ttl_s` seconds or until removed."""
        check_value(key, value)
        await self._db.write(lambda db: steps.put(db, key, value, ttl_s, self._clock))

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        """Keep a small value if nobody has kept another one meanwhile; see `Store.swap`."""
        check_swap(key, old, new)
        return await self._db.write(lambda db: steps.swap(db, key, old, new, ttl_s, self._clock))

    async def get(self, key: str) -> bytes | None:
        """The value, or None if there is none or its time is over."""
        check_name("key", key)
        return await self._db.read(lambda db: steps.get(db, key, self._clock))

    async def remove(self, key: str) -> bool:
        """Forget a value; whether there was one."""
        check_name("key", key)
        return await self._db.write(lambda db: steps.remove(db, key, self._clock))

    # ----------------------------------------------------------------------------------------------------- bus

    def publish(self, channel: str, payload: bytes) -> None:
        """Tell whoever listens now; see `Store.publish`."""
        self._bus.publish(channel, payload)

    def is_heard(self, channel: str) -> bool:
        """Whether anybody listens on a channel."""
        return self._bus.is_heard(channel)

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """Listen on a channel for as long as the block lasts."""
        return self._bus.subscribe(channel)
