"""The kill switch: one log in the store says whether anything may be worked on, and every daemon on it follows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Conflict, CorruptRecord, StoreUnavailable
from sulla.store.base import Store
from sulla.work import pauses
from sulla.work.pauses import SwitchTurned, WorkPause

log = logging.getLogger(__name__)

POLL_S: Final = 0.5
"""How often the log is looked at, in case a wake-up was lost."""
CHANNEL: Final = "system:switch"
_TRIES: Final = 8


class WorkSwitch:
    """The kill switch: pauses all work of a store, follows what other daemons ask for, and tells this one.


    While the store does not answer, what was known last holds. A record that cannot be read may have been a pause, so
    it is taken for one until somebody turns the switch again.

    Args:
        store: where the log is.
        clock: all time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._seen = (0, 0)
        """When the log was made, and its newest record, as far as it was read."""
        self._pause: WorkPause | None = None
        self._damage = ""
        self._hear: list[Callable[[WorkPause | None], None]] = []
        self._turned = asyncio.Event()
        self._reading = asyncio.Lock()
        self._away = False

    @property
    def current(self) -> WorkPause | None:
        """The pause that holds; None if there is none."""
        return self._pause

    def holds(self) -> bool:
        """Whether nothing may be worked on."""
        return self._pause is not None

    def trouble(self) -> str:
        """Why nothing is worked on, for people; empty if there is no pause."""
        if self._damage:
            return f"nothing is worked on, because {self._damage}; `sulla resume` or `sulla pause` says what is to be"
        return self._pause.text() if self._pause is not None else ""

    def on_change(self, hear: Callable[[WorkPause | None], None]) -> None:
        """From now on, have `hear` called with the pause, or None, whenever that changes; it must return at once."""
        self._hear.append(hear)

    async def open(self) -> None:
        """Find out how it stands, before anything is begun.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        await self._look()

    async def run(self) -> None:
        """Follow what is asked for at any daemon, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._poll())
            tasks.create_task(self._listen())

    async def while_on(self, work: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do some work that has no end; it is cancelled for each pause, and begun anew after it.

        Args:
            work: does it; cancelled at any point, it may be begun anew.
        """
        while True:
            await self._until(paused=False)
            async with asyncio.TaskGroup() as tasks:
                task = tasks.create_task(work())
                await self._until(paused=True)
                task.cancel()

    # -------------------------------------------------------------------------------------------------------- turning

    async def pause(self, by: str, reason: str = "") -> WorkPause:
        """Have all work stand still, in every daemon on the store, until somebody resumes it; also after restarts.

        Args:
            by: the name of the token that asks.
            reason: why, in a line; may be empty.

        Returns:
            The pause; an earlier one if it goes on.

        Raises:
            InvalidInput: the reason is not one line, or too long.
            StoreUnavailable: the store does not answer; nothing has changed.
        """
        reason = pauses.check_reason(reason)
        for _ in range(_TRIES):
            await self._look()
            if self._pause is not None and not self._damage:
                return self._pause
            await self._turn(SwitchTurned(True, self._now_ms(), by, reason))
        raise _busy()

    async def resume(self, by: str) -> None:
        """Have work go on where it was.

        Args:
            by: the name of the token that asks.

        Raises:
            StoreUnavailable: the store does not answer; nothing has changed.
        """
        for _ in range(_TRIES):
            await self._look()
            if self._pause is None:
                return
            await self._turn(SwitchTurned(False, self._now_ms(), by))
        raise _busy()

    async def _turn(self, turned: SwitchTurned) -> None:
        # Named after what it follows: two who ask for the same at once have asked once.
        dedupe_id, digest = f"{turned.kind}:{self._seen[1]}", turned.kind.encode()
        draft = pauses.encode(turned)
        await self._store.offer(pauses.KEY, dedupe_id, draft, digest=digest, create=pauses.HEAD, wakes=False)
        self._store.publish(CHANNEL, b"")

    # -------------------------------------------------------------------------------------------------------- reading

    async def _look(self) -> None:
        async with self._reading:
            info = await self._store.head(pauses.KEY)
            seen = (info.created_ms, info.last_seq) if info is not None else (0, 0)
            if seen == self._seen:
                return
            newest = await self._store.read(pauses.KEY, limit=1, reverse=True)
            pause: WorkPause | None = None
            damage = ""
            try:
                pause = pauses.decode(newest[0]).pause if newest else None
            except CorruptRecord as error:
                pause, damage = WorkPause(self._now_ms(), "unknown"), error.message
                log.critical("the kill switch cannot be read, so nothing is worked on: %s", damage)
            self._seen = (seen[0], newest[0].seq if newest else 0)
            self._damage = damage
            if pause != self._pause:
                self._take(pause)

    def _take(self, pause: WorkPause | None) -> None:
        self._pause = pause
        log.info("nothing is worked on: %s" if pause is not None else "work goes on%s", pause.text() if pause else "")
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()
        for hear in self._hear:
            hear(pause)

    async def _until(self, *, paused: bool) -> None:
        while (self._pause is not None) != paused:
            await self._turned.wait()

    async def _poll(self) -> None:
        while True:
            await self._clock.sleep(POLL_S)
            await self._follow()

    async def _listen(self) -> None:
        while True:
            try:
                async with self._store.subscribe(CHANNEL) as heard:
                    async for _ in heard:
                        await self._follow()
            except StoreUnavailable as error:
                log.debug("nobody can listen for the kill switch, so it is only polled: %s", error)
            await self._clock.sleep(POLL_S)

    async def _follow(self) -> None:
        try:
            await self._look()
        except StoreUnavailable as error:
            if not self._away:
                log.warning("the store does not answer; the kill switch stays as it was until it does: %s", error)
            self._away = True
        else:
            self._away = False

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1000)


def _busy() -> Conflict:
    return Conflict("others pause and resume at this moment: try again")
