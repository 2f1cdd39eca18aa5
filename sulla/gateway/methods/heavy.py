"""Requests that take the processor for a while: one is worked at at a time.

They run beside the event loop, but on the same interpreter: many at once would keep it from whoever wants to stop the
daemon's work. Others wait instead of being refused, so that a connection sends nothing more meanwhile; how long, the
deadline of every request bounds, and how many, that of connections.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class HeavyCalls:
    """Lets heavy requests through, one at a time: first each token's in their order, then the tokens' in theirs, so
    that one token with many keeps no other one waiting for more than one. It lives as long as the daemon.
    """

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._locks: dict[str, asyncio.Lock] = {}
        self._here: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for its turn, and have it as long as the context is open.

        Args:
            name: the token's.
        """
        lock = self._locks.setdefault(name, asyncio.Lock())
        self._here[name] += 1
        try:
            async with lock, self._one_at_a_time:
                yield
        finally:
            self._here[name] -= 1
            if not self._here[name]:
                del self._here[name], self._locks[name]
