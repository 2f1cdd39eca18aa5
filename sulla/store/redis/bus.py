"""The bus between processes: Redis pub/sub, on a connection of its own, in front of the bus of this process.

Whoever listens in this process hears at once; what travels is dropped here when it comes back. All of it is lossy:
while the server is away, or when messages come faster than they leave, the oldest are lost and listeners are told so
(`lagged`).
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from redis.exceptions import RedisError

from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Subscription
from sulla.store.bus import QUEUED_MESSAGES, LocalBus
from sulla.store.redis.client import CALL_S, RedisClient, connect
from sulla.store.redis.keys import channel_prefix
from sulla.store.redis.line import RedisLine, Reply
from sulla.store.redis.url import RedisAddress
from sulla.store.requests import check_name

_BACKOFF_S = (0.1, 0.2, 0.5, 1.0)
"""How long to wait before the listener's connection is tried again, the last one over and over."""

_LOSSY, _WHOLE = b"!", b"."
"""Stands in a message behind its sender: whether something before it was lost on the way out."""


class _Outgoing:
    """What was published here and has not left yet; of too much the oldest is lost."""

    def __init__(self) -> None:
        self._messages: deque[tuple[str, bytes]] = deque()
        self._news = asyncio.Event()
        self.lost: set[str] = set()
        """Channels of which something was lost since their last message left."""

    def add(self, channel: str, payload: bytes) -> None:
        """One more."""
        if len(self._messages) >= QUEUED_MESSAGES:
            self.lost.add(self._messages.popleft()[0])
        self._messages.append((channel, payload))
        self._news.set()

    async def take(self) -> list[tuple[str, bytes]]:
        """Wait until there is something; all that has come up."""
        await self._news.wait()
        self._news.clear()
        return [self._messages.popleft() for _ in range(len(self._messages))]

    def clear(self) -> None:
        """Let go of it all."""
        self._messages.clear()


class RedisBus:
    """Channels across processes.

    Args:
        address: where Redis is, for the listener's connection.
        client: sends what is published.
        clock: for deadlines and back-off.
        sender: names this bus; no other one has the name.
    """

    def __init__(self, address: RedisAddress, client: RedisClient, clock: Clock, sender: str) -> None:
        self._address = address
        self._client = client
        self._clock = clock
        self._sender = sender.encode()
        self._local = LocalBus()
        self._prefix = ""
        self._listened: Counter[str] = Counter()
        self._confirmed: dict[str, asyncio.Event] = {}
        self._line: RedisLine | None = None
        self._out = _Outgoing()
        self._wanted = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def open(self, incarnation: str) -> None:
        """Let people listen and speak; a second time does nothing."""
        if self._running is None:
            self._prefix = channel_prefix(incarnation)
            self._local.open()
            self._running = asyncio.create_task(self._run(), name="redis bus")

    async def close(self) -> None:
        """End every subscription; what was published and has not left yet is lost."""
        self._local.close()
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait((running,))
        self._out.clear()

    def publish(self, channel: str, payload: bytes) -> None:
        """Tell whoever listens now; see `Store.publish`."""
        self._local.publish(channel, payload)
        if self._running is None:
            return
        self._out.add(channel, payload)

    @asynccontextmanager
    async def subscribe(self, channel: str) -> AsyncIterator[Subscription]:
        """Listen on a channel for as long as the block lasts.

        Raises:
            StoreUnavailable: the bus is closed, or Redis did not confirm it in time.
        """
        check_name("channel", channel)
        async with self._local.subscribe(channel) as heard:
            self._listened[channel] += 1
            try:
                await self._confirm(channel)
                yield heard
            finally:
                self._listened[channel] -= 1
                if not self._listened[channel]:
                    del self._listened[channel], self._confirmed[channel]
                    self._say("UNSUBSCRIBE", channel)

    async def _confirm(self, channel: str) -> None:
        confirmed = self._confirmed.get(channel)
        if confirmed is None:
            confirmed = self._confirmed[channel] = asyncio.Event()
            self._wanted.set()
            self._say("SUBSCRIBE", channel)
        try:
            async with self._clock.timeout(CALL_S):
                await confirmed.wait()
        except TimeoutError:
            said = f"nobody can listen on {channel!r}: the store {self._address.shown} does not confirm it"
            raise StoreUnavailable(said, retry_after_s=1.0) from None

    def _say(self, word: str, *channels: str) -> None:
        """Tell the listener's connection; without one, `_listen` says it when there is one again."""
        line = self._line
        if line is None or line.error is not None:
            return
        try:
            line.send([(word, *(self._prefix + channel for channel in channels))])
        except (RedisError, OSError):
            return  # The connection has ended, and `_listen` makes another one.

    # ------------------------------------------------------------------------------------------------------ beside

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send())
            group.create_task(self._listen())

    async def _send(self) -> None:
        """Send what was published, all that has come up in one go."""
        while True:
            batch = await self._out.take()
            try:
                await self._client.call(*(self._command(channel, payload) for channel, payload in batch))
            except StoreUnavailable:
                self._out.lost.update(channel for channel, _ in batch)

    def _command(self, channel: str, payload: bytes) -> tuple[str, str, bytes]:
        whole = _LOSSY if channel in self._out.lost else _WHOLE
        self._out.lost.discard(channel)
        return ("PUBLISH", self._prefix + channel, b"%b\0%b%b" % (self._sender, whole, payload))

    async def _listen(self) -> None:
        """Keep a connection for as long as anybody listens, and make it anew when it ends."""
        failures = 0
        while True:
            await self._wanted.wait()
            try:
                async with self._clock.timeout(CALL_S):
                    self._line = await connect(self._address, self._told)
                failures = 0
                if self._listened:
                    self._say("SUBSCRIBE", *self._listened)
                await self._line.ended()
            except (RedisError, OSError, TimeoutError):
                failures += 1
            finally:
                line, self._line = self._line, None
                if line is not None:
                    await line.close()
            self._local.lag()  # Whatever was said meanwhile is lost.
            if not self._listened:
                self._wanted.clear()
            elif failures:
                await self._clock.sleep(_BACKOFF_S[min(failures, len(_BACKOFF_S)) - 1])

    def _told(self, reply: Reply) -> None:
        if not isinstance(reply, list) or len(reply) != 3:
            return  # A refusal: whoever waits for a confirmation is told by the deadline.
        word, name, payload = cast("tuple[bytes, bytes, bytes | int]", tuple(reply))
        channel = name.decode().removeprefix(self._prefix)
        if word == b"subscribe" and channel in self._confirmed:
            self._confirmed[channel].set()
        elif word == b"message" and isinstance(payload, bytes):
            sender, found, rest = payload.partition(b"\0")
            if found and sender != self._sender:
                if rest[:1] == _LOSSY:
                    self._local.lag(channel)
                self._local.publish(channel, rest[1:])
