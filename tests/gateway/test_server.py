from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Awaitable, Callable

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from sulla.core.errors import PortInUse, SettingsError
from sulla.daemon.system import SystemClock
from sulla.gateway import Server, bind, serve
from sulla.testing.commands import MemoryCommands
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Peer, Raw, masked, until

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
    server: Server, connect: Connect, commands: MemoryCommands
) -> None:
    commands.gates["status"] = asyncio.Event()
    peer = await connect()
    await peer.say({"jsonrpc": "2.0", "id": 1, "method": "system.status"})
    await until(lambda: commands.calls)
    before = SystemClock().elapsed()
    await server.stop(0.05)
    assert SystemClock().elapsed() - before < 1.0
    assert not server.connections


async def test_a_second_stop_does_nothing(server: Server) -> None:
    await server.stop()
    await server.stop()


async def test_signals_stay_with_the_daemon(start: Start) -> None:
    before = (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))
    await start()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


# ------------------------------------------------------------------------------------------------------- hostile peers


@pytest.mark.parametrize("beginning", [b"", b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_who_does_not_finish_a_request_in_time_is_cut_off(start: Start, raw: OpenRaw, beginning: bytes) -> None:
    peer = await raw(await start(handshake_s=0.05))
    await peer.send(beginning)
    assert await peer.rest() == b""


async def test_the_second_request_of_a_connection_has_a_deadline_too(start: Start, raw: OpenRaw) -> None:
    peer = await raw(await start(handshake_s=0.05))
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await peer.reader.readuntil(b"}")
    await peer.send(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
    assert await peer.rest() == b""


async def test_a_head_that_comes_byte_by_byte_has_one_deadline(start: Start, raw: OpenRaw) -> None:
    server = await start(handshake_s=0.05)
    peer = await raw(server)

    async def drip() -> None:
        await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        while True:
            await peer.send(b"x")
            await asyncio.sleep(0)

    dripping = asyncio.ensure_future(drip())
    assert await peer.rest() == b""
    dripping.cancel()
    await asyncio.wait((dripping,))


async def test_an_upgraded_connection_outlives_the_deadline_of_its_head(
    start: Start, connect: Connect, raw: OpenRaw
) -> None:
    server = await start(handshake_s=0.05)
    peer = await connect(server)
    await (await raw(server)).rest()  # somebody who came later is past the deadline already
    await peer.call("system.status")


async def test_connections_are_bounded(start: Start, connect: Connect, raw: OpenRaw) -> None:
    server = await start(connections=3)
    peers = [await connect(server) for _ in range(3)]
    assert await (await raw(server)).rest() == b""
    await peers[0].call("system.status")
    await peers[1].socket.close()
    await connect(server)


@pytest.mark.parametrize("size", [10_000, 100_000])
async def test_an_oversized_header_is_refused(raw: OpenRaw, size: int) -> None:
    peer = await raw()
    await peer.send(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Big: " + b"x" * size)
    if size < 16_384:
        await peer.send(b"\r\nOrigin: https://evil.example\r\n\r\n")
        assert (await peer.reader.readline()).startswith(b"HTTP/1.1 403")
    else:
        assert (await peer.reader.readline()).startswith(b"HTTP/1.1 400")


async def test_a_message_in_too_many_pieces_ends_the_connection(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.upgrade()
    await peer.send(masked(0x01, b"{") + b"".join(masked(0x00, b"") for _ in range(3000)))
    assert await peer.close_code() == 1008


async def test_who_pings_without_reading_the_answers_is_cut_off(start: Start, raw: OpenRaw) -> None:
    server = await start(queue_bytes=50_000)
    peer = await raw(server)
    await peer.upgrade()
    pings = masked(0x89, b"x" * 125) * 5000
    for _ in range(100):
        if not server.connections:
            break
        peer.writer.write(pings)
        await until(lambda: not server.connections or not peer.writer.transport.get_write_buffer_size())
    assert not server.connections


async def test_a_message_in_some_pieces_is_read(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.upgrade()
    await peer.send(masked(0x01, b"") + b"".join(masked(0x00, b" ") for _ in range(100)) + masked(0x80, b"x"))
    assert (await peer.message())[0] == 1
    assert await peer.close_code() == 1008


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        pytest.param(b"\x81\x02{}", 1002, id="not masked"),
        pytest.param(masked(0xC1, b"{}"), 1002, id="compressed, which was not agreed"),
        pytest.param(masked(0x83, b"{}"), 1002, id="an opcode that does not exist"),
        pytest.param(masked(0x80, b"{}"), 1002, id="a continuation of nothing"),
        pytest.param(masked(0x09, b""), 1002, id="a ping in pieces"),
        pytest.param(masked(0x89, b"x" * 126), 1002, id="a ping that is too long"),
        pytest.param(masked(0x88, b"\x03"), 1002, id="half a close code"),
        pytest.param(masked(0x81, b"{}", length=2**63), 1009, id="a length with its highest bit set"),
        pytest.param(masked(0x81, b"{}", length=2**40), 1009, id="a tebibyte announced"),
    ],
)
async def test_frames_against_the_rules_end_the_connection(raw: OpenRaw, frame: bytes, code: int) -> None:
    peer = await raw()
    await peer.upgrade()
    await peer.hello()
    await peer.message()
    await peer.send(frame)
    assert await peer.close_code() == code


async def test_compression_is_not_agreed_to(raw: OpenRaw) -> None:
    head = await (await raw()).upgrade("Sec-WebSocket-Extensions: permessage-deflate")
    assert head.startswith(b"HTTP/1.1 101")
    assert b"deflate" not in head


async def test_the_server_does_not_name_itself(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert b"server:" not in (await peer.reader.readuntil(b"\r\n\r\n")).lower()


# ------------------------------------------------------------------------------------------------------------- the log


def _said(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, bool]]:
    """Level, text, and whether there was a traceback, of all that was logged."""
    return [(record.levelname, record.getMessage(), bool(record.exc_info)) for record in caplog.records]


@pytest.mark.parametrize(
    "frames",
    [masked(0x81, b'{"\xff\xfe":1}'), masked(0x01, b'{"') + masked(0x80, b'\xff\xfe":1}')],
    ids=["whole", "in pieces"],
)
async def test_text_that_is_no_utf8_is_one_line_in_the_log(
    raw: OpenRaw, caplog: pytest.LogCaptureFixture, frames: bytes
) -> None:
    peer = await raw()
    await peer.upgrade()
    await peer.send(frames)
    assert await peer.close_code() == 1007
    line = "a client's text is not UTF-8 (byte 2): its connection is closed"
    assert _said(caplog) == [("WARNING", line, False)]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Origin: https://evil.example", "with 403: Origin 'https://evil.example' may not connect"),
        ("Authorization: Bearer hunter2", "with 401: the token is not valid"),
    ],
)
async def test_a_refused_upgrade_is_one_line_in_the_log(
    server: Server, raw: OpenRaw, caplog: pytest.LogCaptureFixture, header: str, said: str
) -> None:
    peer = await raw()
    await peer.upgrade(header)
    await peer.rest()
    await server.stop()
    ((level, text, traceback),) = _said(caplog)
    assert (level, traceback) == ("WARNING", False)
    assert text.startswith(f"refused a request from 127.0.0.1 {said}")
    assert "hunter2" not in text


async def _raises(scope: Scope, receive: Receive, send: Send) -> None:
    raise ZeroDivisionError("a defect")


async def _forgets(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers nothing."""


async def _breaks_off(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "websocket.http.response.start", "status": 403, "headers": []})


@pytest.mark.parametrize(
    ("app", "said", "traceback"),
    [
        (_raises, "Exception in ASGI application", True),
        (_forgets, "returned without completing handshake", False),
        (_breaks_off, "returned without completing handshake", False),
    ],
)
async def test_a_failure_of_ours_is_still_an_error_in_the_log(
    raw: OpenRaw, caplog: pytest.LogCaptureFixture, app: ASGIApp, said: str, traceback: bool
) -> None:
    server = await serve(app, bind("127.0.0.1", 0), SystemClock())
    peer = await raw(server)
    with contextlib.suppress(asyncio.IncompleteReadError):  # it may hang up without a word
        await peer.upgrade()
    await server.stop()
    assert [(level, found) for level, _, found in _said(caplog)] == [("ERROR", traceback)]
    assert said in caplog.text
