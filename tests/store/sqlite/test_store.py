"""The SQLite backend passes the kit, outlives a restart of the machine, and waits for the disk where it must."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.clock import ManualClock
from tests.kits.in_turn import in_turn
from tests.kits.store_kit import StoreKit
from tests.kits.store_leases import WallClockKit
from tests.kits.store_world import (
    KEY,
    ME,
    OTHER,
    ManualWorld,
    StoreWorld,
    make,
    present,
    send,
    take,
    write,
)

pytestmark = in_turn(2)


def _store(path: Path, *, busy_timeout_s: float = 5.0) -> SqliteStore:
    """A backend in a process that has just begun, on a machine that has just been started."""
    return SqliteStore(path, ManualClock(), lambda prefix: f"{prefix}_1", busy_timeout_s=busy_timeout_s)


def _world(path: Path) -> ManualWorld:
    return ManualWorld(lambda clock, make_id: SqliteStore(path, clock, make_id))


class TestSqliteStore(StoreKit, WallClockKit):
    """One file is one store."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> StoreWorld:
        return _world(tmp_path / "sulla.db")

    @pytest.fixture
    def new_world(self, tmp_path: Path) -> Callable[[], StoreWorld]:
        numbers = count()
        return lambda: _world(tmp_path / f"{next(numbers)}.db")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sulla.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    store = _store(path, busy_timeout_s=0.01)
    await store.open()
    yield store
    await store.close()


@contextmanager
def _raw(path: Path) -> Iterator[sqlite3.Connection]:
    """Another process's connection, as it were."""
    connection = sqlite3.connect(path, isolation_level=None)
    yield connection
    connection.close()


# ------------------------------------------------------------------------------------------- the machine restarts


async def test_a_lease_from_before_a_restart_of_the_machine_blocks_nobody_for_ever(path: Path) -> None:
    world = _world(path)
    store = world.store()
    await store.open()
    await make(store)
    await world.pass_time(10.0**7)
    late = (await take(store, owner=OTHER)).lease
    await store.close()
    rebooted = _store(path)
    await rebooted.open()
    assert present(await rebooted.head(KEY)).held is False
    assert (await take(rebooted, owner=ME)).lease.epoch == 2
    with pytest.raises(StaleLease, match=ME):
        await write(rebooted, late, 1, "LATE")
    await rebooted.close()


async def test_a_value_outlives_a_restart_of_the_machine_by_its_time_at_most(path: Path) -> None:
    world = _world(path)
    store = world.store()
    await store.open()
    await world.pass_time(10.0**7)
    await store.put("key", b"value", 10)
    await store.put("for ever", b"value")
    await store.close()
    rebooted = _world(path)
    store = rebooted.store()
    await store.open()
    assert await store.get("key") == b"value"
    await rebooted.pass_time(10)
    assert await store.get("key") is None
    assert await store.get("for ever") == b"value"
    await store.close()


# ------------------------------------------------------------------------------------------------------ its own


async def test_what_is_promised_waits_for_the_disk_and_who_holds_a_lease_does_not(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store)
    lease = (await take(store)).lease
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "offer": lambda: send(store, "m1"),
        "renew": lambda: store.renew(lease),
        "append": lambda: write(store, lease, 1, "A"),
        "release": lambda: store.release(lease),
        "put": lambda: store.put("key", b"value"),
        "swap": lambda: store.swap("key", b"value", b"new"),
        "acquire": lambda: take(store),
    }
    synced = {}
    for name, call in calls.items():
        await call()
        synced[name] = (await store._db.read(lambda db: db.execute("PRAGMA synchronous").fetchone()))[0]
    full, normal = 2, 1
    unlike = {"renew": normal, "release": normal, "acquire": normal}
    assert synced == dict.fromkeys(calls, full) | unlike
    await store.close()


async def test_values_that_ran_out_do_not_pile_up(path: Path) -> None:
    world = _world(path)
    store = world.store()
    await store.open()
    most = 0
    for n in range(200):
        await store.put(f"key-{n}", b"value", 5)
        await world.pass_time(1)
        with _raw(path) as raw:
            most = max(most, raw.execute("SELECT count(*) FROM small").fetchone()[0])
    assert most <= 6
    await store.close()


async def test_a_deleted_log_leaves_no_row(store: Store, path: Path) -> None:
    await make(store)
    await send(store, "m1")
    await store.delete((await take(store)).lease)
    with _raw(path) as raw:
        left = "SELECT (SELECT count(*) FROM logs), (SELECT count(*) FROM records), (SELECT count(*) FROM dedupe)"
        assert raw.execute(left).fetchone() == (0, 0, 0)


async def test_the_event_loop_runs_on_while_a_write_waits(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store)
    with _raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        asked = asyncio.ensure_future(send(store, "m1"))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not asked.done()
        other.execute("ROLLBACK")
    assert await asked == 2
    await store.close()
