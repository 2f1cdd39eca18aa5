"""The journal of a real daemon: over kills, beside a disk that fails, and without a key in anything that it writes."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from sulla.core.ids import ThreadId
from sulla.core.redact import MARK
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock
from sulla.store.sqlite.store import SqliteStore
from sulla.terminal.exits import Exit
from sulla.threads.archive.lines import event_of
from sulla.threads.bounds import ThreadLimits
from sulla.threads.store import ThreadStore
from tests.daemon.running import Daemon, Place
from tests.journal.desk import lines_of, until

KEY = "sk-ant-0123456789"


def _log(place: Place) -> Path:
    return place.home / "journal" / "conversations.jsonl"


def _thread_of(said: str) -> str:
    return str(json.loads(said.splitlines()[0])["thread_id"])


def _ask(place: Place, text: str, *words: str) -> str:
    code, said, complaint = place.run("ask", text, "--json", *words)
    assert code == Exit.OK, complaint
    return _thread_of(said)


def _status(place: Place) -> str:
    code, said, complaint = place.run("status", "--json")
    assert code == Exit.OK, complaint
    return str(json.loads(said)["journal"])


async def _kept(home: Path) -> list[dict[str, object]]:
    """Every event that the store holds, as clients see it."""
    clock = SystemClock()
    store = SqliteStore(home / "sulla.db", clock, lambda prefix: f"{prefix}_test")
    await store.open()
    try:
        threads = ThreadStore(store, clock, str, "test:1", THREAD_SCHEMA, ThreadLimits())
        infos = await store.find(kind="thread", limit=1000)
        found: list[dict[str, object]] = []
        for info in infos:
            entries = await threads.entries(ThreadId(info.key))
            assert len(entries) == info.last_seq
            found += [dict(event_of(ThreadId(info.key), entry)) for entry in entries]
        return found
    finally:
        await store.close()


def _kill(daemon: Daemon) -> None:
    assert daemon.ended(signal.SIGKILL) == -signal.SIGKILL


async def test_killed_between_turns_every_event_has_one_line(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_JOURNAL__FILE_BYTES="65536")
    thread_id = ""
    for number in range(3):
        with place.up() as daemon:
            asked = _ask(place, f"write {number}.txt: hello", *(["--thread", thread_id] if number % 2 else []))
            thread_id = thread_id or asked
            _kill(daemon)
        if _log(place).exists():
            with _log(place).open("ab") as file:  # as much of a line as a kill can leave
                file.write(b'{"thread_id":"thr_x","seq":1,"run_id":nu')
    with place.up() as daemon:
        await until(lambda: _status(place) == "up to date")
        assert daemon.ended(signal.SIGTERM) == 0
    kept = await _kept(place.home)
    written = lines_of(_log(place))
    assert len(written) == len(kept) > 25
    assert {(line["thread_id"], line["seq"]): line for line in written} == {
        (event["thread_id"], event["seq"]): event for event in kept
    }


async def test_no_file_and_no_log_of_the_daemon_holds_a_key_or_its_token(tmp_path: Path) -> None:
    place = Place(
        tmp_path / "home",
        SULLA_MODEL="offline",
        ANTHROPIC_API_KEY=KEY,
        REDIS_URL="redis://:p%40ssword9@host",
        SULLA_STORE="sqlite:///kept.db",
        SULLA_JOURNAL__TRAINING="true",
    )
    with place.up() as daemon:
        token = (place.home / "token").read_text().strip()
        _ask(place, f'write note.txt: {KEY} p@ssword9 {token} {{"key": "{KEY}"}}')
        await until(lambda: _status(place) == "up to date")
        assert daemon.ended(signal.SIGTERM) == 0
    files = sorted((place.home / "journal").iterdir())
    assert [path.name for path in files] == ["conversations.jsonl", "training.jsonl"]
    for path in files:
        content = path.read_text()
        assert MARK in content
        assert [secret for secret in (KEY, "p@ssword9", token) if secret in content] == []
    assert (place.home / "workspace" / "note.txt").read_text().count(KEY) == 2, "what people asked for is done"


async def test_a_journal_that_cannot_be_written_stops_no_turn_and_is_shown(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    (place.home / "journal" / "conversations.jsonl").mkdir(parents=True)
    with place.up() as daemon:
        _ask(place, "hello")
        _ask(place, "hello again")
        code, said, _ = place.run("status")
        assert code == Exit.OK
        assert "  journal: failing\n" in said
        assert f"  degraded: the journal cannot be written: {_log(place)}: Is a directory (since " in said
        assert daemon.ended(signal.SIGTERM) == 0
        assert daemon.complaints.count("the journal cannot be written") == 1
    _log(place).rmdir()
    with place.up() as daemon:
        await until(lambda: _status(place) == "up to date")
        assert daemon.ended(signal.SIGTERM) == 0
    assert len(lines_of(_log(place))) == len(await _kept(place.home))
