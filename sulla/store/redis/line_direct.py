"""A line to Redis that writes past redis-py, on the socket that it has connected: the faster way (`redis_direct`).

The only file that uses what redis-py keeps to itself: the writer of its connection. `redis_line_library` does the same
without; `./dev bench redis` compares the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected

from sulla.store.redis.line import Command, RedisLine, RedisRefusal, Reply

_NOTHING = object()


class DirectLine(RedisLine, asyncio.Protocol):
    """Implements `RedisLine`.

    redis-py connects and introduces us. From then on the transport is ours: its own client answers one call at a time,
    and costs each two turns of the event loop more.

    Args:
        connection: not connected yet.
        told: takes what comes without having been asked for.
    """

    def __init__(self, connection: AbstractConnection, told: Callable[[Reply], None] | None = None) -> None:
        super().__init__(connection, told)
        self._reader = hiredis.Reader(replyError=RedisRefusal, notEnoughData=_NOTHING)
        self._transport: asyncio.WriteTransport | None = None

    async def open(self) -> None:
        """Connect: see `RedisLine`."""
        try:
            await self._connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
            writer = self._connection._writer
            if writer is None or writer.transport.is_closing():
                raise Disconnected("the server closed the connection at once")
        except BaseException:
            await self._connection.disconnect(nowait=True)
            raise
        self._transport = writer.transport
        self._transport.set_protocol(self)

    def send(self, commands: Sequence[Command]) -> None:
        """Send commands: see `RedisLine`."""
        if self.error is not None or self._transport is None:
            raise Disconnected(str(self.error or "not connected"))
        self._transport.write(b"".join([hiredis.pack_command(cast("tuple[bytes]", command)) for command in commands]))

    # --------------------------------------------------------------------------------------- called by the transport

    def data_received(self, data: bytes) -> None:
        """Something came: pass on what is whole."""
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not _NOTHING:
                self._told(cast("Reply", reply))
        except hiredis.ProtocolError as error:
            self._end(Disconnected(f"that is not Redis' protocol: {error}"))
            if self._transport is not None:
                self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        self._end(exc or Disconnected("the server closed the connection"))
