"""`sulla doctor` on the memory."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import examine_settings
from sulla.host.home import Home
from sulla.memory.checks import judge_status, memory
from sulla.memory.sqlite import SqliteMemory
from sulla.memory.sqlite_file import open_memory
from sulla.memory.vectors import ways
from sulla.store.sqlite.thread import SqliteThread
from sulla.testing.clock import ManualClock
from tests.kits.memory_kit import make_note

READ_AND_CLOSE = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
other.execute("SELECT count(*) FROM note")
other.close()
"""


def patient(home: Path, **environ: str) -> Patient:
    async def ask(method: str) -> JsonObject:
        raise AssertionError(f"no daemon runs; asked for {method}")

    return Patient(Home(home), examine_settings(environ, {}, home), ManualClock(), os.geteuid(), None, ask)


async def test_looking_makes_no_file(tmp_path: Path) -> None:
    (finding,) = await memory(patient(tmp_path))
    assert (finding.result, "the first start makes it" in finding.found) == ("ok", True)
    assert list(tmp_path.iterdir()) == []


async def test_a_memory_that_is_off_or_elsewhere_is_told(tmp_path: Path) -> None:
    (off,) = await memory(patient(tmp_path, SULLA_MEMORY__ENABLED="false"))
    assert off.found == "switched off (memory.enabled)"
    (elsewhere,) = await memory(patient(tmp_path, SULLA_STORE="memory:"))
    assert (elsewhere.result, "where the store is" in elsewhere.found) == ("ok", True)


async def test_a_file_that_others_may_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "sulla.memory.db"
    file.touch(0o600)
    file.chmod(0o644)
    (finding,) = await memory(patient(tmp_path))
    assert (finding.result, finding.remedy) == ("warning", f"chmod 600 '{file}'")
    file.chmod(0o600)
    (finding,) = await memory(patient(tmp_path))
    assert finding.found == f"{file}, mode 0600"


async def test_a_file_that_is_no_memory_is_told_with_what_to_do_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "sulla.memory.db"
    file.write_bytes(b"something else entirely")
    file.chmod(0o600)
    (finding,) = await memory(patient(tmp_path))
    assert (finding.result, finding.found) == ("fault", f"{file} is no file of SQLite")
    assert "episodes are written again from the threads" in finding.remedy
    assert file.read_bytes() == b"something else entirely"


async def test_looking_leaves_a_running_memory_its_locks(tmp_path: Path) -> None:
    file = tmp_path / "sulla.memory.db"
    running = SqliteMemory(SqliteThread(file, 5.0, open_memory))
    await running.open()
    (finding,) = await memory(patient(tmp_path))
    assert finding.result == "ok"
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", READ_AND_CLOSE, file)
    assert await asyncio.wait_for(other.wait(), 60) == 0
    await running.add([make_note("tea tin")])
    assert file.with_name(f"{file.name}-wal").exists(), "another program took itself for the last to close the file"
    late = SqliteMemory(SqliteThread(file, 5.0, open_memory))
    await late.open()
    assert len(await late.search(["ada"], "tea", 5)) == 1
    await late.close()
    await running.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    file = tmp_path / "sulla.memory.db"
    file.touch(0o000)
    (finding,) = await memory(patient(tmp_path))
    assert (finding.result, finding.found) == ("fault", f"{file} cannot be read")


def test_an_embedding_model_that_cannot_be_asked_is_told_with_what_to_do() -> None:
    assert judge_status({"memory": "up to date", "memory_vectors": "behind", "memory_vectors_error": ""}) == []
    (finding,) = judge_status(
        {"memory": "up to date", "memory_vectors": "failing", "memory_vectors_error": "no Ollama"}
    )
    assert (finding.result, finding.found) == ("warning", "new notes are found by words alone for now: no Ollama")
    assert "memory.embed" in finding.remedy


async def test_it_is_told_with_what_notes_are_searched_by_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = patient(tmp_path, SULLA_MEMORY__EMBED="ollama:nomic-embed-text")
    assert [finding.found for finding in await memory(asked)][1:] == ["searched by meaning with numpy"]
    monkeypatch.setattr(ways, "version", lambda name: "1.26.4")
    _, finding = await memory(asked)
    assert (finding.result, "plain Python" in finding.found, "[vectors]" in finding.found) == ("ok", True, True)


async def test_a_store_that_there_is_not_is_told_once_by_its_own_check(tmp_path: Path) -> None:
    (finding,) = await memory(patient(tmp_path, SULLA_STORE="mysql://x"))
    assert finding.result == "ok"


def test_a_daemon_that_cannot_write_it_is_a_fault() -> None:
    assert judge_status({"memory": "up to date", "memory_error": "", "memory_unreadable": []}) == []
    failing, unread = judge_status({"memory": "failing", "memory_error": "disk full", "memory_unreadable": ["thr_1"]})
    assert (failing.result, "disk full" in failing.found) == ("fault", True)
    assert (unread.result, "thr_1" in unread.found) == ("warning", True)
