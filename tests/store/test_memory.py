"""The memory keeper passes the kit, and forgets in good time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from sulla.core.ids import MakeId
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from tests.kits.store_kit import StoreKit
from tests.kits.store_world import ManualWorld, StoreWorld


def _world() -> ManualWorld:
    @cache
    def one(clock: ManualClock, make_id: MakeId) -> MemoryStore:
        return MemoryStore(clock, make_id)

    return ManualWorld(one)


class TestMemoryStore(StoreKit):
    """One object is one store: every handle is the same one."""

    @pytest.fixture
    def world(self) -> StoreWorld:
        return _world()

    @pytest.fixture
    def new_world(self) -> Callable[[], StoreWorld]:
        return _world
