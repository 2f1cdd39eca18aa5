"""Speech that is loaded when somebody speaks, or a daemon that is gone has left some: most homes never hear any."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock
from sulla.core.errors import ShuttingDown, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.speech.limits import LOGS
from sulla.speech.service import Flushed, Playing, Taken
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.status import Status
from sulla.store.base import Store

if TYPE_CHECKING:
    from sulla.speech.sessions.manager import StreamBufferManager

LOOK_S: Final = 5.0
"""How often it is seen whether a daemon has left speech behind."""


class LateStreamBufferManager:
    """Implements `SpeechService` by a `StreamBufferManager` that is made when it is first needed; one for each daemon.

    Args:
        make: makes it, and loads what it needs; called once.
        store: where speech is kept.
        clock: all time.
        profile: the name of the settings' profile.
    """

    def __init__(
        self, make: Callable[[], Awaitable[StreamBufferManager]], store: Store, clock: Clock, profile: str
    ) -> None:
        self._make = make
        self._store = store
        self._clock = clock
        self._profile = profile
        self._manager: StreamBufferManager | None = None
        self._loading = asyncio.Lock()
        self._wanted = asyncio.Event()
        self._over = False

    async def add_speech_chunk(
        self,
        thread_id: ThreadId,
        chunk: Chunk,
        playing: Playing | None = None,
        caller: str = "",
        taken: Callable[[], None] | None = None,
    ) -> Taken:
        """Take a piece of speech; when this returns, it is kept."""
        return await (await self._speech()).add_speech_chunk(thread_id, chunk, playing, caller, taken)

    async def force_flush_buffer(self, thread_id: ThreadId) -> Flushed:
        """End the open turn now and deliver it; when this returns, its message is kept."""
        return await (await self._speech()).force_flush_buffer(thread_id)

    async def drop_speech(self, thread_id: ThreadId) -> str:
        """Forget the open turn: what was said in it comes in no later one."""
        return await (await self._speech()).drop_speech(thread_id)

    async def get_buffer_status(self, thread_id: ThreadId) -> Status:
        """How things stand; changes nothing."""
        return await (await self._speech()).get_buffer_status(thread_id)

    async def forget(self, thread_id: ThreadId) -> None:
        """A thread is deleted, and what was said in it with it: see `StreamBufferManager.forget`."""
        await (self._manager or await self._loaded()).forget(thread_id)

    def status(self) -> JsonObject:
        """How it is."""
        if self._manager is not None:
            return self._manager.status()
        silent: JsonObject = {"profile": self._profile, "live": 0, "speaking": 0, "undelivered": 0}
        return {"speech": {**silent, "trouble": None, "unreadable": []}}

    def trouble(self) -> str:
        """What people should know; empty if all is well."""
        return "" if self._manager is None else self._manager.trouble()

    async def run(self) -> None:
        """Take speech up from the daemon before, and look after it until cancelled."""
        try:
            while not self._wanted.is_set() and not await self._left():
                try:
                    async with self._clock.timeout(LOOK_S):
                        await self._wanted.wait()
                except TimeoutError:
                    continue
            await (await self._loaded()).run()
        finally:
            self._over = True

    async def _left(self) -> bool:
        """Whether there is speech in the store."""
        try:
            return bool(await self._store.find(kind=LOGS, limit=1))
        except StoreUnavailable:
            return False

    async def _speech(self) -> StreamBufferManager:
        if self._manager is None and self._over:
            raise ShuttingDown("the daemon is stopping; send it again when it is back", retry_after_s=2.0)
        return self._manager or await self._loaded()

    async def _loaded(self) -> StreamBufferManager:
        async with self._loading:
            if self._manager is None:
                self._manager = await self._make()
        self._wanted.set()
        return self._manager
