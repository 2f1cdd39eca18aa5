"""Promises broken on purpose, to prove that the simulation notices (docs/inside/faults.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from sulla.store.base import Store
from sulla.store.values import Draft, Head, Lease, LogInfo, Offered, Status
from sulla.testing.store import FaultyStore, Touch
from tests.simulation.daemon_defects import DEFECTS as DAEMON_DEFECTS


async def _nothing(touch: Touch) -> None:
    """No fault of its own."""


class ForgetsRenewals(FaultyStore):
    """Says that a lease was renewed, and does nothing: as a holder that forgets to."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)

    async def renew(self, lease: Lease) -> None:
        """Nothing."""


class ForgetsWrites(FaultyStore):
    """Takes every write for a new one, whatever its number."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner
        self._numbers: dict[tuple[str, int], int] = {}

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
        """Under a number of its own."""
        number = self._numbers.get((lease.key, lease.epoch), 0) + 1
        last = await self._store.append(lease, number, drafts, head, claimed, release=release)
        self._numbers[lease.key, lease.epoch] = number
        return last


class LosesOffers(FaultyStore):
    """Acknowledges each fifth message and keeps nothing of it."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner
        self._count = count(1)

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
        """Mostly passed on."""
        if draft.kind == "INPUT" and next(self._count) % 5 == 0 and (info := await self._store.head(key)) is not None:
            return Offered(info.last_seq, first=True)
        return await self._store.offer(
            key, dedupe_id, draft, digest=digest, create=create, wakes=wakes, max_waiting=max_waiting
        )


class FindsNothing(FaultyStore):
    """Knows of no log that is ready: what a lost wake-up was for is never found."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner

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
        """Nothing for a sweep."""
        if ready:
            return []
        return await self._store.find(
            kind=kind, status=status, due_before_ms=due_before_ms, after_key=after_key, limit=limit
        )


STORE_DEFECTS: dict[str, Callable[[Store], Store]] = {
    **DAEMON_DEFECTS,
    "forget-renewals": ForgetsRenewals,
    "forget-writes": ForgetsWrites,
    "lose-offers": LosesOffers,
    "find-nothing": FindsNothing,
}

ONCE_AS_IDEMPOTENT = "once-as-idempotent"
"""A tool that may run once is declared as one that may be repeated."""

DEFECTS = (*STORE_DEFECTS, ONCE_AS_IDEMPOTENT)
"""By the names that the command line knows."""
