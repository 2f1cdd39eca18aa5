"""A cluster's queue on a real PostgreSQL, and workers of it in the process of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.store.memory import MemoryStore
from sulla.store.postgres.url import parse_address
from sulla.work.base import GroupOf, Handler
from sulla.work.dbos.line import Line
from sulla.work.dbos.members import Members
from sulla.work.dbos.queue import WishQueue
from sulla.work.dbos.worker import DbosWork
from sulla.work.queue import JobCaps
from sulla.work.runner import JobRunner
from tests.kits.work_kit import CLOCK, MakeWork
from tests.servers.stores.postgres import PostgresServer


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """An empty database."""
    return postgres_server.emptied()


@pytest.fixture
def make(url: str) -> MakeWork:
    """Makes the worker ``one``; a process can have a single one at a time."""
    address = parse_address(url)

    def work(store: MemoryStore, handler: Handler, group_of: GroupOf, caps: JobCaps) -> DbosWork:
        queue = WishQueue(url, address.shown)
        members = Members(Line(address.conninfo, address.shown), "one", "home")
        return DbosWork(store, JobRunner(handler, group_of, CLOCK, caps), queue, members, url, CLOCK, caps)

    return work


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    kept = MemoryStore(CLOCK, lambda prefix: f"{prefix}_mem")
    await kept.open()
    yield kept
    await kept.close()
