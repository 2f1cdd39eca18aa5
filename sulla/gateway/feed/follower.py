"""Keeps one subscription going: the I/O around `feed`."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NoReturn, Protocol

import orjson

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, SullaError, Unavailable
from sulla.gateway.commands import Advanced, Commands, Event, Over, Signal
from sulla.gateway.feed.feed import LOOK_BACK, AskForText, Effect, Feed, Gap, Read, Show
from sulla.gateway.rpc import gap_frame
from sulla.rpc.limits import Limits

_HEARD = 1024
"""Signals that may wait; of more the oldest are lost, as on the bus."""
_FIRST = 8
"""Events read at first, before it is known how large they are."""
_log = logging.getLogger("sulla.gateway")


class EventSink(Protocol):
    """Takes what one client is to see."""

    async def put(self, frame: bytes) -> None:
        """Something that has its final form; see ``Outbox.put``."""

    async def put_event(self, event: Event) -> None:
        """An event; see ``Outbox.put_event``."""

    def add_event(self, event: Event) -> bool:
        """An event, if it can be taken without waiting; whether it was. See ``Outbox.add_event``."""


class FollowWatch(Protocol):
    """Whoever follows several threads for one client, and has to know how one of them gets on."""

    def recalled(self, event: Event) -> None:
        """An event that the client has already."""

    def caught_up(self) -> None:
        """All that the log held has been put out."""


@dataclass(slots=True, eq=False)
class _Backlog:
    """What was heard and could not be shown in the step that brought it."""

    is_current: bool = False
    """Whether the log was read since listening began; until then nothing is shown at once."""
    heard: deque[Signal] = field(default_factory=lambda: deque(maxlen=_HEARD))
    owed: list[Effect] = field(default_factory=list)
    """What such a signal asks for; comes before all that is heard or read later."""
    failure: Exception | None = None
    held_up: bool = False
    """Whether the store is away, which is said once for each outage."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with whatever is added."""


class EventFollower:
    """One thread, followed for one client.

    Args:
        commands: where the log and the signals come from.
        outbox: where events go.
        clock: for healing and deadlines.
        limits: bounds.
        thread_id: what is followed.
        after: the last number that the client has.
        gap: what a hole in the log looks like on the wire.
        watch: is told how it gets on. With one, the thread may be made later, too.
    """

    def __init__(
        self,
        commands: Commands,
        outbox: EventSink,
        clock: Clock,
        limits: Limits,
        thread_id: str,
        after: int,
        gap: Callable[[str, int, int], bytes] = gap_frame,
        watch: FollowWatch | None = None,
    ) -> None:
        self._commands = commands
        self._outbox = outbox
        self._clock = clock
        self._limits = limits
        self._thread_id = thread_id
        self._after = after
        """What the client has, until that is recalled; then 0."""
        self._gap = gap
        self._watch = watch
        self._feed = Feed(after, limits.page)
        self._next = min(_FIRST, limits.page)
        """How many events to read next: they may be large."""
        self._turn = asyncio.Lock()  # signals and ticks take turns, so that events stay in order
        self._backlog = _Backlog()

    @property
    def cursor(self) -> int:
        """The last number that was put out, or that the client had before; 0 for nothing."""
        return self._feed.cursor

    async def run(self) -> SullaError:
        """Follow until it cannot go on; a failing store is waited for.

        Returns:
            Why it ended.

        Raises:
            TooSlow: the client does not read (in an exception group).
        """
        ending: SullaError = NotFound(f"thread {self._thread_id!r} can no longer be followed")
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._heal())
                tasks.create_task(self._listen())
        except* SullaError as errors:
            for error in errors.exceptions:
                if isinstance(error, SullaError):
                    ending = error
        return ending

    async def settle(self) -> None:
        """Show what the log holds by now, without waiting to be told.

        Raises:
            SullaError: it cannot be read.
        """
        async with self._turn:
            await self._recall()
            await self._do(self._feed.tick())

    async def _listen(self) -> NoReturn:
        while True:
            try:
                async with self._commands.listen(self._thread_id, self._hear):
                    await self._catch_up()
                    await self._attend()
            except SullaError as error:
                self._hold(error)
            finally:
                self._backlog.is_current = False
                self._backlog.heard.clear()
            await self._clock.sleep(self._limits.heal_s)

    def _hear(self, signal: Signal) -> None:
        """Show at once what need not wait for anything, which nearly every token is. The rest is for `_attend`."""
        backlog = self._backlog
        try:
            at_once = not isinstance(signal, Over) and backlog.is_current and not self._turn.locked()
            if not at_once or backlog.heard or backlog.owed:
                # What waits here has no bound but its size: the events can be read when their turn comes.
                backlog.heard.append(Advanced(signal.seq) if isinstance(signal, Advanced) else signal)
                backlog.news.set()
                return
            effects = self._feed.signal(signal)
            for place, effect in enumerate(effects):
                if not (isinstance(effect, Show) and self._outbox.add_event(effect.event)):
                    backlog.owed = effects[place:]
                    backlog.news.set()
                    return
        except Exception as error:  # noqa: BLE001  # it is this client's, not whose step this is: `_attend` raises it
            backlog.failure = error
            backlog.news.set()

    async def _attend(self) -> None:
        """Do what has to be waited for, until nothing more is heard."""
        backlog = self._backlog
        while True:
            await backlog.news.wait()
            backlog.news.clear()
            if backlog.failure is not None:
                raise backlog.failure
            async with self._turn:
                await self._do([])
                while backlog.heard:
                    signal = backlog.heard.popleft()
                    if isinstance(signal, Over):
                        return
                    await self._do(self._feed.signal(signal))

    async def _heal(self) -> NoReturn:
        while True:
            await self._clock.sleep(self._limits.heal_s)
            if self._turn.locked():
                continue  # busy, or waiting for a slow client: the next tick will do
            try:
                async with self._turn:
                    await self._do(self._feed.tick())
            except SullaError as error:
                self._hold(error)

    def _hold(self, error: SullaError) -> None:
        """Go on after a failure that passes; give up on any other."""
        if not error.retryable:
            raise error
        if self._backlog.held_up:
            return
        self._backlog.held_up = True  # said once for each outage, not at each try
        _log.warning("following a thread is held up", extra={"thread_id": self._thread_id, "reason": error.message})

    async def _catch_up(self) -> None:
        async with self._turn:
            await self._recall()
            await self._do(self._feed.catch_up())
            self._backlog.is_current, self._backlog.held_up = True, False
        if self._watch is not None:
            self._watch.caught_up()

    async def _recall(self) -> None:
        if not self._after:
            return
        known = await self._read(max(0, self._after - LOOK_BACK), self._after + 1, LOOK_BACK)
        self._feed.recall(known)
        self._after = 0
        if self._watch is not None:
            for event in known:
                self._watch.recalled(event)

    async def _do(self, effects: list[Effect]) -> None:
        owed, self._backlog.owed = self._backlog.owed, []
        waiting = deque([*owed, *effects])  # grows on the way; what is done is let go
        while waiting:
            match waiting.popleft():
                case Show(event):
                    await self._outbox.put_event(event)
                case Gap(after, following):
                    await self._outbox.put(self._gap(self._thread_id, after, following))
                case Read(after):
                    waiting.extend(await self._read_on(after))
                case AskForText():
                    await self._commands.ask_text(self._thread_id)

    async def _read_on(self, after: int) -> list[Effect]:
        """Read a page, and keep so much of it as may be held for a client that reads nothing."""
        asked = self._next
        found = await self._read(after, None, asked)
        kept, size = 0, 0
        while kept < len(found) and size < self._limits.history_bytes:
            size += len(orjson.dumps(found[kept].data))
            kept += 1
        more = len(found) == asked
        if more:
            self._next = min(self._limits.page, 2 * kept)
        return self._feed.read(found[:kept], more=more or kept < len(found))

    async def _read(self, after: int, before: int | None, limit: int) -> Sequence[Event]:
        try:
            async with self._clock.timeout(self._limits.call_s):
                found = await self._commands.history(self._thread_id, after, before, limit)
        except TimeoutError:
            raise Unavailable(f"thread {self._thread_id!r} could not be read in {self._limits.call_s:g} s") from None
        except NotFound:
            if self._watch is None or self.cursor:
                raise
            found = ()
        if self._backlog.is_current:
            self._backlog.held_up = False
        return found
