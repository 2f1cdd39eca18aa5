"""A PostgreSQL without a connection left is a trouble for as long as calls fail by that; it still answers the watch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from sulla.core.errors import StoreUnavailable
from sulla.daemon.store_watch import StoreWatch
from sulla.host.system import SystemClock
from sulla.store.postgres.store import PostgresStore
from tests.servers.stores.postgres import SCRATCH, PostgresServer


@pytest.fixture
def poor(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database, by a user who gets three connections."""
    with psycopg.connect(postgres_server.emptied(), autocommit=True) as owner:
        owner.execute("CREATE ROLE poor LOGIN PASSWORD 'poor-of-the-tests' CONNECTION LIMIT 3")
        owner.execute("GRANT CREATE ON DATABASE scratch TO poor")
        yield postgres_server.url(SCRATCH, user="poor", password="poor-of-the-tests")
        owner.execute("DROP OWNED BY poor")
        owner.execute("DROP ROLE poor")


async def test_calls_that_get_no_connection_are_told_of(poor: str) -> None:
    store = PostgresStore(poor, SystemClock(), lambda kind: f"{kind}_1")
    await store.open()
    watch = StoreWatch(store, SystemClock(), refusals=store.refusals)
    await watch.begin()
    await watch.look()
    assert watch.failing == ""
    found = await asyncio.gather(*(store.get(f"key-{number}") for number in range(200)), return_exceptions=True)
    assert any(isinstance(one, StoreUnavailable) for one in found)
    await watch.look()
    assert "raise its max_connections" in watch.failing
    assert watch.trouble is None
    await store.close()
