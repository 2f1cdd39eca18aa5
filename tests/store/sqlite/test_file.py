"""A store's file: made safely, brought up to date whole or not at all, and left alone when it is not ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.sqlite import file as sqlite_file
from sulla.store.sqlite.file import explained, open_file
from sulla.store.sqlite.tables import MIGRATIONS

NEXT = ("CREATE TABLE more (name TEXT) WITHOUT ROWID", "CREATE TABLE yet_more (name TEXT PRIMARY KEY)")


def _version(path: Path) -> int:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def _foreign(path: Path, *statements: str) -> bytes:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "sulla.db"
    connection = open_file(path, 0.0)
    connection.execute("INSERT INTO meta VALUES ('a', 'b')")
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["sulla.db", "sulla.db-shm", "sulla.db-wal"]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    connection.close()
    assert _version(path) == len(MIGRATIONS)


def test_commits_wait_for_the_disk(tmp_path: Path) -> None:
    connection = open_file(tmp_path / "sulla.db", 0.0)
    asked = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    connection.close()
    assert asked == {"journal_mode": "wal", "synchronous": 2}  # 2 is FULL


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "sulla.db"
    path.touch()
    open_file(path, 0.0).close()
    assert _version(path) == len(MIGRATIONS)


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sulla.db"
    open_file(path, 0.0).close()
    before = path.read_bytes()
    open_file(path, 0.0).close()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE theirs (a)",),
        ("PRAGMA user_version = 1",),
        ("CREATE TABLE theirs (a)", "PRAGMA application_id = 77", "PRAGMA user_version = 1"),
    ],
)
def test_another_programs_database_is_left_alone(tmp_path: Path, statements: tuple[str, ...]) -> None:
    path = tmp_path / "theirs.db"
    before = _foreign(path, *statements)
    with pytest.raises(StoreUnavailable, match=r"theirs\.db.*another program.*SULLA_STORE"):
        open_file(path, 0.0)
    assert path.read_bytes() == before


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path, later = tmp_path / "sulla.db", len(MIGRATIONS) + 1
    open_file(path, 0.0).close()
    before = _foreign(path, f"PRAGMA user_version = {later}")
    with pytest.raises(StoreUnavailable, match=rf"version {later}, and this Sulla knows versions up to {later - 1}"):
        open_file(path, 0.0)
    assert path.read_bytes() == before


def test_an_earlier_version_is_brought_up_to_date_with_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sulla.db"
    connection = open_file(path, 0.0)
    connection.execute("INSERT INTO meta VALUES ('a', 'kept')")
    connection.close()
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*MIGRATIONS, NEXT[1:]))
    connection = open_file(path, 0.0)
    assert connection.execute("SELECT value FROM meta WHERE name = 'a'").fetchone() == ("kept",)
    assert connection.execute("SELECT count(*) FROM yet_more").fetchone() == (0,)
    connection.close()
    assert _version(path) == len(MIGRATIONS) + 1


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sulla.db"
    open_file(path, 0.0).close()
    # The first of these statements works and the second does not: WITHOUT ROWID wants a primary key.
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*MIGRATIONS, NEXT[::-1]))
    with pytest.raises(sqlite3.OperationalError, match="PRIMARY KEY"):
        open_file(path, 0.0)
    assert _version(path) == len(MIGRATIONS)
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", MIGRATIONS)
    connection = open_file(path, 0.0)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'yet_more'").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (sqlite3.SQLITE_BUSY, "another process"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "another process"),
        (sqlite3.SQLITE_FULL, "disk is full"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "read-only"),
        (sqlite3.SQLITE_CANTOPEN, "folder must exist"),
        (sqlite3.SQLITE_IOERR_FSYNC, "check the disk"),
        (sqlite3.SQLITE_CORRUPT, "damaged: restore a backup"),
        (sqlite3.SQLITE_NOTADB, "no SQLite file: restore a backup"),
        (sqlite3.SQLITE_INTERNAL, "if it keeps failing"),
    ],
)
def test_a_failure_names_the_file_and_the_remedy(code: int, remedy: str) -> None:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    told = explained(Path("folder/sulla.db"), error)
    assert told.retryable is True
    assert str(told).startswith("the store 'folder/sulla.db': ")
    assert remedy in str(told)
    assert "as SQLite says it" in str(told)


def test_so_does_one_that_sqlite_has_no_number_for() -> None:
    assert "if it keeps failing" in str(explained(Path("x.db"), sqlite3.OperationalError("Could not decode")))


@pytest.mark.parametrize("prepare", [lambda path: path.mkdir(), lambda path: path.parent.rmdir()], ids=["dir", "gone"])
def test_a_place_where_no_file_can_be_is_an_error(tmp_path: Path, prepare: Callable[[Path], None]) -> None:
    path = tmp_path / "folder" / "sulla.db"
    path.parent.mkdir()
    prepare(path)
    with pytest.raises((OSError, sqlite3.OperationalError)) as refused:
        open_file(path, 0.0)
    error = refused.value
    assert isinstance(error, OSError | sqlite3.OperationalError)
    assert repr(str(path)) in str(explained(path, error))
