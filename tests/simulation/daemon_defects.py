"""Stores that break a promise on purpose, to see whether a test would notice."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count

from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.values import Draft, Head, Lease, Offered
from sulla.testing.store import FaultyStore, Touch


async def _nothing(touch: Touch) -> None:
    """No fault of its own."""


class SkipsDedupe(FaultyStore):
    """Takes every offer for a new one."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner
        self._count = count()
        self._boot = os.getpid()

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
        """Forgets what it has seen."""
        renamed = f"{dedupe_id}#{self._boot}-{next(self._count)}" if dedupe_id.startswith("message:") else dedupe_id
        return await self._store.offer(
            key, renamed, draft, digest=digest, create=create, wakes=wakes, max_waiting=max_waiting
        )


class SkipsFence(FaultyStore):
    """Lets a holder write that somebody else has relieved."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner

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
        """Takes the lease again rather than give up."""
        try:
            return await self._store.append(lease, write_no, drafts, head, claimed, release=release)
        except StaleLease:
            home = lease.owner.partition(":")[0]
            info = await self._store.head(lease.key)
            claimed = info.last_seq if info is not None else claimed
            grant = await self._store.acquire(lease.key, f"{home}:again{write_no}", lease.ttl_s)
            if grant is None:
                raise
            return await self._store.append(grant.lease, 1, drafts, head, claimed, release=True)

    async def renew(self, lease: Lease) -> None:
        """Notices nothing."""
        with suppress(StaleLease):
            await self._store.renew(lease)


class SkipsIntent(FaultyStore):
    """Says that the intents of tool calls are kept, and keeps them only with the write after."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, _nothing)
        self._store = inner
        self._held: dict[str, list[Draft]] = {}
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
        """Holds intents back."""
        held = self._held.pop(lease.key, [])
        if any(draft.kind == "TOOL_CALL_START" for draft in drafts):
            self._held[lease.key] = [*held, *drafts]
            info = await self._store.head(lease.key)
            return (info.last_seq if info is not None else 0) + len(held) + len(drafts)
        number = self._numbers[lease.key, lease.epoch] = self._numbers.get((lease.key, lease.epoch), 0) + 1
        return await self._store.append(lease, number, [*held, *drafts], head, claimed, release=release)


DEFECTS: dict[str, Callable[[Store], Store]] = {
    "skip-dedupe": SkipsDedupe,
    "skip-fence": SkipsFence,
    "skip-intent": SkipsIntent,
}
"""The defects, by the name that the command line knows."""
