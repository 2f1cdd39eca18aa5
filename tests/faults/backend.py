"""Where the daemons of a round keep everything: one kind of store, with a place of its own for each round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sulla.core.errors import NotFound, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock
from sulla.store.base import Store
from sulla.store.postgres.store import PostgresStore
from sulla.store.redis.store import RedisStore
from sulla.store.sqlite.store import SqliteStore
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.codec import Entry
from sulla.threads.store import ThreadStore
from tests.kits.points import turns

CLOCK = SystemClock()
several_daemons = turns(("people", "schedules"), 1, "several daemons")
"""What daemons with homes of their own share, tried in real time."""


@dataclass(frozen=True, slots=True)
class Backend:
    """One kept place."""

    name: str
    settings: Mapping[str, str]
    """What tells a daemon to use it."""
    make: Callable[[], Store]
    """Another way to it, beside the daemons'."""
    exists: Callable[[], bool] = lambda: True
    """Whether there is anything to look at yet; looking must not make it."""

    async def read_log(self, thread_id: str) -> list[Entry]:
        """A thread's log as it stands, read beside whoever else uses the store; empty if there is none."""
        if not thread_id or not self.exists():
            return []
        store = self.make()
        try:
            await store.open()
        except StoreUnavailable:
            return []
        try:
            return await _entries(store, ThreadId(thread_id))
        finally:
            await store.close()


async def _entries(store: Store, thread_id: ThreadId) -> list[Entry]:
    threads = ThreadStore(store, CLOCK, lambda prefix: prefix, "harness:1", THREAD_SCHEMA, ThreadLimits())
    found: list[Entry] = []
    try:
        while page := await threads.entries(thread_id, after=found[-1].seq if found else 0):
            found += page
    except NotFound:
        return []
    return found


def sqlite(file: Path) -> Backend:
    """A file, made by the first daemon that uses it."""
    return Backend(
        "sqlite",
        {"SULLA_STORE": f"sqlite:///{file}"},
        lambda: SqliteStore(file, CLOCK, lambda prefix: f"{prefix}_harness"),
        file.exists,
    )


def redis(url: str) -> Backend:
    """A database of a Redis server that nobody has used yet."""
    return Backend("redis", {"SULLA_STORE": url}, lambda: RedisStore(url, CLOCK, lambda prefix: f"{prefix}_{uuid4()}"))


def postgres(url: str) -> Backend:
    """A database of a PostgreSQL server that nobody has used yet."""
    return Backend(
        "postgres", {"SULLA_STORE": url}, lambda: PostgresStore(url, CLOCK, lambda prefix: f"{prefix}_{uuid4()}")
    )
