"""A cluster's queue on a real PostgreSQL, and workers of it in the process of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.work.base import GroupOf, Handler
from sulla.work.dbos.cluster import Cluster, Joining, make_cluster
from sulla.work.dbos.worker import DbosWork
from sulla.work.queue import JobCaps
from tests.kits.work_kit import CLOCK, MakeWork
from tests.servers.stores.postgres import PostgresServer


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.emptied()


def cluster(url: str, executor: str = "one", poll_s: float = 0.1, caps: JobCaps | None = None) -> Cluster:
    """The queue and the tables, as that process sees them."""
    joining = Joining(executor, f"home_{executor}:boot", "memory:")
    return make_cluster(url, joining, poll_s, caps or JobCaps(), (caps or JobCaps()).total)


async def no_lease(key: str, home: str) -> None:
    """Nobody has left a lease."""


def making(url: str, poll_s: float = 0.1) -> MakeWork:
    """Makes the worker ``one``; a process can have a single one at a time."""

    def work(store: MemoryStore, handler: Handler, group_of: GroupOf, caps: JobCaps) -> DbosWork:
        return DbosWork(store, handler, group_of, cluster(url, poll_s=poll_s, caps=caps), no_lease, CLOCK, caps)

    return work


@pytest.fixture
def make(url: str) -> MakeWork:
    """One that finds soon what it was not told of."""
    return making(url)


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    kept = MemoryStore(CLOCK, lambda prefix: f"{prefix}_mem")
    await kept.open()
    yield kept
    await kept.close()
