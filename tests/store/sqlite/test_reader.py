"""A store's file, looked at: beside its writer or alone, damaged or whole, and never changed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.host.system import SystemClock
from sulla.store.sqlite import reader as sqlite_reader
from sulla.store.sqlite.reader import SqliteReader
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock

LOGS = 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a b?#%.db"


def _store(path: Path) -> SqliteStore:
    return SqliteStore(path, ManualClock(), lambda prefix: f"{prefix}_1")


async def _fill(store: SqliteStore, logs: int = LOGS) -> None:
    for number in range(logs):
        key = f"log{number:03}"
        await store.offer(key, "one", Draft("INPUT", b"x" * 3000), digest=b"d", create=Head("thread"))


@pytest.fixture
async def closed(path: Path) -> Path:
    """A file whose writer has left in order."""
    store = _store(path)
    await store.open()
    await _fill(store)
    await store.close()
    return path


@asynccontextmanager
async def _reading(path: Path, *, quiet: bool = True) -> AsyncIterator[SqliteReader]:
    reader = SqliteReader(path, ManualClock(), quiet=quiet)
    try:
        assert await reader.open()
        yield reader
    finally:
        await reader.close()


def _folder(path: Path) -> dict[str, str]:
    return {item.name: sha256(item.read_bytes()).hexdigest() for item in path.parent.iterdir()}


async def test_it_reads_what_was_kept(closed: Path) -> None:
    async with _reading(closed) as reader:
        infos = await reader.find(limit=3)
        assert [info.key for info in infos] == ["log000", "log001", "log002"]
        assert [info.key for info in await reader.find(after_key="log037")] == ["log038", "log039"]
        assert [record.body for record in await reader.read("log001")] == [b"x" * 3000]
        assert await reader.read("log001", after=1) == []
        assert await reader.head("log001") == infos[1]
        assert await reader.head("none") is None
        assert (await reader.structure(60.0)).faults == ()


async def test_looking_at_a_closed_file_leaves_not_even_a_neighbour(closed: Path) -> None:
    before = _folder(closed)
    async with _reading(closed) as reader:
        await reader.structure(60.0)
        await reader.find()
    assert _folder(closed) == before
    assert list(before) == [closed.name]


async def test_what_a_killed_writer_left_in_its_log_is_read_and_stays_there(path: Path, tmp_path: Path) -> None:
    store = _store(path)
    await store.open()
    await _fill(store)
    copy = tmp_path / "copy"
    copy.mkdir()
    for item in tmp_path.glob(f"{path.name}*"):  # as a kill leaves it
        (copy / item.name).write_bytes(item.read_bytes())
    await store.close()
    left = {name: digest for name, digest in _folder(copy / path.name).items() if not name.endswith("-shm")}
    assert (copy / f"{path.name}-wal").stat().st_size > 0
    async with _reading(copy / path.name) as reader:
        assert len(await reader.find()) == LOGS
        assert (await reader.structure(60.0)).faults == ()
    after = {name: digest for name, digest in _folder(copy / path.name).items() if not name.endswith("-shm")}
    assert after == left


async def test_it_reads_beside_a_writer_that_goes_on(path: Path) -> None:
    store = _store(path)
    await store.open()
    await _fill(store, 2)
    async with _reading(path, quiet=False) as reader:
        assert len(await reader.find()) == 2
        await _fill(store, 5)
        assert len(await reader.find()) == 5
        assert (await reader.structure(60.0)).faults == ()
    await _fill(store, 9)
    assert len(await store.find()) == 9
    await store.close()


async def test_nothing_can_be_written_through_it(closed: Path) -> None:
    async with _reading(closed) as reader:
        with pytest.raises(StoreUnavailable, match="read-only"):
            await reader._run(lambda: reader._connected().execute("DELETE FROM records"))


async def test_a_file_that_is_not_there_is_not_made(path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        await SqliteReader(path, ManualClock(), quiet=True).open()
    assert not path.exists()


async def test_a_file_that_is_none_of_sqlites_is_named_with_a_remedy(path: Path) -> None:
    path.write_bytes(b"hello " * 2000)
    with pytest.raises(StoreUnavailable, match="this is no SQLite file: restore a backup"):
        await SqliteReader(path, ManualClock(), quiet=True).open()
    assert path.read_bytes() == b"hello " * 2000


async def test_another_programs_file_and_a_later_versions_are_refused(path: Path, closed: Path) -> None:
    with sqlite3.connect(closed) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreUnavailable, match="has version 99"):
        await SqliteReader(closed, ManualClock(), quiet=True).open()
    other = path.with_name("other.db")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreUnavailable, match="another program's database"):
        await SqliteReader(other, ManualClock(), quiet=True).open()


async def test_an_earlier_versions_file_is_told_from_ours_and_left_as_it_is(closed: Path) -> None:
    with sqlite3.connect(closed) as connection:
        connection.execute("PRAGMA user_version = 0")
    connection.close()
    reader = SqliteReader(closed, ManualClock(), quiet=True)
    assert await reader.open() is False
    await reader.close()


async def test_damage_in_the_middle_is_found(closed: Path) -> None:
    size = closed.stat().st_size
    with closed.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(os.urandom(8192))
    async with _reading(closed) as reader:
        found = await reader.structure(60.0)
        assert found.faults
        assert found.finished


async def test_a_look_that_takes_too_long_is_left_and_the_reader_is_of_further_use(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    monkeypatch.setattr(sqlite_reader, "_CHECK", endless)
    reader = SqliteReader(closed, SystemClock(), quiet=True)
    await reader.open()
    assert (await reader.structure(0.0)) == sqlite_reader.FileStructure(finished=False)
    assert len(await reader.find()) == LOGS
    await reader.close()
    await reader.close()


async def test_a_look_that_fails_says_why(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "_CHECK", "SELECT * FROM absent")
    async with _reading(closed) as reader:
        with pytest.raises(StoreUnavailable, match="no such table: absent"):
            await reader.structure(60.0)


async def test_a_closed_reader_says_so(closed: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is not open"):
        await SqliteReader(closed, ManualClock(), quiet=True).find()
