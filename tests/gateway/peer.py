"""Clients for tests: a well-behaved one that checks every frame it gets, and a bare socket for the others."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from sulla.gateway.methods.table import METHODS
from sulla.gateway.server.server import Server
from sulla.gateway.wire import EndedParams, Error, EventParams, GapParams
from sulla.people.notices_rpc import NoticeRow
from tests.gateway.forms import check_form

WATCHED = {row.watch.name: row.watch.row for row in METHODS.values() if row.watch is not None}
"""What follows the answers of methods that are watched, by the names of the notifications."""
PATIENCE_S = 30.0
"""Nothing takes so long on a machine that stands still now and then: it is only reached when something hangs."""
Frame = dict[str, Any]


class Answering(Protocol):
    """Somebody who answers: a server in this process, or a daemon in its own."""

    @property
    def url(self) -> str: ...


class Peer:
    """A client of `sulla.v1`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.ahead: list[Frame] = []
        """Notifications that came while something else was waited for."""
        self._ids = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        server: Answering,
        token: str | None = None,
        *,
        headers: dict[str, str] | None = None,
        path: str = "/ws",
        subprotocol: str | None = "sulla.v1",
        max_queue: int | None = 16,
    ) -> AsyncIterator[Peer]:
        bearer = {"Authorization": f"Bearer {token}"} if token is not None else {}
        async with open_socket(
            server.url.replace("http", "ws", 1) + path,
            additional_headers=bearer | (headers or {}),
            subprotocols=[Subprotocol(subprotocol)] if subprotocol is not None else None,
            proxy=None,
            open_timeout=PATIENCE_S,
            max_size=None,
            max_queue=max_queue,
        ) as socket:
            yield cls(socket)

    async def hello(self, token: str | None = "owner", **more: object) -> Frame:
        secret = {"token": token} if token is not None else {}
        return await self.call("hello", client={"name": "test", "version": "1"}, protocol=1, **secret, **more)

    async def call(self, method: str, **params: object) -> Frame:
        """The result; an error fails."""
        answer = await self.ask(method, **params)
        assert "result" in answer, answer
        check_form(METHODS[method].result, answer["result"])
        result: Frame = answer["result"]
        return result

    async def fail(self, method: str, **params: object) -> Frame:
        """The error; a result fails."""
        answer = await self.ask(method, **params)
        assert "error" in answer, answer
        error: Frame = answer["error"]
        return error

    async def ask(self, method: str, **params: object) -> Frame:
        id_ = next(self._ids)
        await self.say({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        while "id" not in (frame := await self.frame()):
            self.ahead.append(frame)
        assert frame["id"] == id_
        return frame

    async def say(self, value: object) -> None:
        await self.socket.send(value if isinstance(value, str | bytes) else json.dumps(value, ensure_ascii=False))

    async def frame(self) -> Frame:
        """The next frame, in one of the published forms."""
        async with asyncio.timeout(PATIENCE_S):
            text = await self.socket.recv()
        assert isinstance(text, str)
        frame: Frame = json.loads(text)
        assert frame["jsonrpc"] == "2.0"
        match frame:
            case {"method": "event", "params": params}:
                check_form(EventParams, params)
            case {"method": "events.ended", "params": params}:
                check_form(EndedParams, params)
            case {"method": "events.gap", "params": params}:
                check_form(GapParams, params)
            case {"method": "notice", "params": params}:
                check_form(NoticeRow, params)
            case {"method": str(name), "params": params} if name in WATCHED:
                check_form(WATCHED[name], params)
            case {"id": _, "error": error}:
                check_form(Error, error)
            case {"id": _, "result": dict()}:
                pass
            case _:
                raise AssertionError(f"a frame of no known form: {frame}")
        return frame

    async def notice(self) -> Frame:
        """The next notification."""
        if self.ahead:
            return self.ahead.pop(0)
        frame = await self.frame()
        assert "id" not in frame, frame
        return frame

    async def event(self) -> Frame:
        """The next event's parameters."""
        frame = await self.notice()
        assert frame["method"] == "event", frame
        params: Frame = frame["params"]
        return params

    async def events(self, count: int) -> list[Frame]:
        return [await self.event() for _ in range(count)]

    async def closed(self) -> tuple[int, str]:
        """The close code and reason, once the server has closed."""
        with pytest.raises(ConnectionClosed) as caught:
            await self._read_on()
        close = caught.value.rcvd
        assert close is not None, "no close frame"
        return close.code, close.reason

    async def _read_on(self) -> None:
        while True:
            self.ahead.append(await self.frame())


class Raw:
    """A TCP connection that says what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    @asynccontextmanager
    async def connect(cls, server: Server) -> AsyncIterator[Raw]:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**12)
        try:
            yield cls(reader, writer)
        finally:
            writer.transport.abort()

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        async with asyncio.timeout(PATIENCE_S):
            await self.writer.drain()

    async def upgrade(self, *headers: str) -> bytes:
        """Ask for a WebSocket; the answer's head."""
        lines = [
            "GET /ws HTTP/1.1",
            "Host: 127.0.0.1",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Protocol: sulla.v1",
            *headers,
        ]
        await self.send("\r\n".join([*lines, "", ""]).encode())
        async with asyncio.timeout(PATIENCE_S):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def text(self, value: object) -> None:
        await self.send(masked(0x81, json.dumps(value).encode()))

    async def hello(self) -> None:
        params = {"client": {"name": "raw", "version": "1"}, "protocol": 1, "token": "owner"}
        await self.text({"jsonrpc": "2.0", "id": 0, "method": "hello", "params": params})

    async def message(self) -> tuple[int, bytes]:
        """The opcode and payload of the next frame from the server."""
        async with asyncio.timeout(PATIENCE_S):
            first, length = await self.reader.readexactly(2)
            if length == 126:
                length = int.from_bytes(await self.reader.readexactly(2), "big")
            elif length == 127:
                length = int.from_bytes(await self.reader.readexactly(8), "big")
            return first & 0x0F, await self.reader.readexactly(length)

    async def close_code(self) -> int:
        """The code of the close frame, after whatever comes before it."""
        while True:
            opcode, payload = await self.message()
            if opcode == 8:
                return int.from_bytes(payload[:2], "big")

    async def rest(self) -> bytes:
        """What still comes until the server ends the connection."""
        found = b""
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionError):
                while piece := await self.reader.read(2**16):
                    found += piece
        return found


async def until(ready: Callable[[], object]) -> None:
    """Let everybody run until something has happened."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if ready():
                return
            await asyncio.sleep(0)


def masked(first: int, payload: bytes, length: int | None = None) -> bytes:
    """A client's frame; `length` may lie."""
    size = len(payload) if length is None else length
    if size < 126:
        head = bytes([first, 0x80 | size])
    elif size < 2**16:
        head = bytes([first, 0x80 | 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([first, 0x80 | 127]) + size.to_bytes(8, "big")
    mask = b"\x11\x22\x33\x44"
    return head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
