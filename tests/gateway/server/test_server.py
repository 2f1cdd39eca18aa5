from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sulla.core.errors import PortInUse, SettingsError
from sulla.gateway.server.server import Server, bind
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Peer, Raw, until

Connect = Callable[..., Awaitable[Peer]]
OpenRaw = Callable[..., Awaitable[Raw]]


# ------------------------------------------------------------------------------------------------------------ binding


def test_a_port_in_use_is_named_with_the_remedy() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"127.0.0.1:{port} is in use.*--port"):
            bind("127.0.0.1", port)


def test_a_port_is_free_again_at_once() -> None:
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
    with bind("127.0.0.1", port) as second:
        assert second.getsockname()[1] == port


def test_what_is_no_address_of_ours_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("203.0.113.7", 0))])
    with pytest.raises(SettingsError, match=r"cannot listen on 203\.0\.113\.7:0"):
        bind("203.0.113.7", 0)


def test_a_socket_that_was_handed_over_is_used() -> None:
    with bind("127.0.0.1", 0) as opened:
        port = opened.getsockname()[1]
        with bind("127.0.0.1", port, listening=os.dup(opened.fileno())) as taken:
            assert taken.getsockname()[1] == port


def test_a_socket_that_was_handed_over_must_be_where_the_settings_say() -> None:
    with bind("127.0.0.1", 0) as opened, pytest.raises(SettingsError, match="make ListenStream= of its socket unit"):
        bind("127.0.0.1", 8137, listening=os.dup(opened.fileno()))


def test_a_descriptor_that_is_no_socket_is_named() -> None:
    with (
        Path(os.devnull).open() as file,
        pytest.raises(SettingsError, match=f"descriptor {file.fileno()} is no socket"),
    ):
        bind("127.0.0.1", 8137, listening=file.fileno())


@pytest.mark.parametrize("port", [-1, 65_536, 70_000])
def test_what_is_no_port_is_named(port: int) -> None:
    with pytest.raises(SettingsError, match="0 to 65535"):
        bind("127.0.0.1", port)


def test_the_socket_is_made_for_small_frames_and_stuck_peers() -> None:
    with bind("localhost", 0) as sock:
        assert sock.proto == socket.IPPROTO_TCP
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 8000


# ----------------------------------------------------------------------------------------------------------- stopping


async def test_a_stop_closes_clients_with_restart_and_takes_no_new_ones(server: Server, connect: Connect) -> None:
    peer = await connect()
    await server.stop(PATIENCE_S)
    assert (await peer.closed())[0] == 1012
    with pytest.raises(OSError, match="Connect call failed"):
        await Raw.connect(server).__aenter__()


async def test_when_it_no_longer_listens_open_connections_go_on(server: Server, connect: Connect) -> None:
    peer = await connect()
    await server.stop_listening()
    await peer.call("system.status")
    with pytest.raises(OSError, match="Connect call failed"):
        await Raw.connect(server).__aenter__()


async def test_a_stop_waits_for_nobody_beyond_its_deadline(
    start: Start, connect: Connect, commands: MemoryCommands, manual_clock: ManualClock
) -> None:
    commands.gates["status"] = asyncio.Event()
    server = await start(clock=manual_clock)
    peer = await connect(server)
    await peer.say({"jsonrpc": "2.0", "id": 1, "method": "system.status"})
    await until(lambda: commands.calls)
    stopping = asyncio.ensure_future(server.stop(3.0))
    await manual_clock.advance(2.9)
    assert not stopping.done()
    await manual_clock.advance(0.1)
    await until(stopping.done)
    assert not server.connections


async def test_a_second_stop_does_nothing(server: Server) -> None:
    await server.stop()
    await server.stop()


async def test_signals_stay_with_the_daemon(start: Start) -> None:
    before = (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
    await start()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
