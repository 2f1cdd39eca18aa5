"""Requests that take the processor for a while: one is worked at at a time, and few of one token's wait.

They run beside the event loop, but on the same interpreter: many at once would keep it from whoever wants to stop the
daemon's work.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sulla.core.errors import Busy

MOST_OF_TOKEN: Final = 4
"""Of one token's, at work or waiting: an editor and a few pages, which check as somebody types."""
_AGAIN_S: Final = 1.0


class HeavyCalls:
    """Lets heavy requests through, in the order in which they came. It lives as long as the daemon."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._of: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, name: str, method: str) -> AsyncIterator[None]:
        """Wait for its turn, and have it as long as the context is open.

        Args:
            name: the token's.
            method: what is asked for, for the refusal.

        Raises:
            Busy: too many of the token's are here.
        """
        if self._of[name] >= MOST_OF_TOKEN:
            message = f"{method}: {MOST_OF_TOKEN} such requests of {name!r} are not answered yet: wait for one of them"
            raise Busy(message, retry_after_s=_AGAIN_S)
        self._of[name] += 1
        try:
            async with self._one_at_a_time:
                yield
        finally:
            self._of[name] -= 1
            if not self._of[name]:
                del self._of[name]
