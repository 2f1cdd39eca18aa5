"""Streams of events over HTTP: the I/O around `sse`. Each ends with a last event, whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import NoReturn, Protocol, cast

from sulla.core.clock import Clock
from sulla.core.errors import Busy, NotFound, ShuttingDown, SullaError, Unauthorized, Unavailable, leaf
from sulla.core.trail import trail
from sulla.gateway.commands import Event
from sulla.gateway.context import ServerContext
from sulla.gateway.feed.family import FamilyFrames, FollowMeans, follower_of
from sulla.gateway.feed.follower import EventFollower
from sulla.gateway.feed.outbox import Outbox, TooSlow
from sulla.gateway.problems import DEFECT, Problem, problem_of
from sulla.gateway.rest.models import Reason
from sulla.gateway.rest.shown import HttpExchange, StreamedThread, Telling
from sulla.gateway.server.perimeter import ABORT
from sulla.gateway.websocket.connection import EXPEL_S
from sulla.rpc.caller import Way
from sulla.rpc.family_place import FamilyPlace

_log = logging.getLogger("sulla.gateway")


class Settling(Protocol):
    """Something open that ends well if it is given a moment."""

    async def settle(self, patience_s: float) -> None:
        """Let the client have what has happened by now, and say good-bye."""


class Streams:
    """All streams that are open.

    Args:
        server: what all connections share.
    """

    def __init__(self, server: ServerContext) -> None:
        self._server = server
        self._open: set[Settling] = set()
        self._closed = False

    async def settle(self, patience_s: float) -> None:
        """Let every client have what has happened by now, and say good-bye: the daemon is about to hang up.

        Args:
            patience_s: how long slow clients are waited for, in seconds.
        """
        self._closed = True
        try:
            async with self._server.clock.timeout(patience_s):
                await asyncio.gather(*(stream.settle(patience_s) for stream in self._open))
        except TimeoutError:
            return  # whoever is that slow comes back and reads the log

    @property
    def open(self) -> tuple[Settling, ...]:
        """All that are open now."""
        return tuple(self._open)

    def check_room(self) -> None:
        """See whether one more can be opened.

        Raises:
            Busy: there are too many.
            ShuttingDown: the daemon is stopping.
        """
        if self._closed:
            raise ShuttingDown("the daemon is stopping; try again when it is back", retry_after_s=2.0)
        if len(self._open) >= (most := self._server.limits.streams):
            raise Busy(f"{most} streams are open, more are not possible: close some, or wait")

    async def serve(self, exchange: HttpExchange, shown: StreamedThread) -> None:
        """Keep one stream, until it ends."""
        stream = EventStream(self._server, exchange, shown)
        with self.keeping(stream), self._server.presence.of(shown.principal, stream.expel):
            if self._closed:  # it was asked for before; the others have been told
                await stream.say_goodbye()
            await stream.run()

    @contextlib.contextmanager
    def keeping(self, one: Settling, way: Way = "rest") -> Iterator[None]:
        """Count something as open for as long as the block lasts, and have it settle before the daemon hangs up.

        Args:
            one: what is open.
            way: by which door it came.
        """
        self._open.add(one)
        self._server.observer.came(way)
        try:
            yield
        finally:
            self._open.discard(one)
            self._server.observer.left(way)


class EventStream:
    """One client for as long as it is shown something.

    Args:
        server: what all connections share.
        exchange: the request.
        shown: what it wants to see.
    """

    def __init__(self, server: ServerContext, exchange: HttpExchange, shown: StreamedThread) -> None:
        self._server = server
        self._exchange = exchange
        self._shown = shown
        self._response = _Response(exchange, shown.telling, server.clock)
        limits, telling = server.limits, shown.telling
        self._outbox = Outbox(server.clock, limits, partial(telling.backlog, self._finish))
        means = FollowMeans(server.commands, server.clock, limits)
        place, frames = FamilyPlace(shown.thread_id, shown.after), FamilyFrames(telling.gap, telling.child_ended)
        outboxes, family = (self._outbox, self._outbox), shown.family
        self._follower = follower_of(means, family or place, outboxes, frames, children=family is not None)
        self._last = shown.before_last
        self._ended = False
        self._expelled = ""
        self._expelling = asyncio.Event()
        self._enough = asyncio.Event()
        self._done = asyncio.Event()

    def expel(self, reason: str) -> None:
        """End at once: the token is good no more."""
        self._expelled = reason
        self._expelling.set()

    async def settle(self, patience_s: float) -> None:
        """Let the client have what has happened by now: the daemon is about to hang up.

        Args:
            patience_s: for how long, in seconds; half of it for the store.
        """
        self._enough.set()
        with contextlib.suppress(SullaError, TooSlow, TimeoutError):  # it follows on its own, and has said so
            async with self._server.clock.timeout(patience_s / 2):
                await self._follower.settle()
        await self.say_goodbye()
        await self._done.wait()

    async def say_goodbye(self) -> None:
        """Tell the client that the daemon stops, and nothing after that."""
        with contextlib.suppress(TooSlow):
            await self._end("stopping")

    async def run(self) -> None:
        """Show events until the client leaves, gets stuck, or nothing more can come."""
        try:
            with trail(request_id=self._exchange.request_id):
                left = await self._show()
                if left and self._shown.abandon is not None and not self._expelling.is_set():
                    await self._abandon(self._shown.abandon)
        finally:
            self._done.set()

    # -------------------------------------------------------------------------------------------------------- showing

    def _finish(self) -> None:
        self._outbox.finish()

    async def _show(self) -> bool:
        """Returns whether the client has left, or was cut off, before the end."""
        left = False
        try:
            if opening := self._shown.telling.opening:
                await self._outbox.put(opening)
            async with asyncio.TaskGroup() as tasks:
                beside = [tasks.create_task(self._follow()), tasks.create_task(self._keep_alive())]
                writing, leaving = tasks.create_task(self._write()), tasks.create_task(self._leaving())
                expelling = tasks.create_task(self._expelling.wait())
                await asyncio.wait((writing, leaving, expelling), return_when=asyncio.FIRST_COMPLETED)
                left = leaving.done() and not writing.done()
                for task in (*beside, writing, leaving, expelling):
                    task.cancel()
            if self._expelling.is_set() and not left:
                await self._cut("revoked", problem_of(Unauthorized(self._expelled)))
        except* TooSlow as stuck:
            left = True
            _log.warning("a client reads its stream too slowly", extra={"thread_id": self._shown.thread_id})
            await self._cut("too_slow", problem_of(Unavailable(str(leaf(stuck)))))
        except* Exception:  # noqa: BLE001  # a defect of ours ends this stream, not the daemon
            _log.exception("a stream failed", extra={"thread_id": self._shown.thread_id})
            await self._cut("failed", DEFECT)
        return left

    async def _follow(self) -> None:
        error = await self._follower.run()
        await self._end("ended" if isinstance(error, NotFound) else "failed", problem_of(error))

    async def _keep_alive(self) -> NoReturn:
        while True:
            silent_s = self._server.clock.elapsed() - self._response.spoke_s
            if silent_s < self._server.limits.keep_alive_s:
                await self._server.clock.sleep(self._server.limits.keep_alive_s - silent_s)
            else:
                self._response.spoke_s = self._server.clock.elapsed()
                await self._outbox.put(self._shown.telling.keep_alive)

    async def _leaving(self) -> None:
        while (await self._exchange.receive())["type"] != "http.disconnect":
            continue

    # -------------------------------------------------------------------------------------------------------- writing

    async def _write(self) -> None:
        while (block := await self._outbox.take()) is not None:
            if block:
                if self._shown.telling.told:
                    await self._before_last()
                await self._response.send(block)
        await self._response.send(b"", more=False)

    async def _before_last(self) -> None:
        before, self._last = self._last, None
        try:
            if before is not None:
                await before()
        except SullaError as error:
            about = {"thread_id": self._shown.thread_id, "reason": error.message}
            _log.warning("what belongs to the end of a turn could not be kept", extra=about)

    async def _end(self, reason: Reason, problem: Problem | None = None) -> None:
        """Say that this was all, unless that was said already."""
        if not self._ended:
            self._ended = True
            await self._outbox.put(self._shown.telling.end(reason, problem))
            self._outbox.finish()

    async def _cut(self, reason: Reason, problem: Problem) -> None:
        """Say why, if the client takes it; it is cut off if not."""
        patience_s = EXPEL_S if self._expelling.is_set() else self._server.limits.close_s
        try:
            async with self._server.clock.timeout(patience_s):
                await self._response.send(self._shown.telling.cut(reason, problem), more=False)
        except TimeoutError:
            abort = cast(Callable[[], None] | None, self._exchange.scope.get("extensions", {}).get(ABORT))
            if abort is not None:
                abort()

    # -------------------------------------------------------------------------------------------------------- leaving

    async def _abandon(self, stop: Callable[[], Awaitable[object]]) -> None:
        """Stop the turn. While another one is going on, wait until its own begins: a stop is for whichever runs."""
        turn = self._shown.telling
        if turn.over:
            return
        try:
            async with self._server.clock.timeout(self._server.limits.abandoned_s):
                await self._beginning(turn)
            if turn.begun and not turn.over:
                await stop()
        except (TimeoutError, SullaError) as error:
            about = {"thread_id": self._shown.thread_id, "reason": str(error)}
            _log.warning("a turn whose client has left goes on: it could not be stopped", extra=about)

    async def _beginning(self, turn: Telling) -> None:
        """Return when the log says that the turn has begun, or never will, or when the daemon stops."""
        server, watch = self._server, _Watch(turn, self._enough)
        follower = EventFollower(
            server.commands, watch, server.clock, self._server.limits, self._shown.thread_id, self._shown.after
        )
        async with asyncio.TaskGroup() as tasks:
            following, enough = tasks.create_task(follower.run()), tasks.create_task(self._enough.wait())
            await asyncio.wait((following, enough), return_when=asyncio.FIRST_COMPLETED)
            following.cancel()
            enough.cancel()


class _Response:
    """What goes out on one request, its head with the first bytes.

    Args:
        exchange: the request.
        telling: knows the head.
        clock: says when something was sent last.
    """

    def __init__(self, exchange: HttpExchange, telling: Telling, clock: Clock) -> None:
        self._exchange = exchange
        self._telling = telling
        self._clock = clock
        self._headed = False
        self.spoke_s = clock.elapsed()
        """When something was sent last, or is just about to be, by the clock's intervals."""

    async def send(self, body: bytes, *, more: bool = True) -> None:
        """Send a part of the body; not `more`: the last one."""
        if not self._headed:
            self._headed = True
            status, headers = self._telling.head()
            headers = [*headers, *self._exchange.names]
            await self._exchange.send({"type": "http.response.start", "status": status, "headers": headers})
        await self._exchange.send({"type": "http.response.body", "body": body, "more_body": more})
        self.spoke_s = self._clock.elapsed()


class _Watch:
    """Sees events that nobody is shown any more, until the turn begins.

    Args:
        turn: learns from them.
        enough: set then.
    """

    def __init__(self, turn: Telling, enough: asyncio.Event) -> None:
        self._turn = turn
        self._enough = enough

    async def put(self, frame: bytes) -> None:
        """Nobody reads it."""

    async def put_event(self, event: Event) -> None:
        """Learn from it."""
        self.add_event(event)

    def add_event(self, event: Event) -> bool:
        """Learn from it."""
        self._turn.learn(event)
        if self._turn.begun or self._turn.over:
            self._enough.set()
        return True
