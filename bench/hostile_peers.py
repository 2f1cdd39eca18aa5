"""Badly behaved peers, many at once: ``python -m bench.hostile_peers PORT TOKEN``; prints a line of JSON at the end.

Says of each kind how many connections there were, and after how many seconds the server had ended the last one, counted
for each from the moment in which it had nothing more to say.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

HOST = "127.0.0.1"
PATIENCE_S = 30.0
SLOW = 1000
"""Peers that send a head byte by byte."""
IDLE, WAVE = 10_000, 500
"""Peers that connect and say nothing, and how many connect at once."""
LOUD = 10
"""Peers of each other kind."""
_DRIP_S = 1.0


@dataclass(frozen=True, slots=True)
class Kind:
    """What one kind of peer sends."""

    data: bytes
    known: bool = True
    """Whether it says hello before."""


def _frame(first: int, payload: bytes, length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    if size < 126:
        return bytes([first, 0x80 | size]) + bytes(4) + payload
    return bytes([first, 0xFF]) + size.to_bytes(8, "big") + bytes(4) + payload


_BOMB = zlib.compress(bytes(50_000_000), 9)
KINDS = {
    "a million fragments": Kind(_frame(0x01, b"{") + _frame(0x00, b"") * 1_000_000),
    "ping floods": Kind(_frame(0x89, b"x" * 125) * 50_000),
    "deflate bombs": Kind(_frame(0xC1, _BOMB)),
    "frames of 1 MiB and a byte": Kind(_frame(0x81, b" " * (2**20 + 1))),
    "frames of 1 MiB before hello": Kind(_frame(0x81, b" " * 2**20), known=False),
    "a million tiny frames before hello": Kind(_frame(0x81, b"x") * 1_000_000, known=False),
}


class Attack:
    """All of them against one server.

    Args:
        port: where it listens, on this machine.
        token: a valid one.
    """

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._wave = asyncio.Semaphore(WAVE)
        self._last_s: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    async def run(self) -> dict[str, tuple[int, float]]:
        """Attack; of each kind how many there were, and how long the slowest end took, in seconds."""
        async with asyncio.timeout(PATIENCE_S * 2), asyncio.TaskGroup() as tasks:
            for _ in range(SLOW):
                tasks.create_task(self._slow())
            for _ in range(IDLE):
                tasks.create_task(self._idle())
            for name, kind in KINDS.items():
                for _ in range(LOUD):
                    tasks.create_task(self._loud(name, kind))
        return {name: (self._counts[name], round(self._last_s[name], 2)) for name in self._counts}

    def _ended(self, name: str, took_s: float) -> None:
        self._counts[name] = self._counts.get(name, 0) + 1
        self._last_s[name] = max(self._last_s.get(name, 0.0), took_s)

    async def _slow(self) -> None:
        async with self._connected() as (reader, writer):
            begun_s = time.monotonic()
            with suppress(ConnectionError):
                writer.write(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
                while not await _is_over(reader, _DRIP_S):
                    writer.write(b"x")
            self._ended("slow heads", time.monotonic() - begun_s)

    async def _idle(self) -> None:
        async with self._connected() as (reader, _):
            begun_s = time.monotonic()
            with suppress(ConnectionError):
                await _is_over(reader, PATIENCE_S)
            self._ended("idle", time.monotonic() - begun_s)

    async def _loud(self, name: str, kind: Kind) -> None:
        async with self._connected() as (reader, writer):
            begun_s = time.monotonic()
            with suppress(ConnectionError):
                await self._upgrade(reader, writer, kind.known)
                begun_s = time.monotonic()
                writer.write(kind.data)
                await writer.drain()
                await _is_over(reader, PATIENCE_S)
            self._ended(name, time.monotonic() - begun_s)

    async def _upgrade(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, known: bool) -> None:
        token = f"Authorization: Bearer {self._token}\r\n" if known else ""
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{token}"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Protocol: sulla.v1\r\n\r\n".encode()
        )
        with suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
        if known:
            params = {"client": {"name": "hostile", "version": "1"}, "protocol": 1}
            hello = {"jsonrpc": "2.0", "id": 0, "method": "hello", "params": params}
            writer.write(_frame(0x81, json.dumps(hello).encode()))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        async with self._wave:
            reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


async def _is_over(reader: asyncio.StreamReader, patience_s: float) -> bool:
    """Whether the server ends the connection in that time; what it says is thrown away."""
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            while await reader.read(2**16):
                pass
            return True
    return False


def main(port: str, token: str) -> None:
    """Attack, and say what came of it."""
    print(json.dumps(asyncio.run(Attack(int(port), token).run())), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
