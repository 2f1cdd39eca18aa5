"""Sends wishes to the cluster, for those who must not wait."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.work.base import Job
from sulla.work.dbos.hints import CHANNEL, Hint, pack
from sulla.work.dbos.queue import WishQueue
from sulla.work.dbos.wishes import Wish

log = logging.getLogger(__name__)

_AT_ONCE: Final = 8


class WishSender:
    """Sends wishes, each with the newest record that its log has by then, and tells workers of them. It lives as long
    as its worker.

    Args:
        store: where logs are; its bus tells of wishes.
        queue: where wishes go.
    """

    def __init__(self, store: Store, queue: WishQueue) -> None:
        self._store = store
        self._queue = queue
        self._jobs: dict[str, Job] = {}
        self._wake = asyncio.Event()

    def add(self, job: Job) -> None:
        """Send one soon. If that cannot be done it is lost: the sweep finds the log."""
        self._jobs[job.key] = job
        self._wake.set()

    async def run(self) -> None:
        """Send them, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(self._send_on())

    async def send(self, key: str, *, although_held: bool = False, delay_s: float = 0.0) -> None:
        """Send one now.

        Raises:
            StoreUnavailable: the store or the queue does not answer.
        """
        info = await self._store.head(key)
        await self.wish(Wish(key, info.last_seq if info is not None else 0, although_held, delay_s))

    async def wish(self, wish: Wish) -> None:
        """Send this one now.

        Raises:
            StoreUnavailable: it is not known whether the wish was taken.
        """
        name = await self._queue.send(wish)
        if not wish.delay_s:
            self.tell(Hint(wish.key, name, wish.although_held))

    def tell(self, hint: Hint) -> None:
        """Tell workers of a wish that is in the queue."""
        self._store.publish(CHANNEL, pack(hint))

    async def _send_on(self) -> None:
        while True:
            await self._wake.wait()
            if not self._jobs:
                self._wake.clear()
                continue
            key = next(iter(self._jobs))
            del self._jobs[key]
            try:
                await self.send(key)
            except StoreUnavailable as error:
                log.warning("a wish could not be sent; the sweep finds its log: %s", error, extra={"key": key})
