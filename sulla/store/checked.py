"""What all backends of the store have in common: what is asked is checked and made one value before they see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sulla.store.base import Subscription
from sulla.store.refusals import Refusals
from sulla.store.requests import (
    AppendRequest,
    FindRequest,
    OfferRequest,
    check_lease,
    check_limit,
    check_name,
    check_swap,
    check_value,
)
from sulla.store.values import Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status


class Bus(Protocol):
    """What carries messages between those who publish and those who listen."""

    def publish(self, channel: str, payload: bytes) -> None:
        """See `Store.publish`."""

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """See `Store.subscribe`."""


class CheckedStore(ABC):
    """The public side of a backend: each call of `Store` with arguments of its own is checked here and handed to the
    method of the same name with an underscore. It lives as long as the backend that it is part of.

    Args:
        bus: of the backend, which opens and closes it.
    """

    def __init__(self, bus: Bus) -> None:
        self.__bus = bus
        self.refusals = Refusals()
        """What was to be kept and had no room, or may not be written, and what else failed."""

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
        with self.refusals:
            return await self._offer(OfferRequest(key, dedupe_id, draft, digest, create, wakes, max_waiting))

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        """Take the lease of a log; see `Store.acquire`."""
        check_name("key", key)
        check_lease(owner, ttl_s)
        with self.refusals:
            return await self._acquire(key, owner, ttl_s, after)

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
        with self.refusals:
            return await self._append(AppendRequest(lease, write_no, tuple(drafts), head, claimed, release))

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Records of a log; see `Store.read`."""
        check_name("key", key)
        check_limit(limit)
        return await self._read(key, after, before, limit, reverse=reverse)

    async def head(self, key: str) -> LogInfo | None:
        """The log's head and whereabouts, or None if there is no such log."""
        check_name("key", key)
        with self.refusals:
            return await self._head(key)

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
        with self.refusals:
            return await self._find(FindRequest(ready, kind, status, due_before_ms, after_key, limit))

    # -------------------------------------------------------------------------------------------------- values

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        """Keep a small value, for `ttl_s` seconds or until removed."""
        check_value(key, value)
        with self.refusals:
            await self._put(key, value, ttl_s)

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        """Keep a small value if nobody has kept another one meanwhile; see `Store.swap`."""
        check_swap(key, old, new)
        with self.refusals:
            return await self._swap(key, old, new, ttl_s)

    async def get(self, key: str) -> bytes | None:
        """The value, or None if there is none or its time is over."""
        check_name("key", key)
        with self.refusals:
            return await self._get(key)

    async def remove(self, key: str) -> bool:
        """Forget a value; whether there was one."""
        check_name("key", key)
        return await self._remove(key)

    # ----------------------------------------------------------------------------------------------------- bus

    def publish(self, channel: str, payload: bytes) -> None:
        """Tell whoever listens now; see `Store.publish`."""
        self.__bus.publish(channel, payload)

    def is_heard(self, channel: str) -> bool:
        """Whether anybody may listen on a channel: where it reaches other daemons nobody here knows."""
        return True

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """Listen on a channel for as long as the block lasts."""
        return self.__bus.subscribe(channel)

    # --------------------------------------------------------------------------------------- what a backend does

    @abstractmethod
    async def _offer(self, offer: OfferRequest) -> Offered: ...

    @abstractmethod
    async def _acquire(self, key: str, owner: str, ttl_s: float, after: int | None) -> Grant | None: ...

    @abstractmethod
    async def _append(self, write: AppendRequest) -> int: ...

    @abstractmethod
    async def _read(self, key: str, after: int, before: int | None, limit: int, *, reverse: bool) -> list[Record]: ...

    @abstractmethod
    async def _head(self, key: str) -> LogInfo | None: ...

    @abstractmethod
    async def _find(self, question: FindRequest) -> list[LogInfo]: ...

    @abstractmethod
    async def _put(self, key: str, value: bytes, ttl_s: float | None) -> None: ...

    @abstractmethod
    async def _swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None) -> bool: ...

    @abstractmethod
    async def _get(self, key: str) -> bytes | None: ...

    @abstractmethod
    async def _remove(self, key: str) -> bool: ...
