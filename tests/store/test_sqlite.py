"""The SQLite keeper passes the kit, and keeps its word through kills, full disks, damage and meddling."""

from __future__ import annotations

import asyncio
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from sulla.core.errors import CorruptRecord, StaleLease, StoreUnavailable
from sulla.store import Head, LogInfo, Record, Store
from sulla.store.sqlite import SqliteStore
from sulla.testing.clock import ManualClock
from tests.kits.store_kit import StoreKit
from tests.kits.store_leases import WallClockKit
from tests.kits.store_world import (
    DIGEST,
    KEY,
    ME,
    OPEN,
    OTHER,
    ManualWorld,
    StoreWorld,
    draft,
    kinds,
    make,
    numbers,
    present,
    send,
    snapshot,
    take,
    write,
)


def _store(path: Path, *, busy_timeout_s: float = 5.0) -> SqliteStore:
    """A keeper in a process that has just begun, on a machine that has just been started."""
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


# ----------------------------------------------------------------------------------------------------- killed

KILLED = """
import asyncio, os, sys
from pathlib import Path
from sulla.store import Draft, Head
from sulla.store.sqlite import SqliteStore
from sulla.testing.clock import ManualClock

async def main():
    store = SqliteStore(Path(sys.argv[1]), ManualClock(), lambda prefix: prefix)
    await store.open()
    await store.offer("log", "created", Draft("CREATED", b""), digest=b"", create=Head("thread"))
    lease = (await store.acquire("log", "home:1", 30.0)).lease
    for n in range(1, 10**6):
        await store.put("last", b"%d" % n)
        await store.offer("log", f"m{n}", Draft("INPUT", b"%d" % n * 100), digest=b"")
        last = await store.append(lease, n, [Draft("A", b"%d" % n), Draft("B", b"")], Head("thread", body=b"%d" % n), 0)
        print(n, last, flush=True)
        if n == int(sys.argv[2]):
            os.kill(os.getpid(), 9)

asyncio.run(main())
"""


@pytest.mark.parametrize("after_writes", [1, 30])
async def test_what_was_answered_is_there_after_a_kill_right_behind_the_answer(path: Path, after_writes: int) -> None:
    child = subprocess.run(
        [sys.executable, "-c", KILLED, path, str(after_writes)], capture_output=True, text=True, check=False
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    await _has_kept(path, child.stdout.splitlines(), all_of_it=True)


async def test_what_was_answered_is_there_after_a_kill_in_the_middle_of_writing(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, path, "0"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [child.stdout.readline() for _ in range(20)]
        child.kill()
        told += [line for line in child.stdout if line.endswith("\n")]
    await _has_kept(path, told, all_of_it=False)


async def _has_kept(path: Path, told: list[str], *, all_of_it: bool) -> None:
    number, last = (int(word) for word in told[-1].split())
    store = _store(path)
    await store.open()
    records = await store.read("log", limit=10**6)
    assert numbers(records) == list(range(1, len(records) + 1))
    assert [record.kind for record in records[:last]] == ["CREATED", *["INPUT", "A", "B"] * number]
    kept = int(present(await store.head("log")).head.body)
    assert len(records) - 1 - 3 * kept in (0, 1), "a write is there with its head, or not at all"
    assert int(present(await store.get("last"))) - kept in (0, 1)
    assert kept == number if all_of_it else kept >= number
    assert (await store.offer("log", f"m{number}", draft(), digest=b"")).first is False
    assert [info.key for info in await store.find(ready=True)] == ["log"]
    assert (await take(store, "log", "home:2")).lease.epoch == 2
    await store.close()


async def test_a_store_that_nobody_closed_lets_its_process_end(path: Path) -> None:
    script = KILLED.replace("os.kill(os.getpid(), 9)", "return")
    child = subprocess.run([sys.executable, "-c", script, path, "1"], capture_output=True, text=True, check=False)
    assert (child.returncode, child.stderr) == (0, "")


# --------------------------------------------------------------------------------------------- disks and damage


async def test_a_disk_that_fails_to_write_leaves_nothing_behind(store: Store, path: Path) -> None:
    await make(store)
    lease = (await take(store)).lease
    before = await snapshot(store)
    big = [draft("SMALL"), draft("BIG", bytes(2**20))]
    with _no_file_longer_than(path.with_name("sulla.db-wal").stat().st_size + 2**16):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match=r"sulla\.db.*check the disk"):
                await store.append(lease, 1, big, OPEN, 0)
        with pytest.raises(StoreUnavailable):
            await store.offer(KEY, "m1", big[1], digest=DIGEST)
        assert await snapshot(store) == before
    assert await store.append(lease, 1, big, OPEN, 0) == 3, "the same write number is good as soon as the disk is"
    assert await send(store, "m1") == 4


async def test_so_does_a_full_one(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store)
    lease = (await take(store)).lease
    before = await snapshot(store)
    (pages,) = await store._db.read(lambda db: db.execute("PRAGMA page_count").fetchone())
    await store._db.read(lambda db: db.execute(f"PRAGMA max_page_count = {pages + 4}").fetchone())
    big = [draft("SMALL"), draft("BIG", bytes(2**20))]
    for call in (store.append(lease, 1, big, OPEN, 0), store.put("value", big[1].body)):
        with pytest.raises(StoreUnavailable, match="disk is full: free some space"):
            await call
    assert await snapshot(store) == before
    await store._db.read(lambda db: db.execute("PRAGMA max_page_count = 1000000").fetchone())
    assert await store.append(lease, 1, big, OPEN, 0) == 3
    await store.close()


async def test_a_file_that_may_not_be_written_is_refused_by_name(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store)
    await store.close()
    # A write version that SQLite does not know makes a file read-only, for root as well.
    with path.open("r+b") as file:
        file.seek(18)
        file.write(b"\x03")
    with pytest.raises(StoreUnavailable, match=r"sulla\.db.*read-only: make the file and its folder writable"):
        await store.open()
    await store.close()


@pytest.mark.parametrize(
    "make_place", [lambda path: path.mkdir(), lambda path: path.parent.rmdir()], ids=["dir", "gone"]
)
async def test_a_place_where_no_file_can_be_is_named(tmp_path: Path, make_place: Callable[[Path], None]) -> None:
    path = tmp_path / "folder" / "sulla.db"
    path.parent.mkdir()
    make_place(path)
    store = _store(path)
    with pytest.raises(StoreUnavailable, match=r"folder/sulla\.db"):
        await store.open()
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.ping()


async def test_what_is_no_store_is_refused_and_left_alone(path: Path) -> None:
    for content in (b"my diary" * 1000, b"SQLite format 3\0" + b"\xff" * 5000):
        path.write_bytes(content)
        with pytest.raises(StoreUnavailable, match=r"sulla\.db.*restore a backup, or move"):
            await _store(path).open()
        assert path.read_bytes() == content


async def test_a_damaged_file_is_reported_and_never_read_as_empty(path: Path) -> None:
    store = _store(path)
    await store.open()
    for n in range(5):
        await make(store, f"log-{n}", Head("thread", body=bytes([n]) * 3000))
        for m in range(20):
            await store.offer(f"log-{n}", f"m{m}", draft(body=bytes([m]) * 700), digest=DIGEST)
    whole = await _everything(store)
    await store.close()
    content, page = path.read_bytes(), 4096
    found = 0
    for start in range(page, len(content), page):
        path.write_bytes(content[:start] + b"\xa5" * page + content[start + page :])
        again = _store(path)
        try:
            await again.open()
            damaged = await _everything(again)
        except (StoreUnavailable, CorruptRecord) as error:
            assert "damaged" in str(error)
            found += 1
        else:
            # Only what a record or a head holds may differ: its owner's checksum tells.
            assert [(info.key, info.last_seq) for info, _ in damaged] == [
                (info.key, info.last_seq) for info, _ in whole
            ]
            assert [numbers(records) for _, records in damaged] == [numbers(records) for _, records in whole]
        finally:
            await again.close()
    assert found > len(content) // page // 4


async def test_a_file_that_was_cut_short_is_reported(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store, head=Head("thread", body=bytes(10**5)))
    await store.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreUnavailable, match=r"sulla\.db.*damaged"):
        await store.open()
        await _everything(store)
    await store.close()


# ------------------------------------------------------------------------------------------------- other people


async def test_a_lock_of_another_process_is_waited_for_and_then_reported(store: Store, path: Path) -> None:
    await make(store)
    before = await snapshot(store)
    with _raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match=r"sulla\.db.*another process is writing"):
            await send(store, "m1")
        assert await snapshot(store) == before, "reading goes on meanwhile"
        other.execute("ROLLBACK")
    assert await send(store, "m1") == 2


@pytest.mark.parametrize("meddle", ["removed", "replaced"])
async def test_a_file_that_was_taken_away_keeps_nothing_in_secret(store: Store, path: Path, meddle: str) -> None:
    await make(store)
    lease = (await take(store)).lease
    aside = path.rename(path.with_name("aside.db"))
    if meddle == "replaced":
        path.write_bytes(aside.read_bytes())
    for call in (send(store, "m1"), write(store, lease, 1, "A"), store.put("key", b"value"), store.ping()):
        with pytest.raises(StoreUnavailable, match=r"sulla\.db.*moved, removed or replaced"):
            await call
    aside.rename(path)
    await store.ping()
    assert await write(store, lease, 1, "A") == 2
    assert await kinds(store) == ["CREATED", "A"]


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
    synced = {}
    for name, call in {
        "offer": lambda: send(store, "m1"),
        "renew": lambda: store.renew(lease),
        "append": lambda: write(store, lease, 1, "A"),
        "release": lambda: store.release(lease),
        "put": lambda: store.put("key", b"value"),
        "acquire": lambda: take(store),
    }.items():
        await call()
        synced[name] = (await store._db.read(lambda db: db.execute("PRAGMA synchronous").fetchone()))[0]
    full, normal = 2, 1
    assert synced == {"offer": full, "append": full, "put": full, "acquire": normal, "renew": normal, "release": normal}
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
        assert [raw.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("logs", "records", "dedupe")] == [
            (0,)
        ] * 3


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


@contextmanager
def _no_file_longer_than(limit_bytes: int) -> Iterator[None]:
    """The disk has no room for this process, whoever it runs as."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def _everything(store: Store) -> list[tuple[LogInfo, list[Record]]]:
    return [(info, await store.read(info.key, limit=10**6)) for info in await store.find(limit=10**6)]
