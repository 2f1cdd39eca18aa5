"""What waits to be sent to one client: one bounded queue, one writer (design §12).

Most of what is sent finds an idle client. Where there is a way to send it without waiting, it takes that in the step
that brings it: waking the writer would cost a token as much as all that has to be done for it.

Whoever puts something in waits while the queue is full, so a slow client is served at its own pace and costs no memory,
and a stuck one runs into `TooSlow`. Nobody who puts is an agent: they read the log and the bus for this client alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.gateway.commands import Event
from sulla.gateway.feed.backlog import Backlog, is_delta

LULL_S = 0.01
"""How long a piece of text waits for more, from the last thing that was sent on. A client that has been sent nothing
for so long is idle, and gets the first piece at once (design §12)."""


class TooSlow(Exception):
    """The client reads nothing, and its queue is full."""


class WaitingFrames(Protocol):
    """What waits, in order; kept by `Backlog`, and by those of dialects."""

    size: int
    """Roughly how many bytes."""
    urgent: int
    """How much of it are no pieces of text, which may wait a moment for the next one."""

    def __len__(self) -> int:
        """How many things wait."""

    def add(self, frame: bytes) -> None:
        """Put something finished at the end."""

    def add_event(self, event: Event) -> None:
        """Put an event at the end, if it says anything."""

    def take(self) -> bytes:
        """What is at the front, removed; may be empty."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """The way of frames that need not wait."""

    send: Callable[[bytes], bool]
    """Sends a frame now; False if it has to wait, and then nothing was done."""
    form: Callable[[Event], bytes]
    """What an event looks like on it."""


class Outbox:
    """A backlog that one side waits to fill and the other waits to empty.

    Args:
        clock: for the stall and the lull.
        limit_bytes: above this, whoever puts something in has to wait.
        stall_s: how long, before the client counts as stuck.
        backlog: what is empty yet; None for frames of ``sulla.v1``.
        shortcut: past the writer; None if everything goes by way of it.
    """

    __slots__ = (
        "_backlog",
        "_clock",
        "_finished",
        "_limit_bytes",
        "_room",
        "_sending",
        "_sent_s",
        "_shortcut",
        "_some",
        "_stall_s",
        "_taken",
        "_urgent",
    )

    def __init__(
        self,
        clock: Clock,
        limit_bytes: int,
        stall_s: float,
        backlog: WaitingFrames | None = None,
        shortcut: Shortcut | None = None,
    ) -> None:
        self._clock = clock
        self._limit_bytes = limit_bytes
        self._stall_s = stall_s
        self._backlog: WaitingFrames = Backlog() if backlog is None else backlog
        self._shortcut = shortcut
        self._sending = False
        """Whether the writer has taken something that is perhaps not sent yet."""
        self._some = asyncio.Event()
        self._urgent = asyncio.Event()
        self._room = asyncio.Event()
        self._sent_s = float("-inf")
        self._taken = 0
        self._finished = False

    async def put(self, frame: bytes) -> None:
        """Add a frame, when there is room.

        Raises:
            TooSlow: the queue was full, and the client took nothing for as long as it may.
        """
        while not self.add(frame):
            await self._wait_for_room()

    async def put_event(self, event: Event) -> None:
        """Add an event, when there is room.

        Raises:
            TooSlow: the queue was full, and the client took nothing for as long as it may.
        """
        while not self.add_event(event):
            await self._wait_for_room()

    def add(self, frame: bytes) -> bool:
        """Add a frame if there is room; after `finish` it is dropped.

        Returns:
            False if it has to wait.
        """
        if (shortcut := self._free_shortcut()) is not None and shortcut.send(frame):
            self._sent_s = self._clock.elapsed()
            return True
        if self._free:
            self._backlog.add(frame)
            self._added()
            return True
        return self._finished

    def add_event(self, event: Event) -> bool:
        """Add an event if there is room; after `finish` it is dropped.

        Returns:
            False if it has to wait.
        """
        if (shortcut := self._free_shortcut()) is not None:
            now_s = self._clock.elapsed()
            if not (now_s - self._sent_s < LULL_S and is_delta(event)) and shortcut.send(shortcut.form(event)):
                self._sent_s = now_s
                return True
        if self._free:
            self._backlog.add_event(event)
            self._added()
            return True
        return self._finished

    def finish(self) -> None:
        """Nothing more is added; what waits is still sent."""
        self._finished = True
        self._some.set()
        self._urgent.set()
        self._room.set()

    async def take(self) -> bytes | None:
        """The next frame, as soon as there is one, and text a moment later if it need not hurry; None after the last.

        Who takes again has sent what was taken before.
        """
        self._sending = False
        while not self._backlog:
            if self._finished:
                return None
            self._some.clear()
            await self._some.wait()
        await self._gather()
        frame = self._backlog.take()
        self._sending = True
        self._taken += 1
        if self._backlog.size < self._limit_bytes:
            self._room.set()
        self._sent_s = self._clock.elapsed()
        return frame

    async def emptied(self) -> None:
        """Return when everything that was added has been taken."""
        while self._backlog and not self._finished:
            self._room.clear()
            await self._room.wait()

    def _free_shortcut(self) -> Shortcut | None:
        """The way past the writer, if what takes it now overtakes nothing."""
        return None if self._sending or self._backlog or self._finished else self._shortcut

    @property
    def _free(self) -> bool:
        return self._backlog.size < self._limit_bytes and not self._finished

    def _added(self) -> None:
        self._some.set()
        if self._backlog.urgent:
            self._urgent.set()

    async def _gather(self) -> None:
        """Let more text come, unless something else waits too, or the client is idle."""
        rest_s = self._sent_s + LULL_S - self._clock.elapsed()
        if rest_s <= 0 or self._backlog.urgent or self._finished:
            return
        self._urgent.clear()
        try:
            async with self._clock.timeout(rest_s):
                await self._urgent.wait()
        except TimeoutError:
            return

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
