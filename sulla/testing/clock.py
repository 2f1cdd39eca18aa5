"""A clock that stands still until it is told to move."""

from __future__ import annotations

import asyncio
import heapq
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager


class ManualClock:
    """Implements `core.clock.Clock` without waiting: `advance` moves time and wakes sleepers in the order of their
    deadlines.

    Args:
        now: where the wall clock starts, UTC seconds.
    """

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now
        self._elapsed = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0
        self._threads = threading.active_count()

    def now(self) -> float:
        """UTC seconds."""
        return self._now

    def elapsed(self) -> float:
        """Seconds since a fixed point."""
        return self._elapsed

    @property
    def sleepers(self) -> int:
        """How many wait for time to pass."""
        return sum(not future.done() for _, _, future in self._sleepers)

    async def sleep(self, seconds: float) -> None:
        """Return when `advance` has moved time by `seconds`."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._elapsed + seconds, self._count, future))
        await future

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """A block that is cancelled, and raises ``TimeoutError``, once time has moved by `seconds`."""
        return self._timeout(seconds)

    @asynccontextmanager
    async def _timeout(self, seconds: float) -> AsyncIterator[None]:
        async with asyncio.timeout(None) as scope:

            async def expire() -> None:
                await self.sleep(seconds)
                scope.reschedule(asyncio.get_running_loop().time())

            watcher = asyncio.create_task(expire())
            try:
                yield
            finally:
                watcher.cancel()

    def jump(self, seconds: float) -> None:
        """Somebody sets the wall clock; intervals don't notice."""
        self._now += seconds

    async def advance(self, seconds: float) -> None:
        """Move time on, stopping at each sleeper on the way and letting what it wakes run."""
        target = self._elapsed + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, future = heapq.heappop(self._sleepers)
            self._now += due - self._elapsed
            self._elapsed = due
            if not future.done():
                future.set_result(None)
                await self.settle()
        self._now += target - self._elapsed
        self._elapsed = target
        await self.settle()

    async def settle(self, rounds: int = 50) -> None:
        """Let every task that can run without time passing do so.

        Args:
            rounds: of the event loop at most; fewer once nothing is left to run and nothing outside could bring more.
        """
        loop = asyncio.get_running_loop()
        for _ in range(rounds):
            await asyncio.sleep(0)
            if threading.active_count() <= self._threads and _is_idle(loop):
                return


def _is_idle(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether nothing is left to run, and no socket or pipe is watched; False of a loop that does not show it."""
    ready, selector = getattr(loop, "_ready", None), getattr(loop, "_selector", None)
    if ready is None or selector is None:
        return False
    own = 1  # what wakes the loop itself
    return not ready and len(selector.get_map()) <= own
