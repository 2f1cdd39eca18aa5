"""Every kind of store, with a place of its own for each test. The servers are started when a test first asks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.faults.backend import Backend, postgres, redis, sqlite
from tests.servers.stores.postgres import PostgresServer
from tests.servers.stores.redis import RedisServer, own_redis, redis_server

__all__ = ["backend_of", "own_redis", "redis_server"]

_DATABASES = count(1)


@pytest.fixture
def backend_of(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], Backend]:
    """Gives a new place of the kind that is asked for: ``sqlite``, ``redis`` or ``postgres``."""

    def make(kind: str) -> Backend:
        number = next(_DATABASES)
        match kind:
            case "redis":
                server: RedisServer = request.getfixturevalue("redis_server")
                return redis(server.new_url())
            case "postgres":
                return postgres(new_database(request.getfixturevalue("postgres_server"), number))
            case _:
                return sqlite(tmp_path / f"kept{number}.db")

    return make


def new_database(server: PostgresServer, number: int) -> str:
    """Where a database is that nobody has used yet."""
    name = f"faults_{number}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.url(name)
