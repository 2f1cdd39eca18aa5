from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from sulla.gateway.server.server import Server, bind, serve
from sulla.host.system import SystemClock
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands
from tests.gateway.conftest import Start
from tests.gateway.peer import PATIENCE_S, Peer, Raw, masked, until

Connect = Callable[..., Awaitable[Peer]]
OpenRaw = Callable[..., Awaitable[Raw]]


# ------------------------------------------------------------------------------------------------------- hostile peers


LATE_S = 10.0
"""Twice as long as a peer may take over the head of a request."""


@pytest.mark.parametrize("beginning", [b"", b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_who_does_not_finish_a_request_in_time_is_cut_off(
    start: Start, raw: OpenRaw, manual_clock: ManualClock, beginning: bytes
) -> None:
    server = await start(clock=manual_clock)
    peer = await raw(server)
    await peer.send(beginning)
    await until(lambda: server.connections)
    await manual_clock.advance(LATE_S)
    assert await peer.rest() == b""


async def test_the_second_request_of_a_connection_has_a_deadline_too(
    start: Start, raw: OpenRaw, manual_clock: ManualClock
) -> None:
    peer = await raw(await start(clock=manual_clock, idle_s=60))
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await peer.reader.readuntil(b"}")
    await peer.send(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
    await manual_clock.advance(LATE_S)
    assert await peer.rest() == b""


async def test_a_head_that_comes_byte_by_byte_has_one_deadline(
    start: Start, raw: OpenRaw, manual_clock: ManualClock
) -> None:
    server = await start(clock=manual_clock)
    peer = await raw(server)

    async def drip() -> None:
        await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        while True:
            await peer.send(b"x")
            await asyncio.sleep(0)

    dripping = asyncio.ensure_future(drip())
    await until(lambda: server.connections)
    await manual_clock.advance(LATE_S)
    assert await peer.rest() == b""
    dripping.cancel()
    await asyncio.wait((dripping,))


async def test_an_upgraded_connection_outlives_the_deadline_of_its_head(
    start: Start, connect: Connect, raw: OpenRaw, manual_clock: ManualClock
) -> None:
    server = await start(clock=manual_clock)
    peer = await connect(server)
    later = await raw(server)
    await until(lambda: server.connections == 2)
    await manual_clock.advance(LATE_S)
    await later.rest()  # who came later is past the deadline already
    await peer.call("system.status")


async def test_a_connection_between_two_requests_may_not_stay_for_ever(start: Start, raw: OpenRaw) -> None:
    peer = await raw(await start(idle_s=0.05))
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert (await peer.rest()).endswith(b"}")


async def test_a_body_that_nobody_waits_for_has_a_deadline(
    start: Start, raw: OpenRaw, manual_clock: ManualClock
) -> None:
    peer = await raw(await start(clock=manual_clock, idle_s=60))
    await peer.send(b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nx")
    assert (await peer.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 405")
    await manual_clock.advance(LATE_S)
    await peer.rest()


async def test_a_body_that_is_broken_after_its_answer_ends_the_connection(
    raw: OpenRaw, caplog: pytest.LogCaptureFixture
) -> None:
    peer = await raw()
    await peer.send(b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    await peer.reader.readuntil(b"\r\n\r\n")
    await peer.send(b"nonsense\r\n")
    await peer.rest()
    assert [text for _, text, _ in _said(caplog)] == ["Invalid HTTP request received."]


async def test_what_breaks_off_while_it_is_worked_on_is_answered_once(
    raw: OpenRaw, caplog: pytest.LogCaptureFixture
) -> None:
    begun = asyncio.Event()

    async def works(scope: Scope, receive: Receive, send: Send) -> None:
        begun.set()
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    server = await serve(works, bind("127.0.0.1", 0), SystemClock())
    peer = await raw(server)
    await peer.send(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        await begun.wait()
    await peer.send(b"nonsense\r\n")
    said = await peer.rest()
    await server.stop()
    assert said.startswith(b"HTTP/1.1 400")
    assert [text for _, text, _ in _said(caplog)] == ["Invalid HTTP request received."]


@pytest.mark.parametrize(
    "head", [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ", b"GET /"], ids=["cookies", "address"]
)
async def test_a_head_that_is_too_large_is_answered_with_what_a_person_can_do(raw: OpenRaw, head: bytes) -> None:
    peer = await raw()
    await peer.send(head + b"x" * 17_000)
    said = (await peer.rest()).decode()
    assert said.startswith("HTTP/1.1 431 ")
    assert "Delete the cookies of this address" in said
    assert "16 KiB" in said


async def test_many_requests_at_once_are_answered_one_after_the_other(raw: OpenRaw) -> None:
    peer = await raw()
    await peer.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 500)
    for _ in range(500):
        assert (await peer.reader.readuntil(b"}")).startswith(b"HTTP/1.1 200")


async def test_accepted_sockets_are_made_for_small_frames_and_stuck_peers(start: Start, connect: Connect) -> None:
    server = await start(user_timeout_s=Limits().user_timeout_s)
    await connect(server)
    (connection,) = server._uvicorn.server_state.connections
    accepted = connection.transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 8000


async def test_what_one_read_brings_is_taken_a_slice_at_a_time(
    server: Server, raw: OpenRaw, connect: Connect, commands: MemoryCommands
) -> None:
    commands.gates["status"] = asyncio.Event()
    healthy, busy = await connect(), await raw()
    await busy.upgrade()
    await busy.hello()
    await busy.message()
    ask = masked(0x81, b'{"jsonrpc":"2.0","id":1,"method":"system.status"}')
    await busy.send(ask + masked(0x81, b"x") * 5000)
    await until(lambda: commands.calls)
    await healthy.call("thread.list", limit=1)
    connections: set[Any] = set(server._uvicorn.server_state.connections)
    assert max(connection.queue.qsize() for connection in connections) < 200
    commands.gates["status"].set()
    for _ in range(5001):
        assert (await busy.message())[0] == 1


@pytest.mark.parametrize("size", [10_000, 100_000])
async def test_an_oversized_header_is_refused(raw: OpenRaw, size: int) -> None:
    peer = await raw()
    await peer.send(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Big: " + b"x" * size)
    if size < 16_384:
        await peer.send(b"\r\nOrigin: https://evil.example\r\n\r\n")
        assert (await peer.reader.readline()).startswith(b"HTTP/1.1 403")
    else:
        assert (await peer.reader.readline()).startswith(b"HTTP/1.1 431")


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
