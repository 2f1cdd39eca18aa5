"""The bus between daemons that share a PostgreSQL: NOTIFY carries numbers, an unlogged table what they stand for.

Inside one process a message goes straight from who says it to who listens. To the others it goes in two steps: the
*mouth* puts all that was said meanwhile into one row of the table ``bus`` and notifies its number, with a mark for each
channel; the *ear* of each daemon, on a connection of its own, fetches the rows that somebody here may listen for.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import cast
from zlib import crc32

import psycopg
from psycopg import sql

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, StoreUnavailable
from sulla.store.base import Subscription
from sulla.store.bus import LocalBus
from sulla.store.postgres.errors import explained
from sulla.store.postgres.pool import ConnectionPool, Line, guarded
from sulla.store.requests import check_name

log = logging.getLogger(__name__)

QUEUED_MESSAGES = 1024
"""How many messages may wait for the mouth; the oldest go first."""

BATCH_MESSAGES = 64
"""How many messages go into one row: at 4 KiB each a quarter of a megabyte, and their marks fit a notification."""

KEPT_S = 30.0
"""How long a row stays, in seconds. Whoever was notified fetches it within a few thousandths of one."""

_SWEPT = 8
"""How many old rows one message clears away: more than it adds."""

_SWEEP = "DELETE FROM bus WHERE at_ms <= now_ms() - %s"

RETRY_S = 0.5
"""How soon the ear tries again to connect, in seconds."""

PULSE_S = 10.0
"""How often the ear sees whether its connection still stands, in seconds."""

_SAY = "SELECT say(%s::text, %s::text, %s::text[], %s::bytea[], %s::bigint, %s::bigint)"
_FETCH = "SELECT channels, payloads FROM bus WHERE id = ANY(%s) ORDER BY id"

Message = tuple[str, bytes]


class PostgresBus:
    """A lossy bus over all processes that use one store.

    Args:
        pool: connections.
        schema: where the tables are.
        sender: an id for this process, without blanks: what it says is not told to it again.
        clock: for waiting.
    """

    def __init__(self, pool: ConnectionPool, schema: str, sender: str, clock: Clock) -> None:
        self._pool = pool
        self._schema = schema
        self._sender = sender
        self._clock = clock
        self._local = LocalBus()
        self._heard: dict[str, int] = {}
        """The marks that somebody here listens for, and how many do."""
        self._out: deque[Message] = deque(maxlen=QUEUED_MESSAGES)
        self._to_say = asyncio.Event()
        self._line: Line | None = None
        """The ear's."""
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, line: Line) -> None:
        """Begin to listen.

        Args:
            line: a connection, which is the ear's from now on.

        Raises:
            psycopg.Error: the server failed.
        """
        self._line = line
        await self._attend(line)
        self._local.open()
        self._tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._speak())]

    async def close(self) -> None:
        """End every subscription, and say no more."""
        self._local.close()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await self._let_go()
        for error in ended:
            if isinstance(error, Exception):
                raise error

    def publish(self, channel: str, payload: bytes) -> None:
        """Tell whoever listens now, here at once and elsewhere soon; see `Store.publish`."""
        self._local.publish(channel, payload)
        if self._tasks and _is_name(channel):  # Nobody can listen on anything else.
            self._out.append((channel, bytes(payload)))
            self._to_say.set()

    @asynccontextmanager
    async def subscribe(self, channel: str) -> AsyncIterator[Subscription]:
        """Listen for as long as the block lasts; see `Store.subscribe`."""
        async with self._local.subscribe(channel) as heard:
            mark = _mark(channel)
            self._heard[mark] = self._heard.get(mark, 0) + 1
            try:
                yield heard
            finally:
                self._heard[mark] -= 1
                if not self._heard[mark]:
                    del self._heard[mark]

    # --------------------------------------------------------------------------------------------------- the mouth

    async def _speak(self) -> None:
        """Pass on what is said, as much at once as has come together meanwhile."""
        while True:
            await self._to_say.wait()
            self._to_say.clear()
            while self._out:
                batch = [self._out.popleft() for _ in range(min(len(self._out), BATCH_MESSAGES))]
                await self._say(batch)
            await self._tidy()

    async def _say(self, batch: list[Message]) -> None:
        channels, payloads = [channel for channel, _ in batch], [payload for _, payload in batch]
        marks = " ".join(sorted(set(map(_mark, channels))))
        asked = (self._sender, marks, channels, payloads, int(KEPT_S * 1000), _SWEPT)

        async def say(line: Line) -> None:
            await line.execute(_SAY, asked, prepare=True)

        try:
            await self._pool.ask(say, size=sum(map(len, payloads)))
        except StoreUnavailable as error:
            log.debug("%d bus messages were lost: %s", len(batch), error)

    async def _tidy(self) -> None:
        """When nothing was said for a while, leave nothing of it behind."""
        try:
            async with self._clock.timeout(KEPT_S):
                await self._to_say.wait()
        except TimeoutError:

            async def sweep(line: Line) -> None:
                await line.execute(_SWEEP, (int(KEPT_S * 1000),))

            try:
                await self._pool.ask(sweep)
            except StoreUnavailable as error:
                log.debug("old bus messages stay for now: %s", error)

    # ----------------------------------------------------------------------------------------------------- the ear

    async def _attend(self, line: Line) -> None:
        """Have the connection notified."""
        listen = sql.SQL("LISTEN {}").format(sql.Identifier(f"sulla:{self._schema}"))
        await guarded(line, line.execute(listen), self._clock, PULSE_S)

    async def _hear(self) -> None:
        """Listen, and connect anew whenever the connection is lost."""
        deaf = False
        while True:
            try:
                line, deaf = self._line or await self._reconnect(), False
                await self._listen_on(line)
            except (psycopg.Error, OSError) as error:
                if not deaf:  # Once for each outage, not for each try.
                    said = explained(self._pool.shown, error)
                    log.warning("the bus hears nothing from other daemons for now: %s", said)
                deaf = True
            await self._let_go()
            await self._clock.sleep(RETRY_S)

    async def _let_go(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def _reconnect(self) -> Line:
        self._line = line = await self._pool.connect()
        await self._attend(line)
        self._local.lag()  # What was said meanwhile is lost.
        return line

    async def _listen_on(self, line: Line) -> None:
        """Pass on what others say, until the connection breaks."""
        loop, news, fileno = asyncio.get_running_loop(), asyncio.Event(), line.fileno()
        numbers: list[int] = []
        line.add_notify_handler(lambda told: self._note(told.payload, numbers))
        while True:
            loop.add_reader(fileno, news.set)
            try:
                quiet = await self._is_quiet(news)
            finally:
                loop.remove_reader(fileno)
            news.clear()
            if quiet:
                await guarded(line, line.execute("SELECT 1"), self._clock, PULSE_S)
            line.pgconn.consume_input()
            while (told := line.pgconn.notifies()) is not None:
                self._note(told.extra.decode(), numbers)
            if numbers:
                asked, numbers[:] = list(numbers), []
                await self._fetch(asked)

    async def _is_quiet(self, news: asyncio.Event) -> bool:
        try:
            async with self._clock.timeout(PULSE_S):
                await news.wait()
        except TimeoutError:
            return True
        return False

    def _note(self, told: str, numbers: list[int]) -> None:
        """Remember the number of a row that somebody here wants."""
        match told.split(" "):
            case [sender, number, *marks] if number.isdecimal():
                if sender != self._sender and not self._heard.keys().isdisjoint(marks):
                    numbers.append(int(number))
            case _:
                log.debug("somebody else notified the bus: %r", told)

    async def _fetch(self, numbers: list[int]) -> None:
        async def fetch(line: Line) -> list[tuple[object, ...]]:
            cursor = await line.execute(_FETCH, (numbers,), prepare=True, binary=True)
            return await cursor.fetchall()

        try:
            found = await self._pool.ask(fetch)
        except StoreUnavailable:
            self._local.lag()
            return
        for channels, payloads in found:
            self._deliver(zip(cast(list[str], channels), cast(list[bytes], payloads), strict=True))

    def _deliver(self, messages: Iterable[Message]) -> None:
        for channel, payload in messages:
            self._local.publish(channel, payload)


def _mark(channel: str) -> str:
    """A short stand-in for a channel; two may share one, so it only says who need not look."""
    return f"{crc32(channel.encode()):08x}"


def _is_name(channel: str) -> bool:
    try:
        check_name("channel", channel)
    except InvalidInput:
        return False
    return True
