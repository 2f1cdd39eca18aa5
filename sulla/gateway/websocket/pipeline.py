"""Calls of one connection that overlap: each is taken behind the one before it, and answered behind it, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

MOST_UNDER_WAY: Final = 32
"""Calls of one connection that wait to be done at once; what comes behind them is not read before one is answered."""

Taken = Callable[[], None]
"""Says that a call has its place: those behind it may be taken."""
T = TypeVar("T")


class CallPipeline:
    """The calls of a connection that are under way.

    Args:
        tasks: in which they are carried out.
    """

    __slots__ = ("_tasks", "_under_way")

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self._tasks = tasks
        self._under_way: list[asyncio.Task[None]] = []

    async def begin(self, work: Callable[[Taken], Awaitable[T]], answer: Callable[[T], Awaitable[None]]) -> None:
        """Begin a call, and return when the next one may be.

        Args:
            work: does it, and says when it is taken; what it cannot do it returns as an answer.
            answer: passes on what came of it, when those before it are answered.
        """
        while len(self._under_way) >= MOST_UNDER_WAY:
            await asyncio.wait(self._under_way[:1])
        taken = asyncio.Event()
        before = self._under_way[-1] if self._under_way else None
        self._under_way.append(self._tasks.create_task(self._carry_out(work, answer, taken, before)))
        await taken.wait()

    async def answered(self) -> None:
        """Return when all that was begun is answered."""
        if self._under_way:
            await asyncio.wait(self._under_way[-1:])

    async def _carry_out(
        self,
        work: Callable[[Taken], Awaitable[T]],
        answer: Callable[[T], Awaitable[None]],
        taken: asyncio.Event,
        before: asyncio.Task[None] | None,
    ) -> None:
        try:
            try:
                came = await work(taken.set)
            finally:
                taken.set()
            if before is not None and not before.done():
                await asyncio.wait((before,))
            await answer(came)
        finally:
            del self._under_way[0]  # the oldest: they end in order, or all at once
