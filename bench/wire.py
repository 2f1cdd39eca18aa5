"""A connection to a server, counted: what goes over it each way, and how often somebody waits for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

_PIECE = 65_536


@dataclass(slots=True)
class Wire:
    """What has gone over all connections so far."""

    port: int = 0
    """Where the server seems to be."""
    sent: int = 0
    """Bytes to the server."""
    got: int = 0
    """Bytes from it."""
    trips: int = 0
    """How often something was sent after the last that came: what is sent in one go counts once."""


@asynccontextmanager
async def counted(port: int) -> AsyncIterator[Wire]:
    """Stand between a server on this machine and whoever uses it, for as long as the block lasts.

    Args:
        port: the server's.
    """
    wire = Wire()
    lines: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        lines.add(task)
        from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
        waits = False

        async def up() -> None:
            nonlocal waits
            while piece := await reader.read(_PIECE):
                wire.sent += len(piece)
                wire.trips += not waits
                waits = True
                to_server.write(piece)
            to_server.close()

        async def down() -> None:
            nonlocal waits
            while piece := await from_server.read(_PIECE):
                wire.got += len(piece)
                waits = False
                writer.write(piece)
            writer.close()

        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                await asyncio.gather(up(), down())
        finally:
            for each in (writer, to_server):
                each.close()
            lines.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
        for line in tuple(lines):
            line.cancel()
        if lines:
            await asyncio.wait(lines)
