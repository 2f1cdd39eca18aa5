from __future__ import annotations

import os

import pytest

from bench.process import free_port, processor_s, ready_url, running, surroundings, wait_for_answer

SERVER = """
import socket
server = socket.create_server(("127.0.0.1", {port}))
print("hello", flush=True)
print("ready http://127.0.0.1:{port}", flush=True)
while True:
    peer, _ = server.accept()
    peer.recv(1000)
    peer.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
    peer.close()
"""


def test_a_program_runs_until_its_block_ends() -> None:
    port = free_port()
    with running(("-c", SERVER.format(port=port))) as process:
        wait_for_answer(port, "/")
        assert ready_url(process) == f"http://127.0.0.1:{port}"
        assert process.poll() is None
    assert process.returncode is not None


def test_a_program_that_is_never_ready_is_an_error() -> None:
    with running(("-c", "print('no')")) as process, pytest.raises(RuntimeError, match="before it was ready"):
        ready_url(process)


def test_a_program_sees_nothing_of_the_shells_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SULLA_MODEL", "offline")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "real")
    assert set(surroundings({"SULLA_HOME": "x"})) <= {"PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "SULLA_HOME"}


def test_processor_time_is_that_of_the_process() -> None:
    before = processor_s(os.getpid())
    sum(range(2_000_000))
    assert processor_s(os.getpid()) > before
