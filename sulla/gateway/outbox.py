"""What waits to be sent to one client: one bounded queue, one writer (design §12).

Whoever puts something in waits while the queue is full, so a slow client is served at its own pace and costs no memory; a
stuck one runs into `TooSlow`. Nobody who puts is an agent: they read the log and the bus for this client alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

from sulla.core.clock import Clock
from sulla.gateway.commands import Event
from sulla.gateway.rpc import event_frame

MERGED_CHARS = 16 * 1024
"""Where merging stops and a new frame begins."""
_ENVELOPE_BYTES = 256
"""Roughly what an event's frame weighs beside its text."""


class TooSlow(Exception):
    """The client reads nothing, and its queue is full."""


class _Stream(NamedTuple):
    """What deltas of the same text have in common."""

    thread_id: str
    type: str
    message_id: str


@dataclass(slots=True)
class _Pending:
    """Deltas of one text that have not been sent yet; grows while it waits."""

    stream: _Stream
    first: Event
    offset: int
    pieces: list[str]
    chars: int
    size: int = _ENVELOPE_BYTES

    def event(self) -> Event:
        """All pieces as one event."""
        if len(self.pieces) == 1:
            return self.first
        return replace(self.first, data={**self.first.data, "delta": "".join(self.pieces)})


class Backlog:
    """The queue itself. Pure.

    Deltas of a text that still wait become one: a client that is behind gets fewer and longer ones.
    """

    def __init__(self) -> None:
        self._items: deque[bytes | _Pending] = deque()
        self._streams: dict[_Stream, _Pending] = {}
        self.size = 0
        """Roughly how many bytes wait."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, frame: bytes) -> None:
        """Put a finished frame at the end."""
        self._items.append(frame)
        self.size += len(frame)

    def add_event(self, event: Event) -> None:
        """Put an event at the end, or merge it with what waits."""
        match event:
            case Event(seq=None, data={"message_id": str(message_id), "offset": int(offset), "delta": str(delta)}):
                self._add_delta(_Stream(event.thread_id, event.type, message_id), event, offset, delta)
            case _:
                self.add(event_frame(event))

    def _add_delta(self, stream: _Stream, event: Event, offset: int, delta: str) -> None:
        pending = self._streams.get(stream)
        if pending is not None and pending.offset + pending.chars == offset and pending.chars < MERGED_CHARS:
            pending.pieces.append(delta)
            pending.chars += len(delta)
            pending.size += len(delta)
            self.size += len(delta)
            return
        pending = _Pending(stream, event, offset, [delta], len(delta), _ENVELOPE_BYTES + len(delta))
        self._streams[stream] = pending
        self._items.append(pending)
        self.size += pending.size

    def take(self) -> bytes:
        """The frame at the front, removed.

        Raises:
            IndexError: nothing waits.
        """
        item = self._items.popleft()
        if isinstance(item, bytes):
            self.size -= len(item)
            return item
        self.size -= item.size
        if self._streams.get(item.stream) is item:
            del self._streams[item.stream]
        return event_frame(item.event())


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
