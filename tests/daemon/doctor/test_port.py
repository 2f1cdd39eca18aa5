"""Who listens on a port."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.daemon.doctor.port import is_alive, listening_inodes, who_listens
from tests.servers.wire import WireRequest, WireResponse, WireServer

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1FC9 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000 100 0 0 10 0
   1: 0100007F:1FC9 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0000 100 0 0 10 0
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4244 1 0000 100 0 0 10 0
"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port on which this process listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_only_listening_sockets_of_the_port_count() -> None:
    assert listening_inodes(TABLE, 8137) == {"4242"}
    assert listening_inodes(TABLE, 22) == {"4244"}
    assert listening_inodes(TABLE, 80) == set()
    assert listening_inodes("", 80) == set()


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells who listens")
def test_a_program_of_ours_is_named_with_its_process(port: int) -> None:
    assert who_listens(port).endswith(f" (pid {os.getpid()})")


def test_where_nobody_tells_nothing_is_guessed(port: int, tmp_path: Path) -> None:
    assert who_listens(port, tmp_path / "none") == ""


def test_a_process_that_goes_away_or_is_anothers_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "tcp").write_text(TABLE)
    (tmp_path / "1").mkdir()
    (tmp_path / "2" / "fd").mkdir(parents=True)
    (tmp_path / "2" / "fd" / "3").symlink_to("socket:[4242]")
    (tmp_path / "2" / "comm").write_text("nginx\n")
    assert who_listens(8137, tmp_path) == "nginx (pid 2)"


@pytest.mark.parametrize(
    ("status", "body", "alive"),
    [(200, b'{"status": "ok"}', True), (200, b"<html>", False), (503, b'{"status": "ok"}', False), (200, b"[]", False)],
)
async def test_only_a_daemon_is_taken_for_one(status: int, body: bytes, alive: bool) -> None:
    async def handle(request: WireRequest, response: WireResponse) -> None:
        assert request.path == "/healthz"
        await response.whole(status, body)

    async with WireServer(handle) as server:
        assert await is_alive(server.url) is alive


async def test_nobody_is_alive_where_nobody_listens() -> None:
    assert await is_alive("http://127.0.0.1:1") is False
