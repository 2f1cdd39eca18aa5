"""The memory backend passes the kit, and forgets in good time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from sulla.core.ids import MakeId
from sulla.store.memory import MemoryStore
from sulla.store.values import Head
from sulla.testing.clock import ManualClock
from tests.kits.store_kit import StoreKit
from tests.kits.store_leases import WallClockKit
from tests.kits.store_world import ManualWorld, StoreWorld, make, send


def _world() -> ManualWorld:
    @cache
    def one(clock: ManualClock, make_id: MakeId) -> MemoryStore:
        return MemoryStore(clock, make_id)

    return ManualWorld(one)


class TestMemoryStore(StoreKit, WallClockKit):
    """One object is one store: every handle is the same one."""

    @pytest.fixture
    def world(self) -> StoreWorld:
        return _world()

    @pytest.fixture
    def new_world(self) -> Callable[[], StoreWorld]:
        return _world


async def test_values_that_ran_out_do_not_pile_up() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, str)
    await store.open()
    most = 0
    for n in range(200):
        await store.put(f"key-{n}", b"value", 5)
        await clock.advance(1)
        most = max(most, len(store._values))
    assert most < 20


async def test_a_sweep_looks_at_no_idle_log() -> None:
    store = MemoryStore(ManualClock(), str)
    await store.open()
    for n in range(50):
        await make(store, f"idle-{n}")
    await send(store, "m1", "idle-7")
    await make(store, "due", Head("beat", due_ms=0))
    # Broken on purpose: whoever touches one of these fails.
    for n in range(50):
        if n != 7:
            del store._logs[f"idle-{n}"]
    assert [info.key for info in await store.find(ready=True)] == ["due", "idle-7"]


async def test_two_stores_are_two_incarnations() -> None:
    names = iter(("one", "two"))
    stores = [MemoryStore(ManualClock(), lambda _: next(names)) for _ in range(2)]
    for store in stores:
        await store.open()
    assert [await store.incarnation() for store in stores] == ["one", "two"]
