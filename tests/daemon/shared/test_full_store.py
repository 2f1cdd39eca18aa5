"""A daemon whose server takes nothing more, a real one: it says so everywhere, and goes on once there is room."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest
from redis import Redis

from sulla.host.home import Home
from tests.daemon.running import Daemon, Place, service
from tests.kits.small_disk import small_disk
from tests.servers.script import Reply, Rule, Script
from tests.servers.stores.postgres import FAST, PostgresServer, running_postgres
from tests.servers.stores.redis import running_redis
from tests.soon import until

SCRIPT = Script([Rule(Reply("Hello.<AGENT_DONE/>"))])
SETTINGS = {"SULLA_LIMITS__MESSAGE_INTERVAL_MS": "0", "SULLA_MEMORY__ENABLED": "false"}
LONG = "It does not fit. " * 1_000
MOST_SENT = 200
"""So many long messages are sent at the most until a full server refuses one: it may have some room left within."""


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A server of the test's own."""
    with running_postgres(**FAST) as server:
        yield server


@pytest.fixture
def disk(postgres: PostgresServer) -> Iterator[Path]:
    """The disk of one of its databases, ``small``."""
    with small_disk(postgres.folder / "small", "40m") as disk:
        owner = postgres.folder.stat()
        os.chown(disk, owner.st_uid, owner.st_gid)
        with psycopg.connect(postgres.socket_url(), autocommit=True) as server:
            server.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
            server.execute("CREATE DATABASE small TABLESPACE small")
        yield disk


def _fill(disk: Path) -> None:
    with (disk / "ballast").open("wb") as file:
        file.write(b"x" * (shutil.disk_usage(disk).free - 65_536))


def _asked(place: Place, daemon: Daemon, path: str) -> tuple[int, str]:
    headers = {"authorization": f"Bearer {Home(place.home).known_token()}"}
    with httpx2.Client(headers=headers) as http:
        answer = http.get(f"{daemon.url}{path}")
    return answer.status_code, answer.text


def _refused(place: Place) -> str:
    """Send until a message is refused; what its sender is told."""
    for _ in range(MOST_SENT):
        code, _, told = place.run("ask", LONG)
        if code != 0:
            return told
    raise AssertionError("the server takes whatever it gets")


def _is_told(place: Place, daemon: Daemon, words: str) -> None:
    until(lambda: _asked(place, daemon, "/readyz")[0] == 503, "the daemon says that it is not ready")
    said = _asked(place, daemon, "/readyz")[1]
    assert '"store_unavailable"' in said
    assert words in said
    assert "\nsulla_ready 0.0\n" in _asked(place, daemon, "/metrics")[1]
    code, _, told = place.run("ask", "meanwhile")
    assert code != 0
    assert words in told
    assert place.run("thread", "list")[0] == 0, "what is kept can be read"


def _goes_on(place: Place, daemon: Daemon) -> None:
    """Nobody sends anything before it says that it is ready."""
    until(lambda: _asked(place, daemon, "/readyz")[0] == 200, "it is ready again")
    assert "\nsulla_ready 1.0\n" in _asked(place, daemon, "/metrics")[1]
    assert place.ask("after")[:2] == (0, "Hello.\n")
    assert "Traceback" not in daemon.complaints


def test_a_redis_that_is_full_is_told_until_it_has_room(tmp_path: Path) -> None:
    with service(SCRIPT) as model, running_redis() as redis, Redis.from_url(redis.url()) as server:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ, REDIS_URL=redis.new_url())
        with place.up() as daemon:
            assert place.ask("before")[:2] == (0, "Hello.\n")
            server.config_set("maxmemory", "1mb")
            assert "it is full (maxmemory)" in _refused(place)
            _is_told(place, daemon, "it is full (maxmemory)")
            server.config_set("maxmemory", "0")
            _goes_on(place, daemon)


def test_a_postgresql_whose_disk_is_full_is_told_until_there_is_room(
    tmp_path: Path, postgres: PostgresServer, disk: Path
) -> None:
    with service(SCRIPT) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ, POSTGRES_URL=postgres.url("small"))
        with place.up() as daemon:
            assert place.ask("before")[:2] == (0, "Hello.\n")
            _fill(disk)
            assert "the server's disk is full" in _refused(place)
            _is_told(place, daemon, "the server's disk is full")
            (disk / "ballast").unlink()
            _goes_on(place, daemon)
