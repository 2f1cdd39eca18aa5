"""A daemon whose disk is full, a real one: it says so everywhere, loses nothing, and goes on once there is room."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from sulla.daemon.store_watch import LEAST_BYTES
from tests.daemon.running import Place, service
from tests.kits.small_disk import small_disk
from tests.servers.script import Reply, Rule, Script
from tests.soon import until

LONG = "It took a while. " * 20
SCRIPT = Script(
    [
        Rule(Reply(f"{LONG}<AGENT_DONE/>", pieces=6, hold="gate", hold_after=3), text="slow"),
        Rule(Reply("Hello.<AGENT_DONE/>")),
    ]
)


SETTINGS = {"SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0", "SULLA_MEMORY__ENABLED": "false"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


def fill(disk: Path, leave: int) -> None:
    """Write a file until so many bytes are left."""
    with (disk / "ballast").open("ab") as file:
        while (free := os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize) > leave:
            file.write(b"x" * min(65536, free - leave))
            file.flush()


def ready(url: str) -> int:
    """What `/readyz` answers."""
    with httpx2.Client() as http:
        return http.get(f"{url}/readyz").status_code


@pytest.mark.parametrize("leave", [LEAST_BYTES // 2, 0])
def test_a_full_disk_is_told_by_all_who_are_asked_and_nothing_that_was_kept_is_lost(disk: Path, leave: int) -> None:
    with service(SCRIPT) as model:
        place = Place(disk / "home", **SETTINGS, **model.environ)
        with place.up() as daemon:
            assert place.ask("before")[:2] == (0, "Hello.\n")
            fill(disk, leave)
            until(lambda: ready(daemon.url) == 503, "the daemon says that it is not ready")
            with httpx2.Client() as http:
                blocking = http.get(f"{daemon.url}/readyz").json()
            assert "store" in json.dumps(blocking), blocking
            code, said, told = place.run("ask", "meanwhile")
            assert (code != 0, said) == (True, "")
            assert "the disk is full: free some space" in told
            code, _, told = place.run("chat", given=b"meanwhile\n")
            assert code != 0
            assert "the disk is full: free some space" in told
            code, shown, told = place.run("status")
            assert "the disk is full" in shown + told
            assert "Traceback" not in shown + told + daemon.complaints
            (disk / "ballast").unlink()
            until(lambda: ready(daemon.url) == 200, "it is ready again")
            assert place.ask("after")[:2] == (0, "Hello.\n")
            rows = [json.loads(line) for line in place.run("thread", "list", "--json")[1].splitlines()]
            assert len(rows) == 2, rows


def test_a_turn_under_way_as_the_disk_fills_is_ended_once_there_is_room(disk: Path) -> None:
    with service(SCRIPT) as model:
        place = Place(disk / "home", **SETTINGS, **model.environ)
        with place.up() as daemon, place.begin("ask", "slow") as asking:
            asking.until("It took a while.")
            fill(disk, 0)
            model.release("gate")
            until(lambda: ready(daemon.url) == 503, "the daemon says that it is not ready")
            asking_said = asking.complaints
            (disk / "ballast").unlink()
            until(lambda: ready(daemon.url) == 200, "it is ready again")
            code = asking.ended()
            assert (code, asking.said.strip()) == (0, LONG.strip()), (asking_said, asking.complaints)
            assert "Traceback" not in asking.complaints + daemon.complaints
            (row,) = [json.loads(line) for line in place.run("thread", "list", "--json")[1].splitlines()]
            shown = place.run("thread", "show", row["thread_id"])[1]
            assert shown.count(LONG.strip()) == 1, shown


def test_a_daemon_does_not_start_on_a_full_disk_and_says_why(disk: Path) -> None:
    with service(SCRIPT) as model:
        place = Place(disk / "home", **SETTINGS, **model.environ)
        with place.up():
            assert place.ask("before")[0] == 0
        fill(disk, 0)
        code, said, told = place.run("up", "--port", "0")
        assert code != 0, (said, told)
        assert "disk is full" in told or "No space left" in told, told
        assert "Traceback" not in told


def test_a_start_on_a_full_disk_asks_for_room_and_for_no_other_home(disk: Path) -> None:
    place = Place(disk / "home", **SETTINGS)
    with place.up():
        pass
    fill(disk, 0)
    code, _, told = place.run("up", "--port", "0")
    assert code != 0
    assert "free some space" in told
    assert "--home" not in told
