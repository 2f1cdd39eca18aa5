"""Keeps a row for each turn that took a route, behind the turns: once each, whatever dies in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from sulla.core.errors import NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.routes.audit.record import LOG_KIND, AuditReader, AuditRow, day_key, decode, encode, ends_ms
from sulla.routes.slice import ROUTES
from sulla.store.base import Store
from sulla.store.values import Head, LogInfo
from sulla.threads.follower import LogConsumer, LogCursor
from sulla.threads.log.codec import Entry
from sulla.threads.store import ThreadStore

HEAD: Final = Head(LOG_KIND)
LEASE_S: Final = 30.0
"""How long a day's log is held while it is removed."""
_PAGE: Final = 200
_POSITION: Final = "routes.audit.at:"


class RouteAudit(LogConsumer):
    """Writes the rows, and reads and removes them for people. It lives as long as the daemon.

    Args:
        threads: whose logs are read.
        store: keeps the rows, a log for each day.
        owner: who holds a day's log while it is removed: see `Store.acquire`.
        routed: says whether the home has routes.
    """

    def __init__(self, threads: ThreadStore, store: Store, owner: str, routed: Callable[[], bool]) -> None:
        self._threads = threads
        self._store = store
        self._owner = owner
        self._routed = routed

    async def begin(self) -> bool:
        """In a home without routes nothing is to be read."""
        return self._routed()

    async def gone(self, thread_id: ThreadId) -> None:
        """How far it was read is forgotten. Its rows stay: no word of it is in them."""
        await self._store.remove(f"{_POSITION}{thread_id}")

    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        """Behind the last turn that is over."""
        info = info if info is not None else await self._store.head(thread_id)
        if info is None:
            raise NotFound(f"no thread {thread_id!r}")
        known = await self._known(thread_id, info)
        if known is None:
            _, state = await self._threads.get(thread_id)
            if state is None or ROUTES.of(state) is None:
                return None  # it never took a route
        reader = AuditReader(thread_id, known or 0)

        async def take(page: list[Entry]) -> None:
            before = reader.after
            for row in reader.read(page):
                await self._keep(row)
            if reader.after != before or known is None:
                at: JsonObject = {"created_ms": info.created_ms, "after": reader.after}
                await self._store.put(f"{_POSITION}{thread_id}", json.dumps(at).encode())

        return LogCursor(reader.after, take) if known is None or info.last_seq > known else None

    async def _known(self, thread_id: ThreadId, info: LogInfo) -> int | None:
        kept = await self._store.get(f"{_POSITION}{thread_id}")
        if kept is None:
            return None
        at = json.loads(kept)
        return int(at["after"]) if at["created_ms"] == info.created_ms else None  # another thread under its id

    async def _keep(self, row: AuditRow) -> None:
        await self._store.offer(day_key(row.at), row.id, encode(row), digest=b"row", create=HEAD, wakes=False)

    async def rows(self, since_ms: int, limit: int) -> list[AuditRow]:
        """The newest rows, newest first.

        Args:
            since_ms: none that began before, UTC milliseconds.
            limit: so many at the most.

        Raises:
            CorruptRecord: one cannot be read.
        """
        found: list[AuditRow] = []
        for key in reversed(await self._days()):
            if ends_ms(key) <= since_ms or len(found) >= limit:
                break
            records = await self._store.read(key, limit=limit, reverse=True)
            rows = [decode(record, key) for record in records]
            found += sorted((row for row in rows if row.at >= since_ms), key=lambda row: -row.at)
        return found[:limit]

    async def purge(self, before_ms: int) -> int:
        """Remove the rows of all days that were over before a moment; how many there were.

        Args:
            before_ms: UTC milliseconds.
        """
        count = 0
        for key in await self._days():
            if ends_ms(key) > before_ms:
                break
            grant = await self._store.acquire(key, self._owner, LEASE_S)
            if grant is not None and await self._store.delete(grant.lease):
                count += grant.last_seq
        return count

    async def _days(self) -> list[str]:
        """The logs there are, the oldest first."""
        keys: list[str] = []
        while page := await self._store.find(kind=LOG_KIND, after_key=keys[-1] if keys else "", limit=_PAGE):
            keys += [info.key for info in page]
        return keys
