"""The client's end of a WebSocket keeps to the RFC: with a library's server, and with servers that misbehave."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection, serve

from sulla.core.errors import Unavailable
from sulla.terminal import socket as module
from sulla.terminal.socket import NotTakenIn, Socket, connect

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _library(handler: Callable[[ServerConnection], Awaitable[None]]) -> AsyncIterator[Socket]:
    """A connection to a server of the library `websockets`."""
    async with serve(handler, "127.0.0.1", 0, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield await connect(f"http://127.0.0.1:{port}", "/ws", "sulla.v1", "token")


@asynccontextmanager
async def _scripted(script: Script) -> AsyncIterator[str]:
    """The address of a server that reads a request's head and then does as the test says."""

    ended = asyncio.Event()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await script(reader, writer)
        writer.close()
        await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await ended.wait()


def _after_handshake(sent: bytes, heard: list[bytes] | None = None, *, last: bool = False) -> Script:
    """Take a client in, send it these bytes (and no more after the last), and hear what it says until it leaves."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        key = next(line for line in head.split("\r\n") if line.startswith("Sec-WebSocket-Key")).split(": ")[1]
        proven = f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()
        proof = base64.b64encode(hashlib.sha1(proven, usedforsecurity=False).digest()).decode()
        writer.write(f"HTTP/1.1 101 Switching\r\nsec-websocket-accept: {proof}\r\n\r\n".encode() + sent)
        if last:
            writer.write_eof()
        said = await reader.read()
        if heard is not None:
            heard.append(said)

    return script


async def _said_by(url: str) -> list[bytes]:
    socket = await connect(url, "/ws", "sulla.v1", "token")
    async with aclosing(socket.messages()) as messages:
        return [one async for one in messages]


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 300_001])
async def test_a_message_of_any_length_comes_through_both_ways(size: int) -> None:
    async def echo(server: ServerConnection) -> None:
        async for message in server:
            await server.send(message)

    text = ("aé" * size)[:size]
    async with _library(echo) as socket, aclosing(socket.messages()) as messages:
        await socket.send(text)
        assert (await anext(messages)).decode() == text


async def test_a_message_in_pieces_is_one_and_a_ping_between_is_answered() -> None:
    async def pieces(server: ServerConnection) -> None:
        async def parts() -> AsyncIterator[str]:
            yield "one, "
            await (await server.ping())
            yield "two"

        await server.send(parts())

    async with _library(pieces) as socket, aclosing(socket.messages()) as messages:
        assert [one async for one in messages] == [b"one, two"]


async def test_the_reason_of_a_close_is_told_to_whoever_sends() -> None:
    async def leave(server: ServerConnection) -> None:
        await server.close(1001, "going away")

    async with _library(leave) as socket:
        async with aclosing(socket.messages()) as messages:
            assert [one async for one in messages] == []
        with pytest.raises(Unavailable, match="the connection to the daemon broke: going away"):
            await socket.send("hello")


async def test_whoever_closes_says_so_and_waits_for_the_answer() -> None:
    codes = list[int | None]()

    async def note(server: ServerConnection) -> None:
        await server.wait_closed()
        codes.append(server.close_code)

    async with _library(note) as socket:
        messages = socket.messages()
        reading = asyncio.ensure_future(anext(messages, None))
        await socket.close()
        assert await reading is None
        with pytest.raises(Unavailable):
            await socket.send("hello")
    assert codes == [1000]


@pytest.mark.parametrize("frame", [b"\x81\x85abcdhello", b"\xc1\x05hello"], ids=["masked", "with an extension's bit"])
async def test_a_frame_that_no_server_sends_ends_the_connection(frame: bytes) -> None:
    async with _scripted(_after_handshake(b"\x81\x02ok" + frame)) as url:
        assert await _said_by(url) == [b"ok"]


async def test_a_frame_that_breaks_off_ends_the_connection() -> None:
    async with _scripted(_after_handshake(b"\x81\x05hel", last=True)) as url:
        assert await _said_by(url) == []


async def test_a_silent_daemon_is_asked_whether_it_is_there_and_then_counts_as_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.01)
    heard = list[bytes]()
    async with _scripted(_after_handshake(b"", heard)) as url:
        assert await _said_by(url) == []
    assert [one[:2] for one in heard] == [b"\x89\x80"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"220 mail.example ESMTP\r\n\r\n", "did not receive a valid HTTP response"),
        (b"", "did not receive a valid HTTP response"),
        (b"HTTP/1.1 101 Yes\r\nsec-websocket-accept: no\r\n\r\n", "does not know WebSocket"),
    ],
)
async def test_what_speaks_something_else_is_no_daemon(answer: bytes, said: str) -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async with _scripted(script) as url:
        with pytest.raises(Unavailable, match=said):
            await connect(url, "/ws", "sulla.v1", "token")


async def test_a_refusal_is_given_with_what_it_says() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nnope, and more")

    async with _scripted(script) as url:
        with pytest.raises(NotTakenIn, match="HTTP 403") as refused:
            await connect(url, "/ws", "sulla.v1", "token")
    assert refused.value.body == b"nope"
