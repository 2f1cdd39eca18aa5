"""Which logs something is to be done in, as the store says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from sulla.store.base import Store
from sulla.store.values import LogInfo

MOST_HELD: Final = 200
"""Logs at work that are remembered from a look."""
_PAGE: Final = 200


class ReadyLogs:
    """The logs in which something is to be done, as the store says. It lives as long as its worker.

    Args:
        store: where they are.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.held: tuple[LogInfo, ...] = ()
        """Those that somebody worked on when they were looked for last; at most `MOST_HELD`."""
        self.waiting = 0
        """How many there were then that nobody worked on."""

    async def look(self, *, most: int | None = None) -> AsyncIterator[LogInfo]:
        """All of them, those that somebody works on too.

        Args:
            most: after so many no more are asked for; None for all that there are.
        """
        held: list[LogInfo] = []
        after, waiting, seen = "", 0, 0
        while page := await self.store.find(ready=True, after_key=after, limit=_PAGE):
            for info in page:
                if info.held and len(held) < MOST_HELD:
                    held.append(info)
                waiting += not info.held
                yield info
            after, seen = page[-1].key, seen + len(page)
            if most is not None and seen >= most:
                break
        self.held, self.waiting = tuple(held), waiting
