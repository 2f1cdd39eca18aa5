"""The promise that all time comes through."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Clock(Protocol):
    """Time, and waiting for it. ``daemon.system.SystemClock`` keeps it; tests use ``testing.ManualClock``."""

    def now(self) -> float:
        """UTC, in seconds since 1970. People change it: only for showing and for due dates."""

    def elapsed(self) -> float:
        """Seconds since some fixed point, suspended time included (CLOCK_BOOTTIME): for every interval and deadline."""

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """A block that is cancelled after `seconds` and then raises ``TimeoutError``."""
