"""What waits for one client, with deltas of the same text merged. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from sulla.core.dataclass import dataclass
from sulla.gateway.commands import Event
from sulla.gateway.feed.feed import REASONING, TEXT
from sulla.gateway.rpc import event_frame

MERGED = frozenset({TEXT, REASONING})
"""Types whose deltas are pieces of one text."""
_Stream = tuple[str, str, str]
"""Thread, type and message: what deltas of one text have in common."""
MERGED_CHARS = 16 * 1024
"""Where merging stops and a new frame begins."""
_ENVELOPE_BYTES = 256
"""Roughly what an event's frame weighs beside its text."""


def is_delta(event: Event) -> bool:
    """Whether it is a piece of a text, which may wait a moment for the next one."""
    return event.seq is None and event.type in MERGED


class EventFrames:
    """Makes frames of events. Many clients may be shown one event: the latest frame is kept, and made once for all."""

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: tuple[Event | None, bytes] = None, b""

    def of(self, event: Event) -> bytes:
        """The event's frame."""
        latest, frame = self._latest
        if latest is not event:
            frame = event_frame(event)
            self._latest = event, frame
        return frame


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
        return self.first._replace(data={**self.first.data, "delta": "".join(self.pieces)})


class Backlog:
    """A queue of frames. Waiting deltas of one text become one: a client that is behind gets fewer and longer ones.

    Args:
        form: what an event looks like on the wire.
    """

    __slots__ = ("_form", "_items", "_streams", "size", "urgent")

    def __init__(self, form: Callable[[Event], bytes] = event_frame) -> None:
        self._form = form
        self._items: deque[bytes | _Pending] = deque()
        self._streams: dict[_Stream, _Pending] = {}
        self.size = 0
        """Roughly how many bytes wait."""
        self.urgent = 0
        """How many of what waits are no deltas."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, frame: bytes) -> None:
        """Put a finished frame at the end."""
        # A copy: orjson's bytes keep all the room that they were made in, 4 KiB or more.
        self._items.append(bytes(memoryview(frame)))
        self.size += len(frame)
        self.urgent += 1

    def add_event(self, event: Event) -> None:
        """Put an event at the end, or merge it with what waits."""
        data = event.data
        if is_delta(event):
            message_id, offset, delta = data.get("message_id"), data.get("offset"), data.get("delta")
            if isinstance(message_id, str) and isinstance(offset, int) and isinstance(delta, str):
                self._add_delta((event.thread_id, event.type, message_id), event, offset, delta)
                return
        self.add(self._form(event))

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
            self.urgent -= 1
            return item
        self.size -= item.size
        if self._streams.get(item.stream) is item:
            del self._streams[item.stream]
        return self._form(item.event())
