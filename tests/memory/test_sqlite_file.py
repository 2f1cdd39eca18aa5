"""The SQLite file of the memory, from one version to the next."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.memory import sqlite_file
from sulla.memory.note import note_to_json
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from tests.kits.memory_kit import make_note
from tests.kits.vector_kit import vector_of

FIRST = """
CREATE TABLE scope (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE note (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope INTEGER NOT NULL,
    kind TEXT NOT NULL, thread TEXT NOT NULL, at_ms INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX note_by_time ON note (scope, kind, at_ms, number);
CREATE INDEX note_by_thread ON note (thread, kind);
CREATE TABLE reading (thread TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (text, detail = full, tokenize = 'unicode61 remove_diacritics 0');
CREATE TABLE spread (word TEXT PRIMARY KEY, notes INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 1398099021;
"""
"""As the first version made it."""


def _first(path: Path, version: int = 1) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(FIRST + f"PRAGMA user_version = {version}")
    note = make_note("tea tin")
    connection.execute("INSERT INTO scope VALUES (1, 'ada')")
    row = (note.id, note.kind, note.thread_id, note.at_ms, note_to_json(note))
    connection.execute("INSERT INTO note (id, scope, kind, thread, at_ms, body) VALUES (?, 1, ?, ?, ?, ?)", row)
    connection.execute("INSERT INTO words (rowid, text) VALUES (1, '1xtea 1xtin')")
    connection.executemany("INSERT INTO spread VALUES (?, 1)", [("1xtea",), ("1xtin",)])
    connection.close()


async def test_a_file_of_the_first_version_is_brought_up_with_all_that_is_in_it(tmp_path: Path) -> None:
    _first(tmp_path / "m.db")
    for _ in range(2):
        index = SqliteMemory(SqliteThread(tmp_path / "m.db", 5.0, open_memory))
        await index.open()
        (found,) = await index.search(["ada"], "tea", 5)
        await index.vectors.use("m:one")
        await index.vectors.put("m:one", [vector_of(found.note)])
        assert await index.vectors.missing(5) == []
        assert len(await index.vectors.signed("ada", 0, 5)) == 1
        await index.close()


def test_a_cut_while_it_is_brought_up_leaves_the_first_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _first(tmp_path / "m.db")
    monkeypatch.setattr(sqlite_file, "_VERSIONS", (*sqlite_file._VERSIONS, ("CREATE TABLE note (again)",)))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        open_memory(tmp_path / "m.db", 5.0)
    with sqlite3.connect(tmp_path / "m.db") as left:
        assert left.execute("PRAGMA user_version").fetchone() == (1,)
        assert left.execute("SELECT count(*) FROM sqlite_master WHERE name = 'vector'").fetchone() == (0,)
    left.close()


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    _first(tmp_path / "m.db", 99)
    before = (tmp_path / "m.db").read_bytes()
    with pytest.raises(StoreUnavailable, match="a later Sulla's"):
        open_memory(tmp_path / "m.db", 5.0)
    assert (tmp_path / "m.db").read_bytes() == before
