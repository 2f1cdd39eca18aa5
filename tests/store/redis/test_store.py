"""The Redis backend passes the kit on a real server, on a cluster's slots, and on fakeredis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kits.in_turn import in_turn
from tests.kits.redis_world import RedisWorld
from tests.kits.store_kit import StoreKit
from tests.kits.store_leases import WallClockKit
from tests.kits.store_world import StoreWorld
from tests.servers.stores.redis import FakeRedis, RedisServer, fake_redis, own_redis, redis_server

pytestmark = in_turn(3)

__all__ = ["fake_redis", "own_redis", "redis_server"]


class TestRedisStore(StoreKit, WallClockKit):
    """A database of a real server is one store."""

    examples = 10

    @pytest.fixture
    def world(self, redis_server: RedisServer) -> StoreWorld:
        return RedisWorld(redis_server.new_url())

    @pytest.fixture
    def new_world(self, redis_server: RedisServer) -> Callable[[], StoreWorld]:
        return lambda: RedisWorld(redis_server.new_url())


class TestRedisStoreByItsLibrary(StoreKit, WallClockKit):
    """The same without writing past redis-py."""

    examples = 4

    @pytest.fixture
    def world(self, redis_server: RedisServer) -> StoreWorld:
        return RedisWorld(redis_server.new_url(), direct=False)

    @pytest.fixture
    def new_world(self, redis_server: RedisServer) -> Callable[[], StoreWorld]:
        return lambda: RedisWorld(redis_server.new_url(), direct=False)


class TestRedisStoreOnFakeredis(StoreKit, WallClockKit):
    """fakeredis is no server, but the scripts have to work there too: a fifth of them, see `conftest.py`."""

    examples = 4

    @pytest.fixture
    def world(self, fake_redis: FakeRedis) -> StoreWorld:
        return RedisWorld(fake_redis.new_url())

    @pytest.fixture
    def new_world(self, fake_redis: FakeRedis) -> Callable[[], StoreWorld]:
        return lambda: RedisWorld(fake_redis.new_url())
