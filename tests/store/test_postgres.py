"""The PostgreSQL keeper passes the kit on a real server, asks once for each step, and looks at no idle log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import psycopg
import pytest

from sulla.core.ids import MakeId
from sulla.daemon.system import SystemClock, random_id
from sulla.store import Store
from sulla.store.postgres import PostgresStore
from tests.kits.store_kit import StoreKit
from tests.kits.store_world import StoreWorld
from tests.servers.postgres import PostgresServer

SCHEMA = "kit"
PATIENT_S = 30.0
"""Where nothing is said of deadlines, a busy machine breaks none."""

START_MS = 1_800_000_000_000
TABLES = "logs, records, dedupe, small, bus"


class PostgresWorld(StoreWorld):
    """One schema whose server's clock stands still until it is told to move."""

    def __init__(self, url: str, server: psycopg.Connection) -> None:
        self._url = url
        self._server = server
        self._now_ms = START_MS
        server.execute(f"TRUNCATE {TABLES} RESTART IDENTITY")
        self._set_clock()

    def store(self) -> Store:
        """Another handle on the same data."""
        return PostgresStore(self._url, SystemClock(), random_id, schema=SCHEMA, answer_s=PATIENT_S)

    async def pass_time(self, seconds: float) -> None:
        """Move the server's clock."""
        self._now_ms += round(seconds * 1000)
        self._set_clock()

    def now_ms(self) -> int:
        """The server's wall clock."""
        return self._now_ms

    def _set_clock(self) -> None:
        self._server.execute("UPDATE manual_clock SET ms = %s", (self._now_ms,))


@pytest.fixture(scope="session")
def server(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A connection to the kit's schema, whose ``now_ms`` reads a table."""
    url = postgres_server.url()

    async def make() -> None:
        store = PostgresStore(url, SystemClock(), random_id, schema=SCHEMA, answer_s=PATIENT_S)
        await store.open()
        await store.close()

    asyncio.run(make())
    with psycopg.connect(url, autocommit=True, options=f"-c search_path={SCHEMA}") as connection:
        connection.execute("CREATE TABLE manual_clock (ms bigint NOT NULL)")
        connection.execute("INSERT INTO manual_clock VALUES (0)")
        connection.execute(
            "CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT ms FROM manual_clock'"
        )
        yield connection


class TestPostgresStore(StoreKit):
    """One schema is one store."""

    @pytest.fixture
    def world(self, postgres_server: PostgresServer, server: psycopg.Connection) -> StoreWorld:
        return PostgresWorld(postgres_server.url(), server)

    @pytest.fixture
    def new_world(self, postgres_server: PostgresServer, server: psycopg.Connection) -> Callable[[], StoreWorld]:
        return lambda: PostgresWorld(postgres_server.url(), server)
