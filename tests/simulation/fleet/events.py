"""Virtual time: what happens next, and nothing between."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

_Event = tuple[float, int, Callable[..., None], tuple[Any, ...]]


class Events:
    """What is to happen, by time; of what happens at one moment, first what was planned first."""

    def __init__(self) -> None:
        self.now = 0.0
        """Seconds since the day began."""
        self.done = 0
        self._heap: list[_Event] = []
        self._count = 0

    def at(self, when: float, act: Callable[..., None], *args: Any) -> None:
        """Have something happen.

        Args:
            when: in seconds of the day; what is over happens next.
            act: does it.
            args: for it.
        """
        self._count += 1
        heappush(self._heap, (max(when, self.now), self._count, act, args))

    def run(self, until: float) -> None:
        """Let happen what is to happen until then."""
        heap = self._heap
        while heap and heap[0][0] <= until:
            self.now, _, act, args = heappop(heap)
            act(*args)
            self.done += 1
        self.now = until
