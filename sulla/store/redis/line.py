"""One connection to Redis that many calls share: each sends its commands at once and gets its own answers."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected

from sulla.core.dataclass import dataclass


class RedisRefusal(Exception):
    """An error answer of the Redis server, in its own words; the first word is a code."""


Word = str | bytes | int
Command = tuple[Word, ...]
Reply = bytes | int | list["Reply"] | RedisRefusal | None
"""What a command is answered; a refusal is an answer."""


@dataclass(slots=True)
class _Command:
    answer: asyncio.Future[list[Reply]]
    missing: int
    replies: list[Reply] = field(default_factory=list)


CLOSED: Final = "the connection was closed on this side"


class RedisLine(ABC):
    """A connection from its beginning to its end; it is never used again after that.

    How commands leave and answers come is the business of those below it (`redis_line_direct`, `redis_line_library`).

    Args:
        connection: not connected yet.
        told: takes what comes without having been asked for (a listener's line); then `ask` is not used.
    """

    def __init__(self, connection: AbstractConnection, told: Callable[[Reply], None] | None = None) -> None:
        self._connection = connection
        self._told = told if told is not None else self._take
        self._asked: deque[_Command] = deque()
        self._quiet, self._ended = asyncio.Event(), asyncio.Event()
        self._quiet.set()
        self.error: Exception | None = None
        """Why it ended; None while it can be used."""

    @abstractmethod
    async def open(self) -> None:
        """Connect and say who is there.

        Raises:
            RedisError: it does not answer as it should.
            OSError: it cannot be reached.
        """

    @abstractmethod
    def send(self, commands: Sequence[Command]) -> None:
        """Send commands whose answers are told.

        Raises:
            ConnectionError: the connection has ended (redis-py's).
        """

    async def close(self, why: str = CLOSED) -> None:
        """End it; whoever still waits for an answer gets none.

        Args:
            why: what they are told.
        """
        self._end(Disconnected(why))
        await self._connection.disconnect(nowait=True)

    async def settle(self) -> None:
        """Return when nobody waits for an answer."""
        await self._quiet.wait()

    async def ended(self) -> None:
        """Return when the connection has ended."""
        await self._ended.wait()

    async def ask(self, commands: Sequence[Command]) -> list[Reply]:
        """Send commands in one go and wait for all their answers.

        The commands are on their way, in order, before this waits. A caller that is cancelled does not take them back.

        Raises:
            ConnectionError: the connection ended first (redis-py's).
        """
        self.send(commands)
        asked = _Command(asyncio.get_running_loop().create_future(), len(commands))
        self._asked.append(asked)
        self._quiet.clear()
        return await asked.answer

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
        self._ended.set()
