"""The way around an outbox: what can be sent at once is sent in the step that brings it.

Most of what is sent finds an idle client. A queue and a task that empties it would cost such a client's token twice as
much, and an idle connection a third of its memory: both are made when something has to wait for the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sulla.core.clock import Clock
from sulla.gateway.commands import Event
from sulla.gateway.feed.backlog import is_delta
from sulla.gateway.outbox import LULL_S, Outbox
from sulla.gateway.rpc import event_frame


class Pipe(Protocol):
    """The way to one client's socket."""

    def send(self, frame: bytes) -> bool:
        """Send a frame now; False if it has to wait until there is room. One to a client that is gone is dropped."""
        ...

    async def room(self) -> None:
        """Return when something can be sent, or the client is gone."""
        ...


class Shortcut:
    """Sends past an outbox where nothing is in it.

    Args:
        pipe: to the client.
        clock: for the lull.
        make: makes the outbox, and whoever empties it into the pipe.
    """

    __slots__ = ("_clock", "_finished", "_make", "_outbox", "_pipe", "_sent_s")

    def __init__(self, pipe: Pipe, clock: Clock, make: Callable[[], Outbox]) -> None:
        self._pipe = pipe
        self._clock = clock
        self._make = make
        self._outbox: Outbox | None = None
        self._sent_s = float("-inf")
        self._finished = False

    async def put(self, frame: bytes) -> None:
        """Send a frame, or let it wait; see `Outbox.put`."""
        if not (self._free and self._send(frame)):
            await self._queue().put(frame)

    def add(self, frame: bytes) -> bool:
        """Send a frame, or let it wait if there is room; see `Outbox.add`."""
        return (self._free and self._send(frame)) or self._queue().add(frame)

    async def put_event(self, event: Event) -> None:
        """Send an event, or let it wait; see `Outbox.put_event`."""
        if not self.add_event(event):
            await self._queue().put_event(event)

    def add_event(self, event: Event) -> bool:
        """Send an event, or let it wait if there is room; see `Outbox.add_event`."""
        if self._finished:  # whoever would empty an outbox that is made now would never end
            return True
        outbox = self._outbox
        if outbox is None or outbox.idle:
            sent_s = self._sent_s if outbox is None else outbox.sent_s
            resting = self._clock.elapsed() - sent_s < LULL_S
            if not (resting and is_delta(event)) and self._send(event_frame(event)):
                return True
        return self._queue().add_event(event)

    def finish(self) -> None:
        """Nothing more is added; what waits is still sent."""
        self._finished = True
        if self._outbox is not None:
            self._outbox.finish()

    async def emptied(self) -> None:
        """Return when everything that was added has been sent on."""
        if self._outbox is not None:
            await self._outbox.emptied()

    @property
    def _free(self) -> bool:
        return self._outbox is None or self._outbox.idle

    def _send(self, frame: bytes) -> bool:
        if self._finished:
            return True
        if not self._pipe.send(frame):
            return False
        if self._outbox is None:
            self._sent_s = self._clock.elapsed()
        else:
            self._outbox.sent_s = self._clock.elapsed()
        return True

    def _queue(self) -> Outbox:
        if self._outbox is None:
            self._outbox = self._make()
            self._outbox.sent_s = self._sent_s
        return self._outbox
