"""Where the events of a thread go that somebody speaks in."""

from __future__ import annotations

from collections.abc import Callable

from sulla.gateway.commands import Event
from sulla.gateway.websocket.machine import Out


class VoiceSink:
    """Keeps `follower.Sink`.

    Args:
        show: makes an event a frame, or nothing.
        done: whether nothing more is to be shown.
        out: to the client.
        end: closes the connection.
    """

    def __init__(
        self, show: Callable[[Event], bytes], done: Callable[[], bool], out: Out, end: Callable[[], None]
    ) -> None:
        self._show = show
        self._done = done
        self._out = out
        self._end = end

    async def put(self, frame: bytes) -> None:
        """Pass it on."""
        await self._out.put(frame)

    async def put_event(self, event: Event) -> None:
        """Show it; if it was the last one, the connection ends once the client has it."""
        if frame := self._show(event):
            await self._out.put(frame)
        if self._done():
            await self._out.emptied()
            self._end()

    def add_event(self, event: Event) -> bool:
        """Show it, if that can be done without waiting."""
        frame = self._show(event)
        if self._done():
            return False
        return not frame or self._out.add(frame)
