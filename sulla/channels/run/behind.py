"""What came and waits: for a file of its own that is fetched, for room in its conversation, or behind what does.

A file takes as long as its sender's service likes, and room in a conversation as long as its agent works. So nobody
waits for either but what comes behind it in the same conversation: the next messages of the service are read meanwhile,
from everybody, and told to the service as taken.

That tells the service to forget them. So whatever waits lies in the channel's book, whole, written with the very cursor
that lets the service forget it; after a kill it is taken up from there, and its file is fetched again by its handle. It
leaves the book in the same write as what became of it; a conversation knows a message by its id, so one that had got
there before a kill is not said twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sulla.channels.base import Arrived
from sulla.channels.machine.values import MOST_BEHIND, MOST_BEHIND_EACH, Waiting
from sulla.channels.run.door import Patience
from sulla.channels.run.held import Held


class Behind:
    """Takes what waits, in each conversation one after the other. It lives as long as the channel is held.

    Args:
        held: the channel.
        take: takes one thing in, with so much patience; however long it waits, nothing of another conversation waits
            for that.
    """

    def __init__(self, held: Held, take: Callable[[Arrived, Patience], Awaitable[None]]) -> None:
        self._held = held
        self._take = take
        self._working: dict[str, asyncio.Task[None]] = {}
        self._taken: dict[str, str] = {}
        """What is being taken in each line, by its mark: it can be cut off, which a write of the book cannot."""
        self._began_s = held.around.clock.elapsed()
        self._came_s: dict[str, float] = {}
        """When each came that waits, by its mark and `Clock.elapsed`; what is not here came before this began."""
        self._news = asyncio.Event()

    def waits(self, line: str) -> int:
        """How many wait in a line."""
        return sum(one.line == line for one in self._held.book.waiting.values())

    def has_room(self, line: str) -> bool:
        """Whether one more may wait there."""
        return len(self._held.book.waiting) < MOST_BEHIND and self.waits(line) < MOST_BEHIND_EACH

    def put(self, mark: str, line: str, arrived: Arrived) -> None:
        """Something has to wait. It is kept with the next write of the book.

        Args:
            mark: by which it is known when it comes again.
            line: in which.
            arrived: it.
        """
        self._held.book.waiting[mark] = Waiting(line, arrived)
        self._came_s[mark] = self._held.around.clock.elapsed()
        self._news.set()

    async def drop(self, line: str, stays: Callable[[Arrived], bool]) -> bool:
        """What waits in a line is not wanted any more; whether there was any.

        Args:
            line: which.
            stays: whether one is wanted all the same.
        """
        waiting = self._held.book.waiting
        gone = [mark for mark, one in waiting.items() if one.line == line and not stays(one.arrived)]
        for mark in gone:
            del waiting[mark]
            self._came_s.pop(mark, None)
        if self._taken.get(line) in gone:
            task = self._working.pop(line)
            task.cancel()
            await asyncio.wait([task])
            self._news.set()  # for what stays
        return bool(gone)

    async def run(self) -> None:
        """Take what waits, until cancelled.

        Raises:
            StoreUnavailable, StaleLease: it is not kept; it is taken up again.
        """
        async with asyncio.TaskGroup() as group:
            while True:
                for line in {one.line: None for one in self._held.book.waiting.values()}:
                    if line not in self._working:
                        self._working[line] = group.create_task(self._take_each(line))
                self._news.clear()
                await self._news.wait()

    async def _take_each(self, line: str) -> None:
        waiting, patience = self._held.book.waiting, Patience()
        try:
            while (first := next((item for item in waiting.items() if item[1].line == line), None)) is not None:
                mark, one = first
                self._taken[line] = mark
                patience.came_s = self._came_s.get(mark, self._began_s)
                try:
                    await self._take(one.arrived, patience)
                finally:
                    self._taken.pop(line, None)
                self._came_s.pop(mark, None)
                waiting.pop(mark, None)  # nothing is awaited in between: what became of it is written with this
                await self._held.shelf.keep()
        finally:
            if self._working.get(line) is asyncio.current_task():
                del self._working[line]
