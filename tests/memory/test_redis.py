"""The memory in Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock
from sulla.memory import redis
from sulla.memory.note import ReadPosition
from sulla.memory.redis import RedisMemory
from sulla.store.redis.client import RedisClient
from sulla.store.redis.url import address_of
from tests.kits.entity_kit import *  # noqa: F403 - of what was drawn from them
from tests.kits.memory_kit import *  # noqa: F403 - all that every backend must hold
from tests.kits.memory_kit import SMALL, make_note
from tests.kits.vector_kit import *  # noqa: F403 - and of their vectors
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["redis_server"]


@pytest.fixture
async def index(redis_server: RedisServer) -> AsyncIterator[RedisMemory]:
    backend = RedisMemory(RedisClient(address_of(redis_server.new_url()), SystemClock(), call_s=10.0), SMALL)
    await backend.open()
    yield backend
    await backend.close()


async def test_a_thread_of_which_only_a_part_was_written_is_found_when_it_is_gone(
    index: RedisMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis, "_BATCH", 2)
    run, calls = index._run, iter(range(10))

    async def cut(script: str, *arguments: str | bytes | int) -> object:
        if next(calls) == 1:
            raise StoreUnavailable("the server is gone")
        return await run(script, *arguments)

    monkeypatch.setattr(index, "_run", cut)
    with pytest.raises(StoreUnavailable):
        await index.add([make_note(f"iris {n}") for n in range(5)], ("thr_1", ReadPosition(5, 9, 9, tainted=False)))
    assert await index.count("ada", "episode") == 2
    assert await index.progress("thr_1") is None
    assert await index.threads("", 10) == ["thr_1"]
    await index.drop_thread("thr_1")
    assert await index.count("ada", "episode") == 0
    assert await index.threads("", 10) == []


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
