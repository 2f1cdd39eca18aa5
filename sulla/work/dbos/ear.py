"""Hears of wishes that have just been put into the queue."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.work.dbos.hints import CHANNEL, Hint, unpack

log = logging.getLogger(__name__)

MOST_FOLLOWED: Final = 1_000
"""Hints that are followed or wait for a place at once; what comes beyond them is found in the queue."""
_AGAIN_S: Final = 0.5

Follow = Callable[[Hint], Awaitable[None]]
"""Does what a hint tells of; returns when that is over."""


class HintEar:
    """Listens for hints and follows each as a task. It lives as long as its worker.

    Args:
        store: whose bus they come over.
        clock: all time.
        follow: does what one tells of.
    """

    def __init__(self, store: Store, clock: Clock, follow: Follow) -> None:
        self._store = store
        self._clock = clock
        self._follow = follow
        self._followed: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Listen, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    async with self._store.subscribe(CHANNEL) as heard:
                        async for payload in heard:
                            self._hear(group, payload)
                except StoreUnavailable as error:
                    log.debug("nobody can listen for hints, so that wishes are found in the queue: %s", error)
                await self._clock.sleep(_AGAIN_S)

    def _hear(self, group: asyncio.TaskGroup, payload: bytes) -> None:
        hint = unpack(payload)
        if hint is None or len(self._followed) >= MOST_FOLLOWED:
            return
        task = group.create_task(self._one(hint), name=f"hint {hint.key}")
        self._followed.add(task)
        task.add_done_callback(self._followed.discard)

    async def _one(self, hint: Hint) -> None:
        try:
            await self._follow(hint)
        except Exception:
            log.exception("a log could not be looked at; it is found in the queue", extra={"key": hint.key})
