"""One connection to Redis that many calls share: each sends its commands at once and gets its own answers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from hiredis import pack_command
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import RedisError, ResponseError

Word = str | bytes | int
Command = tuple[Word, ...]
Reply = bytes | int | list["Reply"] | ResponseError | None
"""What a command is answered; a refusal is an answer."""


@dataclass(slots=True)
class _Asked:
    answer: asyncio.Future[list[Reply]]
    missing: int
    replies: list[Reply] = field(default_factory=list)


class RedisLine:
    """A connection from its beginning to its end; it is never used again after that.

    Args:
        connection: not connected yet.
        told: takes what comes without having been asked for (a listener's line); then `ask` is not used.
    """

    def __init__(self, connection: AbstractConnection, told: Callable[[Reply], None] | None = None) -> None:
        self._connection = connection
        self._told = told if told is not None else self._take
        self._asked: deque[_Asked] = deque()
        self._reader: asyncio.Task[None] | None = None
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.error: Exception | None = None
        """Why it ended; None while it can be used."""

    async def open(self) -> None:
        """Connect and say who is there.

        Raises:
            RedisError: it does not answer as it should.
            OSError: it cannot be reached.
        """
        try:
            await self._connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
        except BaseException:
            await self._connection.disconnect(nowait=True)
            raise
        self._reader = asyncio.create_task(self._read(), name="redis line")

    async def close(self) -> None:
        """End it; whoever still waits for an answer gets none."""
        self._end(Disconnected("the connection was closed on this side"))
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError):
                await self._reader
        with suppress(OSError, RedisError):
            await self._connection.disconnect(nowait=True)

    async def settle(self) -> None:
        """Return when nobody waits for an answer."""
        await self._quiet.wait()

    async def ended(self) -> None:
        """Return when the connection has ended."""
        if self._reader is not None:
            await asyncio.wait((self._reader,))

    async def ask(self, commands: Sequence[Command]) -> list[Reply]:
        """Send commands in one go and wait for all their answers.

        The commands are on their way, in order, before this waits for the first time. A caller that is cancelled does
        not take them back.

        Raises:
            ConnectionError: the connection ended first (redis-py's).
        """
        if self.error is not None:
            raise Disconnected(str(self.error))
        asked = _Asked(asyncio.get_running_loop().create_future(), len(commands))
        self._asked.append(asked)
        self._quiet.clear()
        await self.send(commands)
        return await asked.answer

    async def send(self, commands: Sequence[Command]) -> None:
        """Send commands whose answers are told."""
        data = b"".join([pack_command(cast("tuple[bytes]", command)) for command in commands])
        await self._connection.send_packed_command(data, check_health=False)

    async def _read(self) -> None:
        try:
            while True:
                try:
                    reply: Reply = await self._connection.read_response(disable_decoding=True)
                except ResponseError as refusal:
                    reply = refusal
                self._told(reply)
        except (RedisError, OSError) as error:
            self._end(error)

    def _take(self, reply: Reply) -> None:
        asked = self._asked[0]
        asked.replies.append(reply)
        if len(asked.replies) == asked.missing:
            self._asked.popleft()
            if not asked.answer.done():
                asked.answer.set_result(asked.replies)
            if not self._asked:
                self._quiet.set()

    def _end(self, error: Exception) -> None:
        self.error = self.error or error
        for asked in self._asked:
            if not asked.answer.done():
                asked.answer.set_exception(Disconnected(str(error)))
        self._asked.clear()
        self._quiet.set()
