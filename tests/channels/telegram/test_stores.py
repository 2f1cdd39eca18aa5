"""A kill at any write, over a store that is a file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.host.system import random_id
from sulla.store.base import Store
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.channels.kill_kit import KillKit
from sulla.testing.channels.telegram import TelegramWire
from sulla.testing.clock import ManualClock


class TestOnSqlite(KillKit):
    @pytest.fixture
    async def wire(self, clock: ManualClock) -> AsyncIterator[TelegramWire]:
        wire = TelegramWire(clock)
        await wire.start()
        yield wire
        await wire.stop()

    @pytest.fixture
    async def store(self, clock: ManualClock, tmp_path: Path) -> AsyncIterator[Store]:
        store = SqliteStore(tmp_path / "sulla.db", clock, random_id)
        yield store
        await store.close()

    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()
