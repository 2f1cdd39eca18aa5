"""A store on another machine, as one process has it, and what it was seen to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from sulla.store.base import Store, Subscription
from sulla.store.values import Draft, Grant, Head, Lease, LogInfo, Offered, Record, Status
from tests.simulation.clock import SimulatedClock
from tests.simulation.history import Leased, Leasing, Wrote
from tests.simulation.wire import Wire


@dataclass(slots=True)
class Witness:
    """What the store was seen to grant and to keep."""

    leases: dict[str, list[Leasing]] = field(default_factory=dict)
    renewed_s: dict[str, float] = field(default_factory=dict)
    """When the newest lease of each log was last granted or renewed."""
    free: set[str] = field(default_factory=set)
    """Logs whose newest lease was given back."""
    writes: set[tuple[str, int, str, int]] = field(default_factory=set)
    taken: Callable[[str, Leased, Leased], None] = lambda key, before, now: None
    """Hears of leases that somebody gets while they were not given back."""

    def granted(self, lease: Lease, now_s: float) -> None:
        """A lease."""
        if (before := self.newest(lease.key)) is not None and lease.key not in self.free:
            self.taken(lease.key, before, Leased(lease.owner, lease.epoch))
        self.leases.setdefault(lease.key, []).append(Leased(lease.owner, lease.epoch))
        self.renewed_s[lease.key] = now_s
        self.free.discard(lease.key)

    def wrote(self, lease: Lease, write_no: int, drafts: int, last: int, *, release: bool) -> None:
        """A write; one that is repeated was kept before."""
        write = (lease.key, lease.epoch, lease.owner, write_no)
        if write not in self.writes:
            self.writes.add(write)
            self.leases.setdefault(lease.key, []).append(Wrote(lease.owner, lease.epoch, last - drafts + 1, last))
        if release:
            self.free.add(lease.key)

    def newest(self, key: str) -> Leased | None:
        """The lease that a log was last under."""
        return next((step for step in reversed(self.leases.get(key, ())) if isinstance(step, Leased)), None)


class StoreClock(SimulatedClock):
    """The store's own: each of its steps is done in one go."""

    async def sleep(self, seconds: float) -> None:
        """Nothing waits on the store's machine."""


class RemoteStore:
    """Keeps `sulla.store.Store` for one process.

    Args:
        store: on its own machine; it waits for nothing.
        wire: the way there.
        witness: sees what it grants and keeps.
        now: the time, as nobody sets it.
    """

    def __init__(self, store: Store, wire: Wire, witness: Witness, now: Callable[[], float]) -> None:
        self._store = store
        self._wire = wire
        self._witness = witness
        self._now = now

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
        """Over the wire."""
        return await self._wire.call(
            "offer",
            key,
            lambda: self._store.offer(
                key, dedupe_id, draft, digest=digest, create=create, wakes=wakes, max_waiting=max_waiting
            ),
        )

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        """Over the wire."""

        async def ask() -> Grant | None:
            grant = await self._store.acquire(key, owner, ttl_s, after=after)
            if grant is not None:
                self._witness.granted(grant.lease, self._now())
            return grant

        return await self._wire.call("acquire", key, ask)

    async def renew(self, lease: Lease) -> None:
        """Over the wire."""

        async def ask() -> None:
            await self._store.renew(lease)
            self._witness.renewed_s[lease.key] = self._now()

        await self._wire.call("renew", lease.key, ask)

    async def release(self, lease: Lease) -> None:
        """Over the wire."""

        async def ask() -> None:
            await self._store.release(lease)
            if self._witness.newest(lease.key) == Leased(lease.owner, lease.epoch):
                self._witness.free.add(lease.key)

        await self._wire.call("release", lease.key, ask)

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
        """Over the wire."""

        async def ask() -> int:
            last = await self._store.append(lease, write_no, drafts, head, claimed, release=release)
            self._witness.wrote(lease, write_no, len(drafts), last, release=release)
            return last

        return await self._wire.call(f"append {'+'.join(draft.kind for draft in drafts)}", lease.key, ask)

    async def read(
        self, key: str, *, after: int = 0, before: int | None = None, limit: int = 512, reverse: bool = False
    ) -> list[Record]:
        """Over the wire."""
        return await self._wire.call(
            "read", key, lambda: self._store.read(key, after=after, before=before, limit=limit, reverse=reverse)
        )

    async def head(self, key: str) -> LogInfo | None:
        """Over the wire."""
        return await self._wire.call("head", key, lambda: self._store.head(key))

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
        """Over the wire."""
        return await self._wire.call(
            "find",
            after_key,
            lambda: self._store.find(
                ready=ready, kind=kind, status=status, due_before_ms=due_before_ms, after_key=after_key, limit=limit
            ),
        )

    async def delete(self, lease: Lease, *, last_seq: int | None = None) -> bool:
        """Over the wire."""
        return await self._wire.call("delete", lease.key, lambda: self._store.delete(lease, last_seq=last_seq))

    async def put(self, key: str, value: bytes, ttl_s: float | None = None) -> None:
        """Over the wire."""
        await self._wire.call("put", key, lambda: self._store.put(key, value, ttl_s))

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        """Over the wire."""
        return await self._wire.call("swap", key, lambda: self._store.swap(key, old, new, ttl_s))

    async def get(self, key: str) -> bytes | None:
        """Over the wire."""
        return await self._wire.call("get", key, lambda: self._store.get(key))

    async def remove(self, key: str) -> bool:
        """Over the wire."""
        return await self._wire.call("remove", key, lambda: self._store.remove(key))

    async def incarnation(self) -> str:
        """Over the wire."""
        return await self._wire.call("incarnation", "", self._store.incarnation)

    async def ping(self) -> None:
        """Over the wire."""
        await self._wire.call("ping", "", self._store.ping)

    async def open(self) -> None:
        """The store's machine is up already."""

    async def close(self) -> None:
        """The store's machine stays up."""

    def publish(self, channel: str, payload: bytes) -> None:
        """Over the wire, and nobody says whether it arrived."""
        self._wire.signal(lambda: self._store.publish(channel, payload))

    def is_heard(self, channel: str) -> bool:
        """Nobody here knows."""
        return True

    def subscribe(self, channel: str) -> AbstractAsyncContextManager[Subscription]:
        """Listening costs nothing here; what is published is lost on its way."""
        return self._store.subscribe(channel)
