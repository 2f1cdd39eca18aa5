"""`sulla memory`: what agents remember, with or without a daemon."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sulla.memory.note import MemoryNote
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.kits.memory_kit import make_note

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    return tmp_path


def fill(home: Path, notes: Sequence[MemoryNote]) -> None:
    async def add() -> None:
        index = SqliteMemory(SqliteThread(home / "sulla.memory.db", 5.0, open_memory))
        await index.open()
        await index.add(notes)
        await index.close()

    asyncio.run(add())


def test_an_empty_memory_says_so(home: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "memory", "list")
    assert (shown.code, shown.out, shown.err) == (Exit.OK, "", "nothing is remembered yet\n")


def test_it_lists_the_newest_first_and_finds_by_words(home: Path, capsys: Capsys) -> None:
    tea, pot = make_note("tea in the \x1b[31mtin", kind="fact", at_ms=1000), make_note("pot broken", at_ms=2000)
    fill(home, [tea, pot, make_note("bob's own", scope="bob", at_ms=3000)])
    listed = typed(capsys, "memory", "list", "--agent", "ada").out.splitlines()
    assert listed == [
        f'- 1970-01-01: asked "asked of it"; ended: "pot broken" [{pot.id}, ada, thr_1]',
        f"- 1970-01-01: tea in the [31mtin [{tea.id}, ada, thr_1]",
    ]
    assert len(typed(capsys, "memory", "list").out.splitlines()) == 3
    found = typed(capsys, "memory", "search", "where", "tea?", "--json").out
    assert [json.loads(line)["id"] for line in found.splitlines()] == [tea.id]


def test_export_gives_every_note_once(home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.memory.cli.commands._PAGE", 4)
    notes = [make_note(f"note {n}", at_ms=n // 2, kind="fact" if n % 5 else "episode") for n in range(23)]
    fill(home, notes)
    out = typed(capsys, "memory", "export").out
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == sorted(note.id for note in notes)


def test_forgetting_asks_first_or_is_told_yes(home: Path, capsys: Capsys) -> None:
    note = make_note("tea in the tin", kind="fact")
    fill(home, [note])
    refused = typed(capsys, "memory", "forget", note.id)
    assert refused.code == Exit.USAGE
    assert "there is nobody to ask: say --yes to forget" in refused.err
    assert note.id in typed(capsys, "memory", "list").out
    assert typed(capsys, "memory", "forget", note.id, "--yes").out == "forgotten: 1\n"
    assert typed(capsys, "memory", "list").out == ""


def test_what_is_not_there_and_a_store_without_a_file_are_said_plainly(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = typed(capsys, "memory", "forget", "nope", "--yes")
    assert "nothing is remembered under nope: `sulla memory list` shows what is" in missing.err
    monkeypatch.setenv("SULLA_STORE", "memory:")
    assert "there is nothing to open" in typed(capsys, "memory", "list").err
    monkeypatch.delenv("SULLA_STORE")
    monkeypatch.setenv("SULLA_HOME", str(home / "none"))
    assert "make a home with `sulla init`" in typed(capsys, "memory", "list").err
