"""A home on a disk that can only be read: what only looks still works, and what would change something says why not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.daemon.home.archive import open_archive
from sulla.daemon.settings.config import load_settings
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.store.sqlite.thread import SqliteThread
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.home.test_archive import begun
from tests.kits.memory_kit import make_note
from tests.kits.small_disk import read_only, small_disk

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.setenv("SULLA_HOME", str(disk / "home"))
        (disk / "home").mkdir()
        yield disk / "home"


async def filled(home: Path) -> str:
    """A home with a thread and a fact; the thread's id."""
    async with open_archive(load_settings({}, {}, home), make=True) as archive:
        thread_id = await begun(archive)
    index = SqliteMemory(SqliteThread(home / "sulla.memory.db", 5.0, open_memory))
    await index.open()
    await index.add([make_note("tea in the tin", kind="fact", at_ms=1000)])
    await index.close()
    return thread_id


def test_what_is_kept_can_be_looked_at(home: Path, tmp_path: Path, capsys: Capsys) -> None:
    thread_id = asyncio.run(filled(home))
    token = typed(capsys, "token").out
    created = typed(capsys, "token", "create", "phone", "--scope", "read")
    assert created.code == Exit.OK
    read_only(home.parent)
    before = sorted(home.iterdir())
    assert typed(capsys, "token").out == token
    listed = typed(capsys, "memory", "list")
    assert (listed.code, listed.err) == (Exit.OK, "")
    assert "tea in the tin" in listed.out
    out = tmp_path / "out.jsonl"
    exported = typed(capsys, "thread", "export", thread_id, "--out", str(out))
    assert (exported.code, exported.err) == (Exit.OK, "")
    assert json.loads(out.read_text().splitlines()[1])["type"] == "THREAD_CREATED"
    everything = typed(capsys, "thread", "export", "--all", "--out", str(tmp_path / "all"))
    assert (everything.code, everything.err) == (Exit.OK, "")
    tokens = typed(capsys, "token", "list", "--json")
    assert (tokens.code, tokens.err) == (Exit.OK, "")
    assert "phone" in [json.loads(line)["name"] for line in tokens.out.splitlines()]
    assert sorted(home.iterdir()) == before


def test_what_would_change_something_says_that_nothing_can_be_written(home: Path, capsys: Capsys) -> None:
    asyncio.run(filled(home))
    typed(capsys, "token")
    read_only(home.parent)
    for words in (["token", "create", "phone", "--scope", "read"], ["memory", "forget", "note_1", "--yes"]):
        refused = typed(capsys, *words)
        assert refused.code != Exit.OK
        assert len(refused.err.splitlines()) == 1
    assert "Read-only file system" in typed(capsys, "token", "create", "phone", "--scope", "read").err


def test_an_empty_home_has_no_memory_and_no_token_to_print(home: Path, capsys: Capsys) -> None:
    read_only(home.parent)
    listed = typed(capsys, "memory", "list")
    assert (listed.code, listed.err) == (Exit.OK, "nothing is remembered yet\n")
    refused = typed(capsys, "token")
    assert refused.code != Exit.OK
    assert "Read-only file system" in refused.err
