"""A small HTTP/1.1 server for wire-level fakes: a handler decides over every byte and learns when its client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Self

MAX_BODY_BYTES = 64 * 1024 * 1024
"""More than any client of a fake sends."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """What a client asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    peer: str
    """The client's address and port: the same for all requests of one connection."""


class WireResponse:
    """How a handler answers: `whole`, or `start`, any number of `send`, then `end` or `cut`."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.cut_off = False
        """Whether the connection cannot be used again."""

    async def whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """A complete answer."""
        fields = {"content-type": "application/json", **(headers or {}), "content-length": str(len(body))}
        self._writer.write(_head(status, fields) + body)
        await self._writer.drain()

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of an answer that comes in pieces."""
        self._writer.write(_head(status, {**headers, "transfer-encoding": "chunked"}))
        await self._writer.drain()

    async def send(self, data: bytes) -> None:
        """A piece; it leaves at once and is one read on the other side, if that keeps up."""
        if data:
            self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await self._writer.drain()

    async def end(self) -> None:
        """The pieces are complete."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    def cut(self) -> None:
        """Hang up in the middle; what was sent still arrives."""
        self.cut_off = True
        self._writer.close()


Handler = Callable[[WireRequest, WireResponse], Awaitable[None]]
"""Answers one request. It is cancelled when its client goes away."""


class WireServer:
    """Serves a handler on loopback while its block lasts.

    Args:
        handler: answers requests; an error of its own makes leaving the block fail.
        host: the address to listen on.
        port: 0 picks a free one.
    """

    def __init__(self, handler: Handler, host: str = "127.0.0.1", port: int = 0) -> None:
        self._handler = handler
        self._address = (host, port)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[object]] = set()
        self._errors: list[Exception] = []

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        if self._server is None:
            raise RuntimeError("the server is not running")
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connection, *self._address)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            for connection in tuple(self._connections):
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)
            await self._server.wait_closed()
            self._server = None
        if self._errors and error is None:
            raise ExceptionGroup("the fake's handler failed", self._errors)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        # A client that goes away is part of what is tested.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            early: bytes | None = b""
            while early is not None:
                request = await _read(reader, early, str(writer.get_extra_info("peername")))
                response = WireResponse(writer)
                early = await self._answer(request, response, reader)
        writer.close()

    async def _answer(self, request: WireRequest, response: WireResponse, reader: asyncio.StreamReader) -> bytes | None:
        """Let the handler answer.

        Returns:
            What the client has already sent of its next request; None if the connection is of no more use.
        """
        async with asyncio.TaskGroup() as group:
            work = group.create_task(self._guarded(request, response))
            watch = group.create_task(_next_byte(reader))
            await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
            if watch.done() and not watch.result():
                work.cancel()
                return None
            await asyncio.wait((work,))
            if not watch.done():
                watch.cancel()
                return None if response.cut_off else b""
            return None if response.cut_off else watch.result() or None

    async def _guarded(self, request: WireRequest, response: WireResponse) -> None:
        try:
            await self._handler(request, response)
        except ConnectionError:
            response.cut_off = True
        except Exception as error:  # noqa: BLE001  - shown when the server's block is left
            self._errors.append(error)
            response.cut()


async def _next_byte(reader: asyncio.StreamReader) -> bytes:
    """What comes next; nothing if the client is gone."""
    try:
        return await reader.read(1)
    except ConnectionError:
        return b""


async def _read(reader: asyncio.StreamReader, early: bytes, peer: str) -> WireRequest:
    """One request.

    Raises:
        IncompleteReadError: the client left.
    """
    lines = (early + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name:
            headers[name.strip().lower()] = value.strip()
    length = int(headers.get("content-length", "0"))
    if length > MAX_BODY_BYTES:
        raise ConnectionError(f"a body of {length} bytes")
    body = (
        await _chunks(reader) if "chunked" in headers.get("transfer-encoding", "") else await reader.readexactly(length)
    )
    return WireRequest(method, path, headers, body, peer)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    found = bytearray()
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        data = await reader.readexactly(size + 2)
        if size == 0:
            return bytes(found)
        found += data[:-2]
        if len(found) > MAX_BODY_BYTES:
            raise ConnectionError(f"a body of more than {MAX_BODY_BYTES} bytes")


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
