"""One seam for everything kept: logs with leases, small expiring values, and a lossy bus.

Each method is one atomic step in its backend. A *log* is append-only. Anyone may `offer` an input to it; only the
holder of its lease may `append` what was decided (design §3). What a record's body means is the business of the
capability that owns the log; the store looks at the `Head` alone. Pure.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sulla.store.values import Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status


class Subscription(Protocol):
    """One listener on the bus. Bounded: what it is too slow for is dropped, and `lagged` says so."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def __anext__(self) -> bytes: ...

    @property
    def lagged(self) -> bool:
        """Whether anything was dropped since the last look; looking resets it."""

    def attach(self, hear: Callable[[bytes | None], None]) -> None:
        """From now on hand over each message at once, in the step of whoever brings it, instead of queueing it.

        For those to whom a task switch for each message is too much. What is queued already comes first.

        Args:
            hear: takes a message, and None when no more will come. Must return at once, and never raises.
        """


class Store(Protocol):
    """The promise that every backend keeps; `tests/kits/store_kit.py` says what it means.

    Every method but `publish` may raise ``StoreUnavailable``. Then nothing was kept, or (seldom: the answer got lost)
    all of it: repeat the call with the same ids, and it is kept once. A call whose asker is cancelled may be carried
    out all the same. A name that is no good raises ``InvalidInput`` and a body over `MAX_BODY_BYTES` ``TooLarge``;
    nothing has changed then.
    """

    async def open(self) -> None:
        """Connect, create or migrate.

        Raises:
            StoreUnavailable: the store cannot be reached or used; the message says where and what to do.
        """

    async def close(self) -> None:
        """Finish what was asked, let go of everything and end all subscriptions; a second close does nothing."""

    async def ping(self) -> None:
        """Prove that the store answers."""

    async def incarnation(self) -> str:
        """The id that this store got when it was first made; another one means another (or an emptied) store."""

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
        """Add an input to a log, once.

        Args:
            key: the log.
            dedupe_id: the sender's id for this input; known for as long as the log lives.
            draft: the input.
            digest: what identifies the content; a known `dedupe_id` must come with the same one.
            create: the head to create the log with if there is none; None to refuse then.
            wakes: whether the log becomes ready by it.
            max_waiting: refuse if this many waking inputs wait already; a known `dedupe_id` is answered all the same.

        Returns:
            The input's sequence number, and whether this call added it.

        Raises:
            MessageIdReused: `dedupe_id` is known with another digest.
            NotFound: there is no such log and `create` is None.
            QueueFull: `max_waiting` is reached; nothing was added or created.
        """

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        """Take the lease of a log.

        It is free if nobody holds it, if it has run out by the store's clock, or if its holder is an earlier boot of
        the same home (the same part before the ``:``, another behind it): a home has one daemon at a time.

        Args:
            key: the log.
            owner: ``<home id>:<boot nonce>``.
            ttl_s: how long it holds without renewal, in seconds.
            after: also return the records behind this sequence number (at most 512; read on if there are more).

        Returns:
            The grant, or None if the log is held or does not exist.
        """

    async def renew(self, lease: Lease) -> None:
        """Start the lease's time anew; an expired lease that nobody took comes back to life.

        Raises:
            StaleLease: somebody else holds it, it was released, or the log is gone.
        """

    async def release(self, lease: Lease) -> None:
        """Give the lease back if it is still ours; otherwise do nothing."""

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
        """Add decided records and replace the head, if the lease is still ours.

        Compared is the (epoch, owner) kept in the log: an expired lease that nobody took may still write, a taken or
        released one never.

        Args:
            lease: the lease under which it was decided.
            write_no: 1, 2, 3 … within this lease; a repeated one returns the first answer and changes nothing.
            drafts: the records, which get consecutive numbers; may be empty.
            head: the new head.
            claimed: up to which record the writer has looked for inputs; never falls (a lower one changes nothing).
            release: give the lease back in the same step.

        Returns:
            The sequence number of the last record added (of the log's last record if `drafts` is empty). If it is not
            the writer's last known number plus ``len(drafts)``, inputs lie in between.

        Raises:
            StaleLease: somebody else holds the log, the lease was released, or the log is gone.
            ValueError: `write_no` is neither the last one nor the next one, or `claimed` is beyond the log.
        """

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Records with ``after < seq < before``, lowest first (highest first if `reverse`), at most `limit`.

        `limit` is 1 or more. A log that does not exist reads as empty; `head` tells the difference.
        """

    async def head(self, key: str) -> LogInfo | None:
        """The log's head and whereabouts, or None if there is no such log."""

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
        """Logs that meet every given condition, by key, at most `limit`; page with `after_key`.

        Args:
            ready: True for ready ones, False for the others.
            kind: only logs of this kind.
            status: only logs with this status.
            due_before_ms: only logs whose due time is before this (UTC milliseconds).
            after_key: only logs whose key sorts behind it.
            limit: how many at most, 1 or more.
        """

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Remove a log with all it holds, dedupe ids included.

        Args:
            lease: the lease on it.
            last_seq: remove it only if this is still the number of its last record, so that nothing that was offered
                meanwhile is lost; None to remove it in any case.

        Returns:
            Whether it was removed.

        Raises:
            StaleLease: the lease is not ours any more.
        """

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        """Keep a small value, for `ttl_s` seconds or until removed.

        Time runs while the machine sleeps. If it was restarted meanwhile, a value may live longer, never shorter.
        """

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        """Keep a small value if nobody has kept another one meanwhile.

        A repeat that finds `new` there is told the same as the first time, and the time begins anew. So two callers
        with the same bytes are both told that theirs is there: whoever has to be the only one puts something of its
        own into them, and whoever has to be the first one something that is never written twice.

        Args:
            key: the value's.
            old: what has to be there; None for nothing, or nothing any more. What ran out is not there.
            new: what takes its place.
            ttl_s: how long it is kept from now on, in seconds; None until it is removed.

        Returns:
            Whether `new` is there now. False: something else is, and nothing has changed.
        """

    async def get(self, key: str) -> bytes | None:
        """The value, or None if there is none or its time is over."""

    async def remove(self, key: str) -> bool:
        """Forget a value; whether there was one."""

    def publish(self, channel: str, payload: bytes) -> None:
        """Tell whoever listens now. Lossy, never blocks, never raises for a slow or absent listener.

        To be called from the event loop.

        Raises:
            ValueError: `payload` is over `MAX_PUBLISH_BYTES`.
        """

    def is_heard(self, channel: str) -> bool:
        """Whether anybody may listen on a channel. If not, what would be published need not even be made.

        To be called from the event loop.
        """

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """Listen on a channel for as long as the block lasts; listening has begun when the block is entered.

        Iteration ends with the block or when the store is closed.
        """
