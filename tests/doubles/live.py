"""What goes on, as a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from sulla.core.jsontypes import JsonObject
from sulla.live.rpc import BudgetLeft, Doing, LiveRow
from sulla.rpc.row import dump

_AT_MS = 1_800_000_000_000
NO_PAUSE: JsonObject = {"paused": False, "by": "", "since": None}


def live_row(thread_id: str, name: str = "web_fetch") -> JsonObject:
    """A conversation that runs a tool."""
    doing = Doing("tool", name, _AT_MS)
    row = LiveRow(
        thread_id, None, "chat", "Trip", "sulla", "", "run_1", None, _AT_MS, doing, 10, 2, 12, None,
        BudgetLeft(88, None, 3), 0, None, False,
    )  # fmt: skip
    return dump(LiveRow, row)


class MemoryLive:
    """One thread is at work, and what changes is what a test puts into `news`.

    Attributes:
        news: told to each who watches, once.
        watching: how many watch.
    """

    def __init__(self) -> None:
        self.news: asyncio.Queue[JsonObject] = asyncio.Queue()
        self.watching = 0

    async def now(self) -> JsonObject:
        """That one."""
        return {"rows": [live_row("thr_1")], "more": False, "switch": NO_PAUSE}

    async def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """What the test says."""
        self.watching += 1
        try:
            while True:
                yield await self.news.get()
        finally:
            self.watching -= 1


class MemoryAsked:
    """Nobody asks anything, until a test puts something into `news`.

    Attributes:
        news: told to each who watches, once.
    """

    def __init__(self) -> None:
        self.news: asyncio.Queue[JsonObject] = asyncio.Queue()

    async def now(self) -> JsonObject:
        """Nobody does."""
        return {"questions": [], "more": False}

    async def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """What the test says."""
        while True:
            yield await self.news.get()
