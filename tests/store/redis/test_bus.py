"""The bus between processes: heard by every handle, lossy, and alive again with the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock, random_id
from sulla.store.base import Subscription
from sulla.store.bus import QUEUED_MESSAGES
from sulla.store.redis.store import RedisStore
from sulla.store.values import MAX_PUBLISH_BYTES
from tests.servers.proxy import FaultProxy, Pass, Stall
from tests.servers.stores.redis import FakeRedis, RedisServer, fake_redis, own_redis, redis_server
from tests.soon import PATIENCE_S, PatientClock, attempts

__all__ = ["fake_redis", "own_redis", "redis_server"]

CLOCK = PatientClock()


@pytest.fixture(params=[True, False], ids=["direct", "library"], autouse=True)
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds whether or not the store writes past redis-py."""
    monkeypatch.setattr(f"{__name__}.RedisStore", partial(RedisStore, direct=request.param))


@asynccontextmanager
async def opened(url: str, clock: Clock = CLOCK) -> AsyncIterator[RedisStore]:
    store = RedisStore(url, clock, random_id)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def _next(heard: Subscription) -> bytes:
    return await asyncio.wait_for(anext(aiter(heard)), PATIENCE_S)


async def _until(heard: Subscription, word: bytes) -> None:
    while await _next(heard) != word:
        pass


@pytest.fixture(params=["redis", "fakeredis"])
def url(request: pytest.FixtureRequest) -> str:
    server: RedisServer | FakeRedis = request.getfixturevalue(
        "redis_server" if request.param == "redis" else "fake_redis"
    )
    return server.new_url()


async def test_what_one_says_the_others_hear_in_order_and_once(url: str) -> None:
    async with opened(url) as one, opened(url) as two, two.subscribe("a") as heard, one.subscribe("a") as own:
        for n in range(50):
            one.publish("a", b"%d" % n)
            one.publish("ab", b"not this")
        assert [await _next(heard) for _ in range(50)] == [b"%d" % n for n in range(50)]
        two.publish("a", b"back")
        assert [await _next(own) for _ in range(51)] == [*(b"%d" % n for n in range(50)), b"back"]
        assert (heard.lagged, own.lagged) == (False, False)


async def test_any_bytes_travel(url: str) -> None:
    async with opened(url) as one, opened(url) as two, two.subscribe("ключ *") as heard:
        for payload in (b"", b"\0", b"\xff" * MAX_PUBLISH_BYTES, b"!x"):
            one.publish("ключ *", payload)
            assert await _next(heard) == payload


async def test_stores_of_one_server_do_not_hear_each_other(redis_server: RedisServer) -> None:
    mine, yours = redis_server.new_url(), redis_server.new_url()
    async with opened(mine) as one, opened(yours) as other, other.subscribe("a") as heard:
        one.publish("a", b"mine")
        await one.ping()
        other.publish("a", b"yours")
        assert await _next(heard) == b"yours"


async def test_a_channel_is_left_when_nobody_listens_any_more_and_can_be_listened_on_again(url: str) -> None:
    async with opened(url) as one, opened(url) as two:
        for n in range(3):
            async with two.subscribe("a") as first, two.subscribe("a") as second:
                one.publish("a", b"%d" % n)
                assert await _next(first) == await _next(second) == b"%d" % n
        assert two._bus._confirmed == {}
        assert not two._bus._listened


async def test_what_is_said_faster_than_it_leaves_loses_the_oldest_and_the_others_are_told(
    redis_server: RedisServer,
) -> None:
    url = redis_server.new_url()
    async with opened(url) as one, opened(url) as two, two.subscribe("a") as heard:
        for n in range(QUEUED_MESSAGES + 100):
            one.publish("a", b"%d" % n)
        assert await _next(heard) == b"100"
        assert heard.lagged is True


async def test_a_listener_hears_again_after_its_connection_was_cut_and_is_told(redis_server: RedisServer) -> None:
    url = redis_server.new_url()
    async with FaultProxy(redis_server.port, SystemClock()) as proxy, opened(url) as one:
        through = url.replace(str(redis_server.port), str(proxy.port))
        async with opened(through) as two, two.subscribe("a") as heard:
            proxy.cut()
            # Nobody listens for a moment; from then on every word gets through.
            async with asyncio.timeout(PATIENCE_S):
                waiting = asyncio.ensure_future(anext(aiter(heard)))
                while not waiting.done():
                    one.publish("a", b"again")
                    await one.ping()
            assert waiting.result() == b"again"
            assert heard.lagged is True


async def test_a_listener_outlives_a_restart_of_the_server(own_redis: RedisServer) -> None:
    async with opened(own_redis.url()) as one, opened(own_redis.url()) as two, two.subscribe("a") as heard:
        for took in attempts(3.0):  # service is back so soon after the server
            own_redis.kill()
            own_redis.start()
            began_s, word = CLOCK.elapsed(), b"again %d" % len(took)
            waiting = asyncio.ensure_future(_until(heard, word))
            while not waiting.done():
                one.publish("a", word)
                await one.ping()
            await waiting
            took.append(CLOCK.elapsed() - began_s)


async def test_nobody_is_made_to_believe_that_they_listen(redis_server: RedisServer) -> None:
    async with FaultProxy(redis_server.port, SystemClock()) as proxy:
        url = redis_server.new_url().replace(str(redis_server.port), str(proxy.port))
        async with opened(url, clock := PatientClock()) as store:
            await proxy.switch(Stall())
            clock.patience_s = 0.0
            with pytest.raises(StoreUnavailable, match="nobody can listen on 'a'"):
                await store.subscribe("a").__aenter__()
            clock.patience_s = PATIENCE_S
            await proxy.switch(Pass())
            proxy.cut()
            async with store.subscribe("a") as heard:
                store.publish("a", b"hello")
                assert await _next(heard) == b"hello"
