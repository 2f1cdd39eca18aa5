"""A connection of its own to the PostgreSQL by which work is shared, for what is asked of our own tables there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString

import psycopg
from psycopg import AsyncConnection

from sulla.core.errors import StoreUnavailable
from sulla.store.postgres.errors import remedy_of

_CONNECT_S: Final = 3

Connection = AsyncConnection[tuple[Any, ...]]


def unavailable(shown: str, error: BaseException) -> StoreUnavailable:
    """What went wrong with the PostgreSQL of the queue, which setting names it, and what to do.

    Args:
        shown: where it is, for people.
        error: of the library.
    """
    named = "work.database_url, or the store where that is empty"
    return StoreUnavailable(f"the PostgreSQL {shown}, by which work is shared ({named}): {remedy_of(error)}")


class Line:
    """One connection, which is asked one thing at a time and made anew when it was lost. It lives as long as its owner.

    Args:
        conninfo: of the PostgreSQL, for the library; can hold a password.
        shown: the same for people.
    """

    def __init__(self, conninfo: str, shown: str) -> None:
        self._conninfo = conninfo
        self.shown = shown
        self._made: Connection | None = None
        self._one_at_a_time = asyncio.Lock()

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[Connection]:
        """Have the connection for as long as the block lasts.

        Raises:
            StoreUnavailable: the PostgreSQL does not answer, or refuses what is asked.
        """
        async with self._one_at_a_time:
            try:
                if self._made is None or self._made.closed:
                    self._made = await AsyncConnection.connect(
                        self._conninfo, autocommit=True, connect_timeout=_CONNECT_S
                    )
                yield self._made
            except asyncio.CancelledError:
                await self.close()  # nobody knows what the server still has to say on it
                raise
            except (psycopg.Error, OSError) as error:
                await self.close()
                raise unavailable(self.shown, error) from error

    async def first(self, query: LiteralString, words: Mapping[str, Any] | None = None) -> Sequence[Any] | None:
        """The first row of an answer; None if there is none.

        Raises:
            StoreUnavailable: as for `asking`.
        """
        async with self.asking() as line:
            return await (await line.execute(query, words)).fetchone()

    async def all(self, query: LiteralString, words: Mapping[str, Any] | None = None) -> Sequence[Sequence[Any]]:
        """All rows of an answer.

        Raises:
            StoreUnavailable: as for `asking`.
        """
        async with self.asking() as line:
            return await (await line.execute(query, words)).fetchall()

    async def close(self) -> None:
        """Let go of the connection; the next question makes a new one."""
        line, self._made = self._made, None
        if line is not None:
            await line.close()
