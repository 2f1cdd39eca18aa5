"""A kill at any write, over each store that outlives a process: a few writes in the gate where it takes long."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from sulla.host.system import random_id
from sulla.store.base import Store
from sulla.store.postgres.store import PostgresStore
from sulla.store.redis.store import RedisStore
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.channels.kill_kit import KillKit
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock
from tests.kits.points import sample
from tests.servers.stores.postgres import PostgresServer
from tests.servers.stores.redis import RedisServer, redis_server
from tests.soon import PatientClock

__all__ = ["redis_server"]

FEW = 2


class OnTelegram(KillKit):
    """The kit over one kind of channel; who runs it gives the store.

    A server's own time goes by as it does, however far the test moves that of the rest.
    """

    @pytest.fixture
    async def wire(self, clock: ManualClock) -> AsyncIterator[TelegramWire]:
        wire = TelegramWire(clock)
        await wire.start()
        yield wire
        await wire.stop()

    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()


class TestOnSqlite(OnTelegram):
    @pytest.fixture
    async def store(self, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Store]:
        store = SqliteStore(tmp_path / "sulla.db", clock, random_id)
        yield store
        await store.close()


class TestOnRedis(OnTelegram):
    deaths: ClassVar[Sequence[int]] = sample(KillKit.deaths, FEW, "kills of a channel on Redis")

    @pytest.fixture
    async def store(self, redis_server: RedisServer) -> AsyncIterator[Store]:
        store = RedisStore(redis_server.new_url(), PatientClock(), random_id)
        yield store
        await store.close()


class TestOnPostgres(OnTelegram):
    deaths: ClassVar[Sequence[int]] = sample(KillKit.deaths, FEW, "kills of a channel on PostgreSQL")

    @pytest.fixture
    async def store(self, postgres_server: PostgresServer) -> AsyncIterator[Store]:
        store = PostgresStore(postgres_server.emptied(), PatientClock(), random_id)
        yield store
        await store.close()


@pytest.mark.faults
class TestAllOnRedis(TestOnRedis):
    deaths: ClassVar[Sequence[int]] = KillKit.deaths


@pytest.mark.faults
class TestAllOnPostgres(TestOnPostgres):
    deaths: ClassVar[Sequence[int]] = KillKit.deaths
