"""Wakes the scheduler at a time of the wall clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from sulla.core.clock import Clock


class Timer:
    """One alarm; it lives as long as its scheduler runs.

    It may ring late (the machine slept) or never (somebody set the clock back): whoever is rung looks at the time, and
    looks from time to time by itself.

    Args:
        clock: all time.
        ring: called in the loop when the time has come. Must not raise.
    """

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._at_s: float | None = None
        self._moved = asyncio.Event()

    def set(self, at_s: float | None) -> None:
        """Ring once at that time and at no other.

        Args:
            at_s: UTC seconds; what is over rings at once. None for never.
        """
        self._at_s = at_s
        self._moved.set()

    async def run(self) -> None:
        """Ring until cancelled."""
        while True:
            self._moved.clear()
            if self._at_s is None:
                await self._moved.wait()
            elif (wait_s := self._at_s - self._clock.now()) > 0:
                with suppress(TimeoutError):
                    async with self._clock.timeout(wait_s):
                        await self._moved.wait()
            else:
                self._at_s = None  # before it rings: it may be set anew from within
                self._ring()
