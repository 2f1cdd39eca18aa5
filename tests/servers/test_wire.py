"""The small HTTP server under the wire-level fakes."""

from __future__ import annotations

import asyncio

import pytest

from tests.servers.wire import WireRequest, WireResponse, WireServer


async def _echo(request: WireRequest, response: WireResponse) -> None:
    await response.whole(200, f"{request.method} {request.path} ".encode() + request.body)


async def _talk(url: str, sent: bytes) -> bytes:
    """Everything that comes back until the server hangs up or has nothing more to say."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(sent)
    writer.write_eof()
    found = await reader.read()
    writer.close()
    return found


async def test_a_request_reaches_the_handler_and_its_answer_the_client() -> None:
    async with WireServer(_echo) as server:
        found = await _talk(server.url, b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz")
    head, _, body = found.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-length: 11" in head
    assert body == b"POST /a xyz"


async def test_a_body_in_chunks_is_one_body() -> None:
    async with WireServer(_echo) as server:
        found = await _talk(
            server.url, b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )
    assert found.endswith(b"PUT / abcde")


async def test_pieces_leave_one_by_one() -> None:
    async def pieces(request: WireRequest, response: WireResponse) -> None:
        await response.start(200, {})
        for piece in (b"one", b"", b"two"):
            await response.send(piece)
        await response.end()

    async with WireServer(pieces) as server:
        found = await _talk(server.url, b"GET / HTTP/1.1\r\n\r\n")
    assert found.endswith(b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")


async def test_requests_of_one_connection_are_answered_in_turn_even_when_they_come_at_once() -> None:
    async with WireServer(_echo) as server:
        found = await _talk(server.url, b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
    assert found.index(b"GET /1") < found.index(b"GET /2")


async def test_a_handler_is_cancelled_when_its_client_leaves() -> None:
    came, left = asyncio.Event(), asyncio.Event()

    async def patient(request: WireRequest, response: WireResponse) -> None:
        came.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    async with WireServer(patient) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await came.wait()
        writer.close()
        await left.wait()
        del reader


async def test_leaving_the_block_ends_open_connections() -> None:
    came = asyncio.Event()

    async def patient(request: WireRequest, response: WireResponse) -> None:
        came.set()
        await asyncio.Event().wait()

    before = asyncio.all_tasks()
    async with WireServer(patient) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await came.wait()
    assert await reader.read() == b""
    writer.close()
    assert asyncio.all_tasks() == before


async def test_a_fault_in_the_handler_is_no_secret() -> None:
    async def faulty(request: WireRequest, response: WireResponse) -> None:
        raise ValueError("a fault")

    with pytest.raises(ExceptionGroup) as caught:
        async with WireServer(faulty) as server:
            await _talk(server.url, b"GET / HTTP/1.1\r\n\r\n")
    assert caught.group_contains(ValueError, match="a fault")


def test_a_server_that_does_not_run_has_no_address() -> None:
    with pytest.raises(RuntimeError):
        _ = WireServer(_echo).url
