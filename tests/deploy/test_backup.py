"""A backup that is taken while people talk, put back elsewhere: what was acknowledged when it began is there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.daemon.running import PATIENCE_S, Place
from tests.faults.conftest import new_database
from tests.faults.crowd import UNBOUNDED
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.servers.stores.postgres import PostgresServer, find_binaries
from tests.servers.stores.redis import find_redis, running_redis
from tests.soon import a_pause

pytestmark = in_turn(2)

TALKS = 4
A_THREAD = 20
"""Messages in a thread: fewer than may wait in one."""
BEFORE, AFTER = 24, 8
"""So many messages are acknowledged before the backup begins, and at least so many while it is made."""


@contextmanager
def _two_stores(kind: str, request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Where a daemon keeps everything, and where it is put back: an empty one."""
    match kind:
        case "redis":
            with running_redis(requirepass="s3cret") as old, running_redis(requirepass="other") as new:
                yield old.url(2), new.url(5)
        case "postgres":
            server: PostgresServer = request.getfixturevalue("postgres_server")
            yield new_database(server, 9001), new_database(server, 9002)
        case _:
            yield "", ""


@dataclass(slots=True)
class Talk:
    """What several people say, all at once, and what of it was acknowledged."""

    place: Place
    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    """Threads and texts."""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def go_on(self, number: int) -> None:
        """Send one message after the other until it is over."""
        async with open_client(door(self.place.home)) as client:
            count, thread = 0, ""
            while not self.over.is_set():
                if count % A_THREAD == 0:
                    thread = (await client.call("thread.create"))["thread_id"]
                text = f"text {number}-{count} ends"
                await client.call("turn.send", thread_id=thread, message_id=f"m{number}-{count}", text=text)
                self.acknowledged.append((thread, text))
                count += 1

    async def until(self, many: int) -> None:
        """Wait until so many are acknowledged."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.acknowledged) < many:
                await a_pause()


def _script(place: Place, name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    environ = place.environ | {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    command = [ROOT / "deploy" / f"{name}.sh", *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


def _missing(place: Place, wanted: list[tuple[str, str]], folder: Path) -> list[str]:
    """Texts that are in no record of their thread."""
    code, _, said = place.run("thread", "export", "--all", "--out", str(folder))
    assert code == 0, said
    return [text for thread, text in wanted if text not in (folder / f"{thread}.jsonl").read_text()]


def _programs(kind: str) -> list[Path]:
    """The folders of the programs that belong to a store."""
    postgres = find_binaries() if kind == "postgres" else None
    return [find_redis().parent] if kind == "redis" else [postgres] if postgres is not None else []


@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"])
async def test_what_was_acknowledged_before_a_backup_is_there_after_its_restore(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for folder in _programs(kind):
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with _two_stores(kind, request) as (old_url, new_url):
        old = Place(tmp_path / "home", **UNBOUNDED, SULLA_STORE=old_url)
        new = Place(tmp_path / "restored", **UNBOUNDED, SULLA_STORE=new_url)
        with old.up():
            talk = Talk(old)
            async with asyncio.TaskGroup() as group:
                for number in range(TALKS):
                    group.create_task(talk.go_on(number))
                await talk.until(BEFORE)
                before = list(talk.acknowledged)
                made = await asyncio.to_thread(_script, old, "backup", tmp_path / "backup")
                await talk.until(len(before) + AFTER)
                talk.over.set()
        assert made.returncode == 0, made.stderr
        put_back = _script(new, "restore", tmp_path / "backup")
        assert put_back.returncode == 0, put_back.stderr
        with new.up():
            assert _missing(new, before, tmp_path / "out") == []


def test_nothing_is_put_where_something_is(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    assert place.run("init", "--yes")[0] == 0
    with place.up():
        pass
    assert _script(place, "backup", tmp_path / "backup").returncode == 0
    over = _script(place, "restore", tmp_path / "backup")
    assert (over.returncode, over.stderr) == (1, f"restore.sh: {place.home} is not empty: put it aside first\n")
    again = _script(place, "backup", tmp_path / "backup")
    assert again.returncode == 1
    assert "is there already" in again.stderr


def test_a_backup_has_what_people_have_written_and_can_be_read_by_them_alone(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    assert place.run("init", "--yes")[0] == 0
    with place.up():
        assert _script(place, "backup", tmp_path / "backup").returncode == 0
    copied = {path.name for path in (tmp_path / "backup" / "home").iterdir()}
    assert {"sulla.toml", "agents", "token", "workspace"} <= copied
    assert copied & {"lock", "daemon.json", "sulla.db", "sulla.db-wal"} == set()
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0


ENVIRONMENT = "give this script the daemon's own environment (`set -a; . /etc/sulla/cluster.env; set +a`)"


def test_a_backup_of_another_store_than_the_daemons_is_refused(tmp_path: Path) -> None:
    """As where the unit's environment names the store, and nobody has told the shell of it."""
    file = tmp_path / "elsewhere.db"
    place = Place(tmp_path / "home", SULLA_STORE=f"sqlite:///{file}")
    outside = Place(tmp_path / "home")
    with place.up():
        running = _script(outside, "backup", tmp_path / "backup")
    afterwards = _script(outside, "backup", tmp_path / "backup")
    said = (
        f"backup.sh: the default names sqlite:///{place.home}/sulla.db, and the daemon of {place.home} kept "
        f"everything in sqlite:///{file}: {ENVIRONMENT}\n"
    )
    assert [(one.returncode, one.stderr) for one in (running, afterwards)] == [(1, said)] * 2
    assert not (tmp_path / "backup").exists()
    assert _script(place, "backup", tmp_path / "backup").returncode == 0


def test_a_home_in_which_nothing_was_said_has_no_backup(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    assert place.run("init", "--yes")[0] == 0
    told = _script(place, "backup", tmp_path / "backup")
    file = place.home / "sulla.db"
    said = f"names sqlite:///{file}, and there is no such file, so nothing was ever said here: {ENVIRONMENT}"
    assert told.returncode == 1
    assert said in told.stderr
    assert not (tmp_path / "backup").exists()


def test_a_home_that_was_moved_has_its_store_with_it(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up():
        pass
    moved = Place(place.home.rename(tmp_path / "moved"))
    assert _script(moved, "backup", tmp_path / "backup").returncode == 0


def test_what_cannot_be_put_back_says_what_it_is_and_what_is_wanted(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    gone = _script(place, "restore", tmp_path / "gone")
    assert (gone.returncode, gone.stderr) == (1, f"restore.sh: there is no folder {tmp_path / 'gone'}\n")
    backup = tmp_path / "backup"
    backup.mkdir()
    assert "is no backup" in _script(place, "restore", backup).stderr
    (backup / "home").mkdir()
    assert "has no conversations in it" in _script(place, "restore", backup).stderr
    (backup / "postgres.dump").touch()
    told = _script(place, "restore", backup).stderr
    assert told == (
        f"restore.sh: {backup} was made of PostgreSQL, and the default names sqlite:///{place.home}/sulla.db: "
        f"name an empty PostgreSQL by SULLA_STORE, or {ENVIRONMENT}\n"
    )
    assert not place.home.exists()


def test_a_torn_file_is_refused_with_or_without_sums_before_anything_is_put_anywhere(tmp_path: Path) -> None:
    place, new = Place(tmp_path / "home"), Place(tmp_path / "restored")
    with place.up():
        assert place.ask("who are you")[0] == 0
        assert _script(place, "backup", tmp_path / "backup").returncode == 0
    file = tmp_path / "backup" / "sqlite" / "sulla.db"
    whole = file.stat().st_size
    os.truncate(file, 20_000)
    told = _script(new, "restore", tmp_path / "backup")
    assert told.returncode == 1
    assert told.stderr == (
        f"restore.sh: {file} is not as it was when the backup was made: it has 20,000 bytes, of {whole:,} that were "
        "written, or others: copy the backup once more from where it was made, or take another one\n"
    )
    (tmp_path / "backup" / "sums.json").unlink()
    told = _script(new, "restore", tmp_path / "backup")
    assert told.returncode == 1
    assert f"{file} is damaged (" in told.stderr
    assert not new.home.exists()


@pytest.mark.parametrize("name", ["redis.rdb", "postgres.dump"])
def test_a_torn_dump_is_refused_before_a_server_is_asked(tmp_path: Path, name: str) -> None:
    url = {"redis.rdb": "redis://127.0.0.1:1/0", "postgres.dump": "postgresql://nobody@127.0.0.1:1/none"}[name]
    backup = tmp_path / "backup"
    (backup / "home").mkdir(parents=True)
    (backup / "sqlite").mkdir()
    (backup / name).write_bytes(b"whole")
    (backup / "sums.json").write_text(json.dumps({name: {"bytes": 5, "sha256": hashlib.sha256(b"whole").hexdigest()}}))
    place = Place(tmp_path / "restored", SULLA_STORE=url)
    assert "not as it was" not in _script(place, "restore", backup).stderr
    (backup / name).write_bytes(b"who")
    told = _script(place, "restore", backup).stderr
    assert f"{backup / name} is not as it was when the backup was made: it has 3 bytes, of 5" in told
