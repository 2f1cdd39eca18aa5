"""A time limit for a whole reply that costs nothing per piece of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from sulla.core.clock import Clock


class Deadline:
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
        with suppress(asyncio.CancelledError):
            await self._task
