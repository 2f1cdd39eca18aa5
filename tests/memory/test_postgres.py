"""The memory in PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from sulla.host.system import SystemClock
from sulla.memory.base import MemoryIndex
from sulla.memory.postgres import SCHEMA, PostgresMemory
from sulla.store.postgres.pool import ConnectionPool
from sulla.store.postgres.url import parse_address
from tests.kits.entity_kit import *  # noqa: F403 - of what was drawn from them
from tests.kits.in_turn import in_turn
from tests.kits.memory_kit import *  # noqa: F403 - all that every backend must hold
from tests.kits.memory_kit import SMALL, make_note
from tests.kits.vector_kit import *  # noqa: F403 - and of their vectors
from tests.kits.vector_kit import vector_of
from tests.servers.stores.postgres import PostgresServer

pytestmark = in_turn(3)


def backend_at(url: str) -> PostgresMemory:
    return PostgresMemory(ConnectionPool(parse_address(url), SCHEMA, SystemClock(), most=4, answer_s=10.0), SMALL)


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    url = postgres_server.socket_url()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS sulla_memory CASCADE")
    return url


@pytest.fixture
async def index(url: str) -> AsyncIterator[MemoryIndex]:
    backend = backend_at(url)
    await backend.open()
    yield backend
    await backend.close()


async def test_daemons_that_start_and_write_at_once_share_one_memory(url: str) -> None:
    backends = [backend_at(url) for _ in range(4)]
    await asyncio.gather(*(backend.open() for backend in backends))
    notes = [make_note(f"seen by all number{n} {n % 3}") for n in range(20)]
    await asyncio.gather(*(backends[n % 4].add([note, notes[0]]) for n, note in enumerate(notes)))
    assert await backends[0].count("ada", "episode") == 20
    assert len(await backends[3].search(["ada"], "seen", 50)) == 20
    for backend in backends:
        await backend.close()


async def test_a_schema_without_vectors_is_brought_up_with_all_that_is_in_it(url: str) -> None:
    before = backend_at(url)
    await before.open()
    note = make_note("kept before")
    await before.add([note])
    await before.close()
    with psycopg.connect(url, autocommit=True) as connection:  # as it was before there were any
        connection.execute("DROP TABLE sulla_memory.vector, sulla_memory.signature, sulla_memory.space")
        connection.execute("ALTER TABLE sulla_memory.note DROP COLUMN placed")
    for _ in range(2):
        after = backend_at(url)
        await after.open()
        await after.vectors.use("m:one")
        await after.vectors.put("m:one", [vector_of(note)])
        assert await after.vectors.missing(5) == []
        assert [hit.note for hit in await after.search(["ada"], "before", 5)] == [note]
        await after.close()
