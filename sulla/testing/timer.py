"""An alarm that goes by any clock, also one that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sulla.core.clock import Clock


class ClockTimer:
    """Keeps `schedule.Timer`.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ring: Callable[[], None] = lambda: None
        self._task: asyncio.Task[None] | None = None

    def open(self, ring: Callable[[], None]) -> None:
        """Begin to work: see `Timer`."""
        self._ring = ring

    def set(self, at_s: float | None) -> None:
        """Ring once at that time: see `Timer`."""
        self.close()
        if at_s is not None:
            self._task = asyncio.create_task(self._wait(at_s))

    def close(self) -> None:
        """Ring no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _wait(self, at_s: float) -> None:
        await self._clock.sleep(max(0.0, at_s - self._clock.now()))
        self._task = None  # it may be set anew from within
        self._ring()
