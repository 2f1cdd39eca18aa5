"""The SQLite backend keeps its word through kills, failing disks, damage and meddling."""

from __future__ import annotations

import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.store.base import Store
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import Head, LogInfo, Record
from sulla.testing.clock import ManualClock
from tests.kits.store_world import (
    DIGEST,
    KEY,
    OPEN,
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

PAGE = 4096
"""SQLite's page size, in bytes."""


def _store(path: Path, *, busy_timeout_s: float = 5.0) -> SqliteStore:
    return SqliteStore(path, ManualClock(), lambda prefix: f"{prefix}_1", busy_timeout_s=busy_timeout_s)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sulla.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = _store(path, busy_timeout_s=0.01)
    await store.open()
    yield store
    await store.close()


# ----------------------------------------------------------------------------------------------------- kills

CHILD = """
import asyncio, os, sys
from pathlib import Path
from sulla.store.values import Draft, Head
from sulla.store.sqlite.store import SqliteStore
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
            END

asyncio.run(main())
"""
KILLED, LEFT_OPEN = CHILD.replace("END", "os.kill(os.getpid(), 9)"), CHILD.replace("END", "return")


def _child(script: str, path: Path, writes: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, str(path), str(writes)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _child_killed_while_writing(path: Path, lines: int) -> list[str]:
    """What the child had told when it was killed."""
    with subprocess.Popen([sys.executable, "-c", KILLED, path, "0"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        return told + [line for line in child.stdout if line.endswith("\n")]


@pytest.mark.parametrize("writes", [1, 30])
async def test_what_was_answered_is_there_after_a_kill_right_behind_the_answer(path: Path, writes: int) -> None:
    child = _child(KILLED, path, writes)
    assert child.returncode == -signal.SIGKILL, child.stderr
    number, whole = await _look_after_a_kill(path, child.stdout.splitlines())
    assert (number, whole) == (writes, writes)


async def test_what_was_answered_is_there_after_a_kill_in_the_middle_of_writing(path: Path) -> None:
    number, whole = await _look_after_a_kill(path, _child_killed_while_writing(path, 20))
    assert whole >= number >= 20


async def _look_after_a_kill(path: Path, told: list[str]) -> tuple[int, int]:
    """How many writes were answered, and how many are kept; nothing is kept in part."""
    number, last = (int(word) for word in told[-1].split())
    store = _store(path)
    await store.open()
    records = await store.read("log", limit=10**6)
    whole = int(present(await store.head("log")).head.body)
    assert numbers(records) == list(range(1, len(records) + 1))
    assert [record.kind for record in records[:last]] == ["CREATED", *["INPUT", "A", "B"] * number]
    assert len(records) - 1 - 3 * whole in (0, 1), "records come with their head; only an input may be one ahead"
    assert int(present(await store.get("last"))) - whole in (0, 1)
    assert (await store.offer("log", f"m{number}", draft(), digest=b"")).first is False
    assert [info.key for info in await store.find(ready=True)] == ["log"]
    assert (await take(store, "log", "home:2")).lease.epoch == 2
    await store.close()
    return number, whole


async def test_a_store_that_nobody_closed_lets_its_process_end(path: Path) -> None:
    child = _child(LEFT_OPEN, path, 1)
    assert (child.returncode, child.stderr) == (0, "")


# ----------------------------------------------------------------------------------------------------- disks


async def test_a_disk_that_fails_to_write_leaves_nothing_behind(store: Store, path: Path) -> None:
    await make(store)
    lease = (await take(store)).lease
    before = await snapshot(store)
    big = [draft("SMALL"), draft("BIG", bytes(2**20))]
    with _no_file_longer_than(_size(path.with_name("sulla.db-wal")) + 2**16):
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match=r"sulla\.db.*check the disk"):
                await store.append(lease, 1, big, OPEN, 0)
        with pytest.raises(StoreUnavailable):
            await store.offer(KEY, "m1", big[1], digest=DIGEST)
        assert await snapshot(store) == before
    assert await store.append(lease, 1, big, OPEN, 0) == 3, "the same write number is good as soon as the disk is"
    assert await send(store, "m1") == 4


async def test_neither_does_a_full_one(store: SqliteStore) -> None:
    await make(store)
    lease = (await take(store)).lease
    before = await snapshot(store)
    pages = await _pragma(store, "page_count")
    await _pragma(store, f"max_page_count = {pages + 4}")
    big = [draft("SMALL"), draft("BIG", bytes(2**20))]
    await store.put("small", b"value")
    changes = (
        store.append(lease, 1, big, OPEN, 0),
        store.put("value", big[1].body),
        store.swap("value", None, big[1].body),
        store.swap("small", b"value", big[1].body),
    )
    for call in changes:
        with pytest.raises(StoreUnavailable, match="disk is full: free some space"):
            await call
    assert [await store.get("value"), await store.get("small")] == [None, b"value"]
    assert await snapshot(store) == before
    await _pragma(store, "max_page_count = 1000000")
    assert await store.append(lease, 1, big, OPEN, 0) == 3


async def test_a_file_that_may_not_be_written_is_refused_by_name(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store)
    await store.close()
    # A write version that SQLite does not know makes a file read-only, for root as well.
    content = _content(path)
    _overwrite(path, content[:18] + b"\x03" + content[19:])
    with pytest.raises(StoreUnavailable, match=r"sulla\.db.*read-only: make the file and its folder writable"):
        await store.open()
    await store.close()


@pytest.mark.parametrize("spoil", [Path.mkdir, lambda path: path.parent.rmdir()], ids=["a folder", "nowhere"])
async def test_a_place_where_no_file_can_be_is_named(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    path = tmp_path / "folder" / "sulla.db"
    _make_folder(path.parent)
    spoil(path)
    store = _store(path)
    with pytest.raises(StoreUnavailable, match=r"folder/sulla\.db"):
        await store.open()
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.ping()


# ---------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize("content", [b"my diary" * 1000, b"SQLite format 3\0" + b"\xff" * 5000], ids=["text", "torn"])
async def test_what_is_no_store_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    _overwrite(path, content)
    with pytest.raises(StoreUnavailable, match=r"sulla\.db.*restore a backup, or move"):
        await _store(path).open()
    assert _content(path) == content


async def test_a_damaged_file_is_reported_and_never_read_as_empty(path: Path) -> None:
    store = _store(path)
    await store.open()
    for n in range(5):
        await make(store, f"log-{n}", Head("thread", body=bytes([n]) * 3000))
        for m in range(20):
            await store.offer(f"log-{n}", f"m{m}", draft(body=bytes([m]) * 700), digest=DIGEST)
    whole = _outline(await _everything(store))
    await store.close()
    content = _content(path)
    places = range(PAGE, len(content), PAGE)
    reported = 0
    for start in places:
        _overwrite(path, content[:start] + b"\xa5" * PAGE + content[start + PAGE :])
        seen = await _everything_or_damage(path)
        if isinstance(seen, str):
            assert "damaged" in seen
            reported += 1
        else:
            # Only what a record or a head holds may differ, and its owner's checksum tells.
            assert _outline(seen) == whole
    assert reported > len(places) // 4


async def test_a_file_that_was_cut_short_is_reported(path: Path) -> None:
    store = _store(path)
    await store.open()
    await make(store, head=Head("thread", body=bytes(10**5)))
    await store.close()
    content = _content(path)
    _overwrite(path, content[: len(content) // 2])
    assert "damaged" in str(await _everything_or_damage(path))


# -------------------------------------------------------------------------------------------------- meddling


async def test_a_lock_of_another_process_is_waited_for_and_then_reported(store: Store, path: Path) -> None:
    await make(store)
    before = await snapshot(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match=r"sulla\.db.*another process is writing"):
        await send(store, "m1")
    assert await snapshot(store) == before, "reading goes on meanwhile"
    other.execute("ROLLBACK")
    other.close()
    assert await send(store, "m1") == 2


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_was_taken_away_keeps_nothing_in_secret(store: Store, path: Path, replaced: bool) -> None:
    await make(store)
    lease = (await take(store)).lease
    aside = path.with_name("aside.db")
    _move(path, aside)
    if replaced:
        _overwrite(path, _content(aside))
    changes = (
        send(store, "m1"),
        write(store, lease, 1, "A"),
        store.put("key", b"value"),
        store.swap("key", None, b"value"),
        store.ping(),
        store.incarnation(),  # who watches the store asks this
    )
    for call in changes:
        with pytest.raises(StoreUnavailable, match=r"sulla\.db.*moved, removed or replaced"):
            await call
    _move(aside, path)
    await store.ping()
    assert await write(store, lease, 1, "A") == 2
    assert await kinds(store) == ["CREATED", "A"]


# --------------------------------------------------------------------------------------------------- helpers


@contextmanager
def _no_file_longer_than(limit_bytes: int) -> Iterator[None]:
    """The disk has no room for this process, whoever it runs as."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _content(path: Path) -> bytes:
    return path.read_bytes()


def _overwrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _make_folder(path: Path) -> None:
    path.mkdir()


def _move(path: Path, to: Path) -> None:
    path.replace(to)


def _size(path: Path) -> int:
    return path.stat().st_size


async def _pragma(store: SqliteStore, words: str) -> int:
    """Ask the store's own connection."""
    rows = await store._db.read(lambda db: list(db.execute(f"PRAGMA {words}")))
    return int(rows[0][0])


async def _everything(store: Store) -> list[tuple[LogInfo, list[Record]]]:
    return [(info, await store.read(info.key, limit=10**6)) for info in await store.find(limit=10**6)]


async def _everything_or_damage(path: Path) -> list[tuple[LogInfo, list[Record]]] | str:
    store = _store(path)
    try:
        await store.open()
        return await _everything(store)
    except (StoreUnavailable, CorruptRecord) as error:
        return str(error)
    finally:
        await store.close()


def _outline(everything: list[tuple[LogInfo, list[Record]]]) -> list[tuple[str, int, list[int]]]:
    return [(info.key, info.last_seq, numbers(records)) for info, records in everything]
