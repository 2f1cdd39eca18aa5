"""Gives a client what it can speak, beside the events that it is made of: the I/O around `speaking`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sulla.gateway.commands import Event
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.feed.speaking import Speaking


class Speaker:
    """A sink that puts into another one, for one followed thread.

    Args:
        sink: where everything goes.
    """

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._speaking = Speaking()
        self._owed: Iterator[Event] | None = None
        """What found no room of what goes with an event that did."""

    async def put(self, frame: bytes) -> None:
        """Pass it on; see ``Outbox.put``."""
        await self._sink.put(frame)

    async def put_event(self, event: Event) -> None:
        """An event and what is to be spoken with it; or the rest of that, if `add_event` has taken the event."""
        if (pieces := self._owed) is None:
            await self._sink.put_event(event)
            pieces = iter(self._speaking.hear(event))
        self._owed = None
        for piece in pieces:
            await self._sink.put_event(piece)

    def add_event(self, event: Event) -> bool:
        """An event and what is to be spoken with it, as far as there is room without waiting.

        Returns:
            Whether all of it was taken; if not, `put_event` has to be next, with the same event.
        """
        if not self._sink.add_event(event):
            return False
        pieces = iter(self._speaking.hear(event))
        for piece in pieces:
            if not self._sink.add_event(piece):
                self._owed = chain((piece,), pieces)
                return False
        return True
