"""What waits to be sent to one client: one bounded queue, one writer (design §12).

Whoever puts something in waits while the queue is full, so a slow client is served at its own pace and costs no memory,
and a stuck one runs into `TooSlow`. Nobody who puts is an agent: they read the log and the bus for this client alone.
"""

from __future__ import annotations

import asyncio

from sulla.core.clock import Clock
from sulla.gateway.backlog import Backlog
from sulla.gateway.commands import Event


class TooSlow(Exception):
    """The client reads nothing, and its queue is full."""


class Outbox:
    """A backlog that one side waits to fill and the other waits to empty.

    Args:
        clock: for the stall.
        limit_bytes: above this, whoever puts something in has to wait.
        stall_s: how long, before the client counts as stuck.
    """

    def __init__(self, clock: Clock, limit_bytes: int, stall_s: float) -> None:
        self._clock = clock
        self._limit_bytes = limit_bytes
        self._stall_s = stall_s
        self._backlog = Backlog()
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._taken = 0
        self._finished = False

    async def put(self, frame: bytes) -> None:
        """Add a frame; after `finish` it is dropped.

        Raises:
            TooSlow: the queue was full, and the client took nothing for as long as it may.
        """
        if self._backlog.size >= self._limit_bytes:
            await self._wait_for_room()
        if not self._finished:
            self._backlog.add(frame)
            self._some.set()

    async def put_event(self, event: Event) -> None:
        """Add an event; after `finish` it is dropped.

        Raises:
            TooSlow: the queue was full, and the client took nothing for as long as it may.
        """
        if self._backlog.size >= self._limit_bytes:
            await self._wait_for_room()
        if not self._finished:
            self._backlog.add_event(event)
            self._some.set()

    def finish(self) -> None:
        """Nothing more is added; what waits is still sent."""
        self._finished = True
        self._some.set()
        self._room.set()

    async def take(self) -> bytes | None:
        """The next frame, as soon as there is one; None after the last."""
        while not self._backlog:
            if self._finished:
                return None
            self._some.clear()
            await self._some.wait()
        frame = self._backlog.take()
        self._taken += 1
        if self._backlog.size < self._limit_bytes:
            self._room.set()
        return frame

    async def emptied(self) -> None:
        """Return when everything that was added has been taken."""
        while self._backlog and not self._finished:
            self._room.clear()
            await self._room.wait()

    async def _wait_for_room(self) -> None:
        while self._backlog.size >= self._limit_bytes and not self._finished:
            self._room.clear()
            taken = self._taken
            try:
                async with self._clock.timeout(self._stall_s):
                    await self._room.wait()
            except TimeoutError:
                if self._taken == taken:
                    message = f"{self._backlog.size} bytes wait, and nothing was read for {self._stall_s:g} s"
                    raise TooSlow(message) from None
