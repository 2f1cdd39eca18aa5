"""Keeps one subscription going: the I/O around `feed`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import NoReturn

from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SullaError, Unavailable
from sulla.gateway.commands import Commands, Event
from sulla.gateway.feed import LOOK_BACK, AskText, Effect, Feed, Read, Show
from sulla.gateway.limits import Limits
from sulla.gateway.outbox import Outbox

_log = logging.getLogger("sulla.gateway")


class Follower:
    """One thread, followed for one client.

    Args:
        commands: where the log and the signals come from.
        outbox: where events go.
        clock: for healing and deadlines.
        limits: bounds.
        thread_id: what is followed.
        after: the last number that the client has.
    """

    def __init__(
        self, commands: Commands, outbox: Outbox, clock: Clock, limits: Limits, thread_id: str, after: int
    ) -> None:
        self._commands = commands
        self._outbox = outbox
        self._clock = clock
        self._limits = limits
        self._thread_id = thread_id
        self._after = after
        self._feed = Feed(after, limits.page)
        self._turn = asyncio.Lock()  # signals and ticks take turns, so that events stay in order
        self._recalled = after == 0

    async def run(self) -> SullaError:
        """Follow until it cannot go on; a failing store is waited for.

        Returns:
            Why it ended.

        Raises:
            TooSlow: the client does not read (in an exception group).
        """
        ending: SullaError = NotFound(f"thread {self._thread_id!r} can no longer be followed")
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._heal())
                tasks.create_task(self._listen())
        except* SullaError as errors:
            for error in errors.exceptions:
                if isinstance(error, SullaError):
                    ending = error
        return ending

    async def settle(self) -> None:
        """Show what the log holds by now, without waiting to be told.

        Raises:
            SullaError: it cannot be read.
        """
        async with self._turn:
            await self._do(self._feed.tick())

    async def _listen(self) -> NoReturn:
        while True:
            try:
                async with self._commands.listen(self._thread_id) as signals:
                    await self._catch_up()
                    async for signal in signals:
                        async with self._turn:
                            await self._do(self._feed.signal(signal))
            except SullaError as error:
                self._hold(error)
            await self._clock.sleep(self._limits.heal_s)

    async def _heal(self) -> NoReturn:
        while True:
            await self._clock.sleep(self._limits.heal_s)
            if self._turn.locked():
                continue  # busy, or waiting for a slow client: the next tick will do
            try:
                async with self._turn:
                    await self._do(self._feed.tick())
            except SullaError as error:
                self._hold(error)

    def _hold(self, error: SullaError) -> None:
        """Go on after a failure that passes; give up on any other."""
        if not error.retryable:
            raise error
        _log.warning("following a thread is held up", extra={"thread_id": self._thread_id, "reason": error.message})

    async def _catch_up(self) -> None:
        async with self._turn:
            if not self._recalled:
                self._feed.recall(await self._read(max(0, self._after - LOOK_BACK), self._after + 1, LOOK_BACK))
                self._recalled = True
            await self._do(self._feed.catch_up())

    async def _do(self, effects: list[Effect]) -> None:
        for effect in effects:  # the list grows while it is gone through
            match effect:
                case Show(event):
                    await self._outbox.put_event(event)
                case Read(after):
                    effects.extend(self._feed.read(await self._read(after, None, self._limits.page)))
                case AskText():
                    await self._commands.ask_text(self._thread_id)

    async def _read(self, after: int, before: int | None, limit: int) -> Sequence[Event]:
        try:
            async with self._clock.timeout(self._limits.call_s):
                return await self._commands.history(self._thread_id, after, before, limit)
        except TimeoutError:
            raise Unavailable(f"thread {self._thread_id!r} could not be read in {self._limits.call_s:g} s") from None
