"""The memory in Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.daemon import SystemClock
from sulla.memory.base import MemoryIndex
from sulla.memory.redis import RedisMemory
from sulla.store.redis_client import RedisClient
from sulla.store.redis_url import address_of
from tests.kits.memory_kit import *  # noqa: F403 - all that every keeper must hold
from tests.kits.memory_kit import SMALL, make_note
from tests.servers.redis import RedisServer, redis_server

__all__ = ["redis_server"]


@pytest.fixture
async def index(redis_server: RedisServer) -> AsyncIterator[MemoryIndex]:
    keeper = RedisMemory(RedisClient(address_of(redis_server.new_url()), SystemClock(), call_s=10.0), SMALL)
    await keeper.open()
    yield keeper
    await keeper.close()


async def test_two_daemons_share_one_memory(redis_server: RedisServer) -> None:
    url = redis_server.new_url()
    one, other = (RedisMemory(RedisClient(address_of(url), SystemClock(), call_s=10.0), SMALL) for _ in range(2))
    await one.open()
    await other.open()
    note = make_note("seen by both")
    await one.add([note])
    assert [found.note for found in await other.search(["ada"], "both", 5)] == [note]
    await one.close()
    await other.close()
