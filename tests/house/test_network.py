"""The suite cannot reach beyond this machine and fails at a warning: conftest.py and pyproject.toml see to it."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

PLANTED = """
import socket
import warnings

def test_swallows():
    try:
        socket.create_connection(("192.0.2.1", 80))
    except Exception:
        pass

def test_warns():
    warnings.warn("old")

async def test_leaves_a_coroutine():
    async def never(): ...
    never()

def test_is_fine():
    pass
"""


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("10.0.0.1", 80), ("example.org", 80)])
def test_a_connection_beyond_loopback_is_refused(address: tuple[str, int], reached_hosts: list[str]) -> None:
    with socket.socket() as client, pytest.raises(RuntimeError, match="only loopback"):
        client.connect(address)
    with socket.socket() as client, pytest.raises(RuntimeError, match="only loopback"):
        client.connect_ex(address)
    assert reached_hosts == [address[0]] * 2
    reached_hosts.clear()


async def test_so_is_one_through_the_event_loop(reached_hosts: list[str]) -> None:
    for host in ("192.0.2.1", "2001:db8::1", "example.org"):
        with pytest.raises(RuntimeError, match="only loopback"):
            await asyncio.open_connection(host, 80)
    assert reached_hosts
    reached_hosts.clear()


def test_a_look_up_of_a_foreign_name_is_refused(reached_hosts: list[str]) -> None:
    with pytest.raises(RuntimeError, match=r"example\.org"):
        socket.getaddrinfo("example.org", 80)
    reached_hosts.clear()


async def test_loopback_is_open() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("localhost", port)
        assert await reader.read() == b"hello"
        writer.close()
        await writer.wait_closed()


def test_a_swallowed_refusal_and_a_warning_fail_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-rfEp"]
    run = subprocess.run(
        [*command, "-c", ROOT / "pyproject.toml", tmp_path / "test_planted.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    bad = set(re.findall(r"^(?:FAILED|ERROR) \S*::(\w+)", run.stdout, re.MULTILINE))
    assert bad == {"test_swallows", "test_warns", "test_leaves_a_coroutine"}, run.stdout
