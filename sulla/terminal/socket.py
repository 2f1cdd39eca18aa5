"""The client's end of a WebSocket (RFC 6455) to our own daemon: text both ways, without extensions.

Written by hand because each library for it takes as long to load as all else that `sulla ask` needs. Whatever is not as
the RFC says ends the connection.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from sulla.core.errors import Unavailable
from sulla.host.system import SystemClock, random_bytes

OPEN_S: Final = 10.0
"""How long the daemon may take to let somebody in."""
CLOSE_S: Final = 10.0
"""How long it may take to say goodbye."""
QUIET_S: Final = 20.0
"""After so long without a word it is asked whether it is there, and after twice as long it counts as gone."""

_GUID: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""By which a server proves that it knows WebSocket (RFC 6455 §1.3)."""
_MOST_BODY: Final = 65_536
_MORE, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_FINAL, _MASKED, _RESERVED = 0x80, 0x80, 0x70


class NotTakenIn(Exception):
    """What answers is no WebSocket for us.

    Args:
        status: of its answer.
        body: of its answer.
    """

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"server rejected WebSocket connection: HTTP {status}")
        self.body = body


async def connect(url: str, path: str, protocol: str, token: str) -> Socket:
    """Open a connection.

    Args:
        url: where the daemon is, e.g. ``http://127.0.0.1:8137``.
        path: of the socket.
        protocol: what is spoken on it.
        token: opens the door.

    Raises:
        NotTakenIn: something answers, and not with a WebSocket.
        Unavailable: it answers with no HTTP.
        OSError: nothing answers.
        TimeoutError: nothing answers in time.
    """
    at, clock = urlsplit(url), SystemClock()
    async with clock.timeout(OPEN_S):
        reader, writer = await asyncio.open_connection(at.hostname, at.port or 80)
        try:
            await _shake_hands(reader, writer, at.netloc, path, protocol, token)
        except BaseException:
            writer.close()
            raise
    return Socket(reader, writer, clock)


async def _shake_hands(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str, protocol: str, token: str
) -> None:
    key = base64.b64encode(random_bytes(16)).decode()
    head = {
        "Host": host,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": protocol,
        "Authorization": f"Bearer {token}",
    }
    said = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    writer.write(f"GET {path} HTTP/1.1\r\n{said}\r\n".encode())
    try:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        version, status, *_ = first.split(" ")
        if not version.startswith("HTTP/1.") or not status.isdecimal():
            raise ValueError(first)
        answered = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status != "101":
            length = min(int(answered.get("content-length", _MOST_BODY)), _MOST_BODY)
            raise NotTakenIn(int(status), await _up_to(reader, length))
    except (ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise Unavailable("did not receive a valid HTTP response") from None
    proof = base64.b64encode(hashlib.sha1((key + _GUID).encode(), usedforsecurity=False).digest()).decode()
    if answered.get("sec-websocket-accept") != proof:
        raise Unavailable("what answers does not know WebSocket")


async def _up_to(reader: asyncio.StreamReader, count: int) -> bytes:
    try:
        return await reader.readexactly(count)
    except asyncio.IncompleteReadError as ended:
        return ended.partial


class Socket:
    """An open connection. `messages` has to be read, by one task, until it ends: `close` waits for that.

    Args:
        reader: what the daemon sends.
        writer: what it is sent.
        clock: for what is waited for.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, clock: SystemClock) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock
        self._closing = False
        self._ended = asyncio.Event()
        self._why = ""
        """What the daemon said when it closed the connection."""

    async def send(self, text: str) -> None:
        """Send a message.

        Raises:
            Unavailable: the connection broke.
        """
        if self._ended.is_set() or self._closing:
            raise self._broken()
        try:
            await self._send(_TEXT, text.encode())
        except OSError:
            raise self._broken() from None

    async def messages(self) -> AsyncGenerator[bytes, None]:
        """What the daemon says, until the connection ends in whatever way."""
        said = bytearray()
        try:
            while True:
                final, kind, payload = await self._frame()
                if kind == _PING:
                    await self._send(_PONG, payload)
                elif kind == _CLOSE:
                    self._why = payload[2:].decode(errors="replace")
                    if not self._closing:
                        await self._send(_CLOSE, payload[:2])
                    return
                elif kind in (_TEXT, _BINARY, _MORE):
                    said += payload
                    if final:
                        yield bytes(said)
                        said.clear()
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            self._ended.set()
            self._writer.close()

    async def close(self) -> None:
        """Say goodbye, and wait until the daemon has."""
        if not self._ended.is_set():
            self._closing = True
            with suppress(OSError, TimeoutError):
                async with self._clock.timeout(CLOSE_S):
                    await self._send(_CLOSE, (1000).to_bytes(2))
                    await self._ended.wait()
        self._writer.close()

    async def _frame(self) -> tuple[bool, int, bytes]:
        """The next frame: whether it ends its message, its kind, and what it holds.

        Raises:
            OSError: it is not as the RFC says, or the daemon is silent.
            IncompleteReadError: the connection has ended.
        """
        first, second = await self._head()
        length = second & ~_MASKED
        if first & _RESERVED or second & _MASKED:
            raise OSError("a frame that no server sends")
        async with self._clock.timeout(QUIET_S):
            if length > 125:
                length = int.from_bytes(await self._reader.readexactly(2 if length == 126 else 8))
            return bool(first & _FINAL), first & 0xF, await self._reader.readexactly(length)

    async def _head(self) -> bytes:
        for last in (False, True):
            try:
                async with self._clock.timeout(QUIET_S):
                    return await self._reader.readexactly(2)
            except TimeoutError:
                if not last:
                    await self._send(_PING, b"")
        raise OSError("the daemon is silent")

    async def _send(self, kind: int, payload: bytes) -> None:
        size, mask = len(payload), random_bytes(4)
        head = bytes([_FINAL | kind])
        if size <= 125:
            head += bytes([_MASKED | size])
        elif size < 65_536:
            head += bytes([_MASKED | 126]) + size.to_bytes(2)
        else:
            head += bytes([_MASKED | 127]) + size.to_bytes(8)
        hidden = int.from_bytes(payload) ^ int.from_bytes((mask * (size // 4 + 1))[:size])
        self._writer.write(head + mask + hidden.to_bytes(size))
        await self._writer.drain()

    def _broken(self) -> Unavailable:
        return Unavailable(f"the connection to the daemon broke{f': {self._why}' if self._why else ''}")
