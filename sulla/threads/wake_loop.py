"""Runs rounds of work: when something was woken, at an interval, and again after a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.threads.pending import Intervals, Pending

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wording:
    """What people read in the log of work that nobody waits for."""

    failing: str
    """It cannot go on; ``%s`` stands for why."""
    again: str
    """It goes on."""
    behind: str = ""
    """It had to end before it was done; whatever is only ever cancelled says nothing."""


class WakeLoop:
    """Calls `work` for one round after another. A failed round is told once and tried again; nothing else ends with it.

    Args:
        work: one round: deals with what is pending. A `SullaError` from it is a failure that is expected to pass; any
            other exception is one that nobody foresaw, and is told with its traceback.
        clock: all time.
        wording: what people read.
        intervals: how long it rests between rounds.
        opened: what the work needs from the first round to the last.
    """

    def __init__(
        self,
        work: Callable[[], Awaitable[None]],
        clock: Clock,
        wording: Wording,
        intervals: Intervals,
        opened: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
    ) -> None:
        self.pending = Pending(intervals)
        self._work = work
        self._clock = clock
        self._wording = wording
        self._opened = opened
        self._busy = False
        self._news = asyncio.Event()
        self._lingering: asyncio.Event | None = None
        self._rested = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called: what takes long is left for the next start."""
        return self._stopping.is_set()

    @property
    def state(self) -> str:
        """``up to date``, ``behind`` or ``failing``."""
        state = self.pending.state
        return "behind" if self._busy and state == "up to date" else state

    def wake(self, key: str) -> None:
        """Have something looked at soon; never waits, never fails."""
        self.pending.wake(key)
        self._news.set()

    async def run(self) -> None:
        """Do what was missed, then go on until `stop`; run this as one task."""
        self._task = asyncio.current_task()
        try:
            async with self._opened():
                while not self.stopping:
                    await self.catch_up()
                    await self._pause()
                await self.catch_up()
        finally:
            self._ended.set()

    async def stop(self, patience_s: float) -> None:
        """Do what is pending, for so many seconds at the most; the next start does the rest."""
        self._stopping.set()
        self._news.set()
        self._hurry()
        try:
            async with self._clock.timeout(patience_s):
                await self._ended.wait()
        except TimeoutError:
            log.warning(self._wording.behind)
            if self._task is not None:
                self._task.cancel()

    async def settle(self, patience_s: float) -> None:
        """Have the round that lingers done now, and wait for its end; for whoever asks for what comes of it.

        Args:
            patience_s: how long is waited at the most, in seconds; a round that takes longer goes on.
        """
        if self._hurry():
            self._rested.clear()
            await self._within(self._rested, patience_s)

    async def catch_up(self) -> bool:
        """One round: all that is known to be left; whether nothing is left now."""
        self._news.clear()  # first: what comes from here on is for the next round
        self._busy = True
        self.pending.begin()
        try:
            await self._work()
        except SullaError as error:
            self._fail(error.message)
        except Exception as error:
            log.exception("a round failed in a way that nobody foresaw")
            self._fail(str(error) or type(error).__name__)
        else:
            if self.pending.succeed():
                log.info(self._wording.again)
        finally:
            self._busy = False
            self._rested.set()
        return self.pending.state == "up to date"

    def _fail(self, why: str) -> None:
        if self.pending.fail(why):
            log.warning(self._wording.failing, why)

    async def _pause(self) -> None:
        pause = self.pending.pause()
        ended = await self._within(self._news if pause.until_news else self._stopping, pause.wait_s)
        linger_s = self.pending.paused(news=ended and pause.until_news)
        if linger_s and not self.stopping:
            self._lingering = asyncio.Event()
            await self._within(self._lingering, linger_s)
            self._lingering = None

    def _hurry(self) -> bool:
        """End the pause after news; whether there is one."""
        if self._lingering is not None:
            self._lingering.set()
        return self._lingering is not None

    async def _within(self, event: asyncio.Event, seconds: float) -> bool:
        try:
            async with self._clock.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        return True
