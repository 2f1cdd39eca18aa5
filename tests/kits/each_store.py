"""A store of each kind for tests of deaths: memory in the gate, SQLite and Redis in `./dev faults`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.redis.store import RedisStore
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.clock import ManualClock
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["redis_server", "store"]


@pytest.fixture(
    params=["memory", pytest.param("sqlite", marks=pytest.mark.faults), pytest.param("redis", marks=pytest.mark.faults)]
)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """One that is open, of the kind that the test's parameter says."""
    made = _made(request, tmp_path)
    await made.open()
    yield made
    await made.close()


def _made(request: pytest.FixtureRequest, folder: Path) -> Store:
    clock, kind = ManualClock(), str(request.param)

    def make_id(prefix: str) -> str:
        return f"{prefix}_{kind}"

    if kind == "memory":
        return MemoryStore(clock, make_id)
    if kind == "sqlite":
        return SqliteStore(folder / "store.db", clock, make_id)
    server: RedisServer = request.getfixturevalue("redis_server")
    return RedisStore(server.new_url(), clock, make_id)
