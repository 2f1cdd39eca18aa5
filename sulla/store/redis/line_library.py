"""A line to Redis that uses nothing but what redis-py offers to all: packed commands out, responses in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError, ResponseError

from sulla.store.redis.line import CLOSED, Command, RedisLine, RedisRefusal, Reply


class LibraryLine(RedisLine):
    """Implements `RedisLine`, with two tasks that live as long as the connection: one writes and one reads.

    Only the one task writes, because redis-py ends the connection when a caller is cancelled while it writes.

    Args:
        connection: not connected yet.
        told: takes what comes without having been asked for.
    """

    def __init__(self, connection: AbstractConnection, told: Callable[[Reply], None] | None = None) -> None:
        super().__init__(connection, told)
        self._unsent: list[Command] = []
        self._more = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect: see `RedisLine`."""
        try:
            await self._connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
        except BaseException:
            await self._connection.disconnect(nowait=True)
            raise
        self._running = asyncio.create_task(self._run(), name="redis line")

    async def close(self, why: str = CLOSED) -> None:
        """End it: see `RedisLine`."""
        self._end(Disconnected(why))
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait((self._running,))
        await super().close()

    def send(self, commands: Sequence[Command]) -> None:
        """Send commands: see `RedisLine`."""
        if self.error is not None or self._running is None:
            raise Disconnected(str(self.error or "not connected"))
        self._unsent.extend(commands)
        self._more.set()

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._write())
                tasks.create_task(self._read())
        except* (RedisError, OSError) as group:
            error = group.exceptions[0]
            self._end(error if isinstance(error, RedisError | OSError) else Disconnected(str(error)))
            await self._connection.disconnect(nowait=True)
        finally:
            self._end(Disconnected("the connection has ended"))

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            commands, self._unsent = self._unsent, []
            packed = self._connection.pack_commands(commands)
            await self._connection.send_packed_command(packed, check_health=False)

    async def _read(self) -> None:
        while True:
            try:
                reply = await self._connection.read_response(disable_decoding=True, disconnect_on_error=False)
            except RedisError as error:
                self._told(_refusal(error))
            else:
                self._told(cast("Reply", reply))


def _refusal(error: RedisError) -> RedisRefusal:
    """The server's refusal in its own words, of which redis-py takes the code away.

    Raises:
        RedisError: it is none; the connection has ended.
    """
    if error.status_code is None and not isinstance(error, ResponseError):
        raise error
    code = f"{error.status_code} " if error.status_code else ""
    return RedisRefusal(f"{code}{error}")
