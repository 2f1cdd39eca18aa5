"""A lossy bus inside one process, for the backends that live in one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sulla.core.errors import StoreUnavailable
from sulla.store.base import Subscription
from sulla.store.requests import check_name, check_payload

QUEUED_MESSAGES = 1024
"""What one listener may be behind: at 4 KiB a message, 4 MiB at the most."""


class LocalBus:
    """Channels and who listens on them; for the event loop's thread only.

    Args:
        capacity: how many messages one listener may be behind before the oldest are dropped.
    """

    def __init__(self, capacity: int = QUEUED_MESSAGES) -> None:
        self._capacity = capacity
        self._open = False
        self._channels: dict[str, set[_LocalListener]] = {}

    def open(self) -> None:
        """Let people listen."""
        self._open = True

    def close(self) -> None:
        """End every subscription."""
        self._open = False
        for listeners in self._channels.values():
            for listener in listeners:
                listener.end()

    def publish(self, channel: str, payload: bytes) -> None:
        """Pass `payload` to whoever listens on `channel` now.

        Raises:
            ValueError: it is over `MAX_PUBLISH_BYTES`.
        """
        check_payload(payload)
        for listener in tuple(self._channels.get(channel, ())):  # whoever hears it may stop listening
            listener.take(payload)

    def is_heard(self, channel: str) -> bool:
        """Whether anybody listens on a channel."""
        return channel in self._channels

    def lag(self, channel: str | None = None) -> None:
        """Tell the listeners on a channel, or all, that something may have been lost on its way here."""
        for listeners in self._channels.values() if channel is None else (self._channels.get(channel, ()),):
            for listener in listeners:
                listener.lose()

    @asynccontextmanager
    async def subscribe(self, channel: str) -> AsyncIterator[Subscription]:
        """Listen for as long as the block lasts.

        Raises:
            StoreUnavailable: the bus is closed.
        """
        check_name("channel", channel)
        if not self._open:
            raise StoreUnavailable(f"nobody can listen on {channel!r}: the store is not open")
        listener = _LocalListener(self._capacity)
        self._channels.setdefault(channel, set()).add(listener)
        try:
            yield listener
        finally:
            listener.end()
            self._channels[channel].discard(listener)
            if not self._channels[channel]:
                del self._channels[channel]


class _LocalListener:
    """Implements `Subscription`."""

    def __init__(self, capacity: int) -> None:
        self._queue: deque[bytes] = deque(maxlen=capacity)
        self._news = asyncio.Event()
        self._hear: Callable[[bytes | None], None] | None = None
        self._ended = False
        self._lagged = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while not self._queue:
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._queue.popleft()

    @property
    def lagged(self) -> bool:
        """Whether anything was dropped since the last look; looking resets it."""
        lagged, self._lagged = self._lagged, False
        return lagged

    def attach(self, hear: Callable[[bytes | None], None]) -> None:
        """See `Subscription.attach`."""
        while self._queue:
            hear(self._queue.popleft())
        self._hear = hear
        if self._ended:
            hear(None)

    def take(self, payload: bytes) -> None:
        """Queue a message, in the place of the oldest if there is no room; or hand it over."""
        if self._hear is not None:
            if not self._ended:
                self._hear(payload)
            return
        self._lagged = self._lagged or len(self._queue) == self._queue.maxlen
        self._queue.append(payload)
        self._news.set()

    def lose(self) -> None:
        """Something was lost before it came here."""
        self._lagged = True

    def end(self) -> None:
        """Nothing more will come; what is queued can still be read."""
        told, self._ended = self._ended, True
        self._news.set()
        if not told and self._hear is not None:
            self._hear(None)
