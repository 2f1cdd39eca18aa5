"""A real daemon under what looks like systemd."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from sulla.gateway.server.server import bind
from tests.daemon.running import PATIENCE_S, Place

_HANDED_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.executable, [sys.executable, "-m", "sulla", "up", "--port", sys.argv[2]])
"""
"""Begins a daemon as a socket unit does: with the socket at descriptor 3."""


def test_the_manager_hears_when_the_daemon_is_ready_that_it_lives_and_that_it_stops(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE_S)
        place = Place(tmp_path / "home", NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="300000")
        with place.up() as daemon:
            heard = [manager.recv(100) for _ in range(4)]
            daemon.ended(signal.SIGTERM)
        while b"STOPPING=1" not in heard:
            heard.append(manager.recv(100))
    assert heard.count(b"READY=1") == 1
    assert heard.count(b"WATCHDOG=1") >= 3


def test_the_daemon_answers_on_the_socket_that_it_was_handed_and_the_manager_keeps_it(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with bind("127.0.0.1", 0) as door:
        door.setblocking(True)
        port = door.getsockname()[1]
        command = [sys.executable, "-c", _HANDED_OVER, str(door.fileno()), str(port)]
        with subprocess.Popen(command, env=place.environ, pass_fds=[door.fileno()]) as daemon:
            # Nobody has to wait until it is ready: the kernel keeps who comes before.
            assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_S).status_code == 200
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(PATIENCE_S) == 0
        with socket.create_connection(("127.0.0.1", port)):
            assert os.fstat(door.fileno())
