"""The memory in a SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.memory.base import MemoryIndex
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import IN_MEMORY, open_memory
from sulla.store.sqlite.thread import SqliteThread
from tests.kits.entity_kit import *  # noqa: F403 - of what was drawn from them
from tests.kits.memory_kit import *  # noqa: F403 - all that every backend must hold
from tests.kits.memory_kit import SMALL, make_note
from tests.kits.vector_kit import *  # noqa: F403 - and of their vectors


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteMemory]:
    index = SqliteMemory(SqliteThread(path, 5.0, open_memory), SMALL)
    await index.open()
    try:
        yield index
    finally:
        await index.close()


@pytest.fixture(params=["file", "memory"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryIndex]:
    async with opened(tmp_path / "m.db" if request.param == "file" else IN_MEMORY) as backend:
        yield backend


async def test_it_is_there_after_it_was_closed_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    note = make_note("kept over night")
    async with opened(tmp_path / "m.db") as backend:
        await backend.add([note])
    assert (tmp_path / "m.db").stat().st_mode & 0o777 == 0o600
    async with opened(tmp_path / "m.db") as backend:
        assert [found.note for found in await backend.search(["ada"], "night", 5)] == [note]


async def test_two_processes_can_use_one_file(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db") as one, opened(tmp_path / "m.db") as other:
        note = make_note("seen by both")
        await one.add([note])
        assert await other.get([note.id]) == [note]
        await other.delete([note.id])
        assert await one.search(["ada"], "both", 5) == []


async def test_another_program_s_file_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("CREATE TABLE mine (id)")
    connection.close()
    before = (tmp_path / "m.db").read_bytes()
    with pytest.raises(StoreUnavailable, match=r"another program.s database.*move it away"):
        async with opened(tmp_path / "m.db"):
            pass
    assert (tmp_path / "m.db").read_bytes() == before


async def test_what_was_forgotten_cannot_be_read_from_the_file_in_whole(tmp_path: Path) -> None:
    note = make_note("the passphrase is hunter2horsebattery, she said")
    async with opened(tmp_path / "m.db") as backend:
        await backend.add([note])
        await backend.delete([note.id])
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"passphrase is hunter2horsebattery" not in left


async def test_a_question_of_many_words_takes_no_more_statements_than_one_of_a_single_word(tmp_path: Path) -> None:
    said: list[str] = []

    def watched(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
        connection = open_memory(path, busy_timeout_s)
        connection.set_trace_callback(said.append)
        return connection

    index = SqliteMemory(SqliteThread(tmp_path / "m.db", 5.0, watched), SMALL)
    await index.open()
    try:
        await index.add([make_note("violins and lanterns")])
        said.clear()
        one = await index.spread(["ada", "bob"], ["violin"])
        asked = len(said)
        many = await index.spread(["ada", "bob"], ["violin", *(f"word{number}" for number in range(30)), "lantern"])
    finally:
        await index.close()
    assert (one.notes, dict(one.having)) == (1, {"violin": 1})
    assert (many.notes, dict(many.having)) == (1, {"violin": 1, "lantern": 1})
    assert len(said) == 2 * asked
