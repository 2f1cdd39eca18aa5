"""Who has not finished a request's head yet, and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sulla.core.clock import Clock


class HeadDeadlines:
    """Cuts off peers that take too long to say what they want; uvicorn waits for them for ever.

    Nothing wakes up while nobody is waited for.

    Args:
        clock: for the deadline.
        limit_s: how long a peer may take; it is cut at most a quarter later.
    """

    def __init__(self, clock: Clock, limit_s: float) -> None:
        self._clock = clock
        self._limit_s = limit_s
        self._waiting: dict[object, tuple[float, Callable[[], None]]] = {}
        self._some = asyncio.Event()

    def watch(self, peer: object, cut: Callable[[], None]) -> None:
        """Begin to wait for a peer, unless that has begun."""
        if peer not in self._waiting:
            self._waiting[peer] = (self._clock.elapsed(), cut)
            self._some.set()

    def unwatch(self, peer: object) -> None:
        """The peer's request is complete, or it is gone."""
        self._waiting.pop(peer, None)

    async def run(self) -> None:
        """Keep the deadlines, until cancelled."""
        while True:
            await self._some.wait()
            await self._clock.sleep(self._limit_s / 4)
            now = self._clock.elapsed()
            for peer, (since, cut) in list(self._waiting.items()):
                if now - since >= self._limit_s:
                    del self._waiting[peer]
                    cut()
            if not self._waiting:
                self._some.clear()
