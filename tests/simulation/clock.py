"""The clock of a simulated process, and a way to have done at once what waits for nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from types import coroutine
from typing import Any, TypeVar

from tests.simulation.loop import SimulatedLoop

T = TypeVar("T")


class SimulatedClock:
    """Keeps `core.clock.Clock` in a simulated loop.

    Args:
        loop: whose time it shows.
    """

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self.ahead_s = 0.0
        """By what the wall clock was set wrong, seconds."""
        # Read at every step, so without a function around it.
        self.elapsed = loop.time

    def now(self) -> float:
        """UTC seconds."""
        return 1_800_000_000.0 + self._loop.time() + self.ahead_s

    async def sleep(self, seconds: float) -> None:
        """Return when so much simulated time has passed."""
        if seconds <= 0:
            await _let_others()
            return
        future = self._loop.create_future()
        handle = self._loop.call_later(seconds, _wake, future)
        try:
            await future
        finally:
            handle.cancel()

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """A block that is cancelled after `seconds`."""
        return asyncio.timeout(seconds)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


@coroutine
def _let_others() -> Generator[None, None, None]:
    yield


def at_once(coro: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        coro.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # as the coroutine says
    coro.close()
    raise RuntimeError(f"{coro!r} waits for something")
