"""How long a reply may take, at no cost per piece of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from sulla.core.clock import Clock

DRAIN_S = 0.25
"""How long a finished reply's connection is given to end, so that it can be used again."""


class RequestDeadline:
    """Closes a connection when its reply takes too long; whoever reads it then finds it closed and `passed` set.

    A timeout around each read would cost as much as the read itself, and one around them all cannot be used in a
    generator: it would strike wherever its reader happens to wait.

    Args:
        clock: tells the time.
        seconds: how long the reply may take from now.
        close: ends the connection; called once, when the time is up.
    """

    def __init__(self, clock: Clock, seconds: float, close: Callable[[], Awaitable[None]]) -> None:
        self.passed = False
        self._task = asyncio.create_task(self._watch(clock, seconds, close))

    async def _watch(self, clock: Clock, seconds: float, close: Callable[[], Awaitable[None]]) -> None:
        await clock.sleep(seconds)
        self.passed = True
        await close()

    async def stop(self) -> None:
        """The reply is over, one way or the other."""
        self._task.cancel()
        await asyncio.wait((self._task,))
        if not self._task.cancelled():
            self._task.result()  # closing may have failed


async def drain(chunks: AsyncIterator[bytes], clock: Clock, *errors: type[Exception]) -> None:
    """Read a finished reply's stream to its end, so that the next request can have its connection.

    Args:
        chunks: the stream.
        clock: for the time it is given.
        errors: what may go wrong with a connection; now that costs a connection, not the reply.
    """
    with suppress(TimeoutError, *errors):
        async with clock.timeout(DRAIN_S):
            async for _ in chunks:
                pass
