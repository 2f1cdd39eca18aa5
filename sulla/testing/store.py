"""A store that something happens to: a fault, a delay or a kill, just before or just after it keeps something."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.store.base import Store, Subscription
from sulla.store.values import Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status

Phase = Literal["before", "after"]
Method = Literal["offer", "acquire", "renew", "release", "append", "delete", "put", "swap", "remove"]


@dataclass(frozen=True, slots=True)
class Touch:
    """A call that changes what is kept, at one of its two sides."""

    phase: Phase
    method: Method
    key: str
    kinds: tuple[str, ...] = ()
    """The kinds of the records that it adds, in order."""


Plan = Callable[[Touch], Awaitable[None]]
"""Told of every touch. It may wait, kill the process, or raise: ``before``, and nothing is kept; ``after``, and it is
kept without the caller getting to know."""


def at_record(kind: str, nth: int, phase: Phase, act: Callable[[], Awaitable[None]]) -> Plan:
    """A plan that acts once: before or after the call that brings the `nth` record of a kind (counted from 1).

    What counts is what is handed in, a repeated offer or write too.
    """
    seen = 0

    async def plan(touch: Touch) -> None:
        nonlocal seen
        if touch.phase != phase:
            return
        brought = touch.kinds.count(kind)
        seen += brought
        if seen - brought < nth <= seen:
            await act()

    return plan


class FaultyStore:
    """Implements `sulla.store.Store` by passing everything on, and tells a plan of each call that changes something.

    Args:
        inner: the store that does the work.
        plan: what is to happen.
    """

    def __init__(self, inner: Store, plan: Plan) -> None:
        self._inner = inner
        self._plan = plan

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
        """Passed on, between two touches that name the input's kind."""
        async with self._touched("offer", key, draft.kind):
            return await self._inner.offer(
                key, dedupe_id, draft, digest=digest, create=create, wakes=wakes, max_waiting=max_waiting
            )

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
        """Passed on, between two touches that name the records' kinds."""
        async with self._touched("append", lease.key, *(draft.kind for draft in drafts)):
            return await self._inner.append(lease, write_no, drafts, head, claimed, release=release)

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        """Passed on, between two touches, whether it is granted or not."""
        async with self._touched("acquire", key):
            return await self._inner.acquire(key, owner, ttl_s, after=after)

    async def renew(self, lease: Lease) -> None:
        """Passed on, between two touches."""
        async with self._touched("renew", lease.key):
            await self._inner.renew(lease)

    async def release(self, lease: Lease) -> None:
        """Passed on, between two touches."""
        async with self._touched("release", lease.key):
            await self._inner.release(lease)

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Passed on, between two touches."""
        async with self._touched("delete", lease.key):
            return await self._inner.delete(lease, last_seq=last_seq)

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        """Passed on, between two touches."""
        async with self._touched("put", key):
            await self._inner.put(key, value, ttl_s)

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        """Passed on, between two touches, whether it is kept or not."""
        async with self._touched("swap", key):
            return await self._inner.swap(key, old, new, ttl_s)

    async def remove(self, key: str) -> bool:
        """Passed on, between two touches."""
        async with self._touched("remove", key):
            return await self._inner.remove(key)

    # --------------------------------------------------------------------------------------- passed on untouched

    async def open(self) -> None:
        """Passed on."""
        await self._inner.open()

    async def close(self) -> None:
        """Passed on."""
        await self._inner.close()

    async def ping(self) -> None:
        """Passed on."""
        await self._inner.ping()

    async def incarnation(self) -> str:
        """Passed on."""
        return await self._inner.incarnation()

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Passed on."""
        return await self._inner.read(key, after=after, before=before, limit=limit, reverse=reverse)

    async def head(self, key: str) -> LogInfo | None:
        """Passed on."""
        return await self._inner.head(key)

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
        """Passed on."""
        return await self._inner.find(
            ready=ready, kind=kind, status=status, due_before_ms=due_before_ms, after_key=after_key, limit=limit
        )

    async def get(self, key: str) -> bytes | None:
        """Passed on."""
        return await self._inner.get(key)

    def publish(self, channel: str, payload: bytes) -> None:
        """Passed on."""
        self._inner.publish(channel, payload)

    def is_heard(self, channel: str) -> bool:
        """Passed on."""
        return self._inner.is_heard(channel)

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """Passed on."""
        return self._inner.subscribe(channel)

    @asynccontextmanager
    async def _touched(self, method: Method, key: str, *kinds: str) -> AsyncIterator[None]:
        await self._plan(Touch("before", method, key, kinds))
        yield
        await self._plan(Touch("after", method, key, kinds))
