"""The promise to ring at a time of the wall clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """One alarm. ``sulla.schedule.apscheduler`` keeps it with APScheduler; tests use ``testing.timer``.

    It may ring late (the machine slept) or for nothing (somebody set the clock): whoever is rung looks at the time.
    """

    def open(self, ring: Callable[[], None]) -> None:
        """Begin to work, in the running loop; `ring` is called there, and must not raise."""
        ...

    def set(self, at_s: float | None) -> None:
        """Ring once at that time and at no other.

        Args:
            at_s: UTC seconds; what is over rings at once. None for never.
        """
        ...

    def close(self) -> None:
        """Ring no more."""
        ...
