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
from sulla.rpc.limits import Limits

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

    Most connections are idle, so what one needs only while something waits is made when something does.

    Args:
        clock: for the stall and the lull.
        limits: how much may wait, and for how long before the client counts as stuck.
        begin: called when something has to wait for the first time; gives what keeps it, and may begin to take it.
        shortcut: past the writer; None if everything goes by way of it.
    """

    __slots__ = (
        "_backlog",
        "_begin",
        "_clock",
        "_finished",
        "_limits",
        "_lingering",
        "_room",
        "_sending",
        "_sent_s",
        "_shortcut",
        "_some",
        "_taken",
    )

    def __init__(
        self,
        clock: Clock,
        limits: Limits,
        begin: Callable[[], WaitingFrames] = Backlog,
        shortcut: Shortcut | None = None,
    ) -> None:
        self._clock = clock
        self._limits = limits
        self._begin = begin
        self._shortcut = shortcut
        self._backlog: WaitingFrames | None = None
        self._sending = False
        """Whether the writer has taken something that is perhaps not sent yet."""
        self._some: asyncio.Event | None = None
        """What the writer waits for; set once, and made anew for each wait."""
        self._lingering = False
        """Whether it waits for something that need not wait for more text."""
        self._room: asyncio.Event | None = None
        """What those wait for who find no room; set once, and made anew for those who wait next."""
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
            self._kept().add(frame)
            self._wake_writer()
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
            self._kept().add_event(event)
            self._wake_writer()
            return True
        return self._finished

    def finish(self) -> None:
        """Nothing more is added; what waits is still sent."""
        self._finished = True
        self._wake_writer()
        self._make_room()

    async def take(self) -> bytes | None:
        """The next frame, as soon as there is one, and text a moment later if it need not hurry; None after the last.

        Who takes again has sent what was taken before.
        """
        self._sending = False
        while not (backlog := self._backlog):
            if self._finished:
                return None
            self._some = asyncio.Event()
            await self._some.wait()
        await self._gather()
        frame = backlog.take()
        self._sending = True
        self._taken += 1
        if backlog.size < self._limits.queue_bytes:
            self._make_room()
        self._sent_s = self._clock.elapsed()
        return frame

    async def emptied(self) -> None:
        """Return when everything that was added has been taken."""
        while self._backlog and not self._finished:
            await self._some_room()

    def _free_shortcut(self) -> Shortcut | None:
        """The way past the writer, if what takes it now overtakes nothing."""
        return None if self._sending or self._backlog or self._finished else self._shortcut

    @property
    def _free(self) -> bool:
        return self._size < self._limits.queue_bytes and not self._finished

    @property
    def _size(self) -> int:
        return 0 if self._backlog is None else self._backlog.size

    def _kept(self) -> WaitingFrames:
        """Where what waits is kept."""
        if self._backlog is None:
            self._backlog = self._begin()
        return self._backlog

    def _wake_writer(self) -> None:
        if self._some is not None and (not self._lingering or self._hurries):
            self._some.set()

    @property
    def _hurries(self) -> bool:
        """Whether what waits is not to wait for more text."""
        return self._finished or (self._backlog is not None and self._backlog.urgent > 0)

    def _make_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None

    async def _some_room(self) -> None:
        if self._room is None:
            self._room = asyncio.Event()
        await self._room.wait()

    async def _gather(self) -> None:
        """Let more text come, unless something else waits too, or the client is idle."""
        rest_s = self._sent_s + LULL_S - self._clock.elapsed()
        if rest_s <= 0 or self._hurries:
            return
        self._some, self._lingering = asyncio.Event(), True
        try:
            async with self._clock.timeout(rest_s):
                await self._some.wait()
        except TimeoutError:
            return
        finally:
            self._lingering = False

    async def _wait_for_room(self) -> None:
        while self._size >= self._limits.queue_bytes and not self._finished:
            taken = self._taken
            try:
                async with self._clock.timeout(self._limits.stall_s):
                    await self._some_room()
            except TimeoutError:
                if self._taken == taken:
                    message = f"{self._size} bytes wait, and nothing was read for {self._limits.stall_s:g} s"
                    raise TooSlow(message) from None
