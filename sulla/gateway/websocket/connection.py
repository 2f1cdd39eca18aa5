"""One WebSocket: the I/O around `session`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from sulla.access.principal import Principal
from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, SullaError, leaf
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.gateway import wire
from sulla.gateway.context import ServerContext
from sulla.gateway.feed.backlog import Backlog
from sulla.gateway.feed.family import FamilyFrames, Follower, FollowMeans, follower_of
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.feed.outbox import Outbox, Shortcut, TooSlow
from sulla.gateway.methods.observing import Asked
from sulla.gateway.methods.table import METHOD_OF, METHODS
from sulla.gateway.rpc import notice_frame
from sulla.gateway.server.browser_session import check_own_page, cookies_of
from sulla.gateway.server.direct import DIRECT, DirectSend
from sulla.gateway.server.perimeter import ABORT, peer_of, welcome
from sulla.gateway.websocket import machine as says
from sulla.gateway.websocket import session
from sulla.gateway.websocket.machine import Effect, ProtocolMachine
from sulla.gateway.websocket.notices import tell_notices
from sulla.gateway.websocket.pipeline import CallPipeline, Taken
from sulla.gateway.websocket.watching import begun_by, ended_by, tell_watch
from sulla.people import notices_rpc, presence_rpc
from sulla.people.notices import NoticeInfo
from sulla.people.notices_rpc import NoticeSubscribe
from sulla.people.registry import PresenceRegistry
from sulla.rpc.caller import Caller
from sulla.rpc.family_place import FamilyPlace
from sulla.rpc.form import Params
from sulla.rpc.row import dump

EXPEL_S = 0.5
"""How long the close of somebody who may not be here any more may take, before the connection is cut."""
_CLOSED = (WebSocketDisconnect, RuntimeError)
"""What sending raises when the peer is gone, or when uvicorn has closed the socket by itself for too large a frame."""
AGAIN_S = 0.25
"""How long before something is tried again that may succeed later, if it does not say itself."""
_NOTICES: Final = ""
"""What is subscribed to instead of a thread; no thread's id is empty."""
_log = logging.getLogger("sulla.gateway")


@dataclass(frozen=True, slots=True)
class _Following:
    """One subscription, and the task that keeps it going."""

    task: asyncio.Task[None]
    follower: Follower | None = None
    """None for notices, of which nothing is read from a log."""


class Connection:
    """A client for as long as its socket lives: this task reads, one follows each subscribed thread, and as soon as
    something has to wait for the client, one writes.

    Args:
        socket: accepted.
        protocol: knows the language that the client speaks.
        server: what all connections share.
    """

    __slots__ = (
        "__weakref__",
        "_arrived",
        "_context",
        "_followers",
        "_here",
        "_ousted",
        "_outbox",
        "_overlap",
        "_protocol",
        "_socket",
        "_task",
        "_tasks",
        "_writer",
    )

    def __init__(self, socket: WebSocket, protocol: ProtocolMachine, server: ServerContext) -> None:
        self._socket = socket
        self._protocol = protocol
        self._context = server
        send = cast(DirectSend | None, socket.scope.get("extensions", {}).get(DIRECT))
        shortcut = None if send is None else Shortcut(send, server.frames.of)
        self._outbox = Outbox(server.clock, server.limits, self._begin_writing, shortcut)
        self._tasks = asyncio.TaskGroup()
        self._overlap = CallPipeline(self._tasks)
        self._writer: asyncio.Task[None] | None = None
        self._arrived = False
        self._followers: dict[str, _Following] = {}
        self._here: Principal | None = None
        self._task: asyncio.Task[object] | None = None
        self._ousted: says.Close | None = None

    async def settle(self) -> None:
        """Let the client have what has happened by now: the daemon is about to hang up."""
        for following in list(self._followers.values()):
            if following.follower is not None:
                with contextlib.suppress(SullaError):  # it follows on its own, and has said so
                    await following.follower.settle()
        await self._outbox.emptied()

    async def run(self) -> None:
        """Serve until the client leaves, breaks a rule, gets stuck, or may not be here any more."""
        self._task = asyncio.current_task()
        ending: says.Close | None = None
        try:
            self._register(self._protocol.principal)
            ending = await self._serve() if self._ousted is None else None
        except asyncio.CancelledError:
            if self._ousted is None or self._task is None or self._task.uncancel() > 0:
                raise
        finally:
            self._register(None)
            if self._arrived:
                self._people().disconnected(self._protocol.id)
        ending = self._ousted or ending
        if ending is not None:
            await self._hang_up(ending)

    def expel(self, reason: str) -> None:
        """End it at once: whoever it belongs to may not be here any more.

        Args:
            reason: what the client is told.
        """
        self.end(says.Close(session.UNAUTHORIZED, reason))

    def end(self, close: says.Close) -> None:
        """End it at once, whatever its own task does.

        Args:
            close: what the client is told.
        """
        if self._ousted is None:
            self._ousted = close
            # Whoever revokes his own token gets the answer to that first.
            if self._task is not None and self._task is not asyncio.current_task():
                self._task.cancel()

    def _register(self, principal: Principal | None) -> None:
        """From now on it is this one who is here, or nobody."""
        if self._here is not None:
            self._context.presence.leave(self._here, self.expel)
        self._here = principal
        if principal is not None:
            self._context.presence.enter(principal, self.expel)

    async def _serve(self) -> says.Close | None:
        """Serve until the client leaves, breaks a rule, or gets stuck; how to close, or None if it is gone."""
        ending: says.Close | None = None
        try:
            async with self._tasks:
                try:
                    ending = await self._read()
                    await self._overlap.answered()
                    for following in self._followers.values():
                        following.task.cancel()
                finally:
                    self._outbox.finish()  # nobody may begin to write while all tasks are ended
                await self._flush()
        except* TooSlow as stuck:
            ending = says.Close(session.TOO_SLOW, str(leaf(stuck)))
            _log.warning("a client reads too slowly", extra={"session": self._protocol.id})
        except* Exception:  # noqa: BLE001  # a defect of ours ends this connection, not the daemon
            ending = says.Close(session.INTERNAL, "something went wrong inside the daemon")
            _log.exception("a connection failed", extra={"session": self._protocol.id})
        return ending

    # -------------------------------------------------------------------------------------------------------- reading

    async def _read(self) -> says.Close | None:
        """Take frames until the end. Requests are carried out in the order in which they came: one after the other,
        unless they overlap.

        Returns:
            How to close, or None if the client is gone.
        """
        effects: Sequence[Effect] | None = self._protocol.begin()
        try:
            if not self._protocol.open:
                async with self._context.clock.timeout(self._context.limits.hello_s):
                    effects = await self._hear()
        except TimeoutError:
            return says.Close(session.NO_HELLO, f"no hello within {self._context.limits.hello_s:g} s")
        while effects is not None:
            self._arrive()
            ending = await self._carry_out(effects, in_turn=True)
            if ending is not None:
                return ending
            effects = None  # a reply that was sent is not kept until the next request
            if self._ousted is None:
                effects = await self._hear()
        return None

    def _arrive(self) -> None:
        """Whoever has said hello is there; that alone is nothing that a person did."""
        who = self._protocol.principal
        if self._protocol.open and not self._arrived and who is not None:
            self._arrived = True
            self._people().connected(self._protocol.id, who.name, self._protocol.client)

    def _people(self) -> PresenceRegistry:
        return presence_rpc.METHODS.service_in(self._context.commands.services)

    async def _carry_out(self, effects: Sequence[Effect], *, in_turn: bool = False) -> says.Close | None:
        """Carry effects out; `in_turn`: when all calls before are answered, except for what overlaps with them."""
        waiting = deque(effects)
        while waiting:
            effect = waiting.popleft()
            if in_turn and isinstance(effect, says.CallMethod) and METHODS[METHOD_OF[type(effect.params)]].overlaps:
                await self._overlap.begin(partial(self._call, effect), self._end_with)
                continue
            if in_turn:
                await self._overlap.answered()
            match effect:
                case says.SendFrame(frame):
                    await self._outbox.put(frame)
                case says.CallMethod():
                    waiting.extendleft(reversed(await self._call(effect)))
                case says.Then(ask):
                    waiting.extendleft(reversed(ask()))
                case says.Close():
                    return effect
                case _:
                    waiting.extendleft(reversed(await self._do(effect)))
        return None

    async def _hear(self) -> Sequence[Effect] | None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if not isinstance(text, str):
            return self._protocol.hear_binary()
        match self._protocol.hear(text):
            case [says.Authenticate(id_) as shown]:
                address = peer_of(self._socket.scope)
                try:
                    principal = self._admit(address, shown)
                    welcome(self._socket.scope, principal)
                    self._register(principal)
                    return self._protocol.admit(id_, principal)
                except SullaError as error:
                    self._context.observer.refused(self._protocol.way, address, error.code)
                    return self._protocol.refuse(id_, error)
            case effects:
                return effects

    def _admit(self, address: str, shown: says.Authenticate) -> Principal:
        """Who it is, by a token or by a browser's session.

        Raises:
            Unauthorized: what is shown is not valid.
            Forbidden: a session is shown by another page than its own.
        """
        if shown.token is not None or shown.session is None:
            return self._context.guard.admit(address, shown.token)
        check_own_page(self._socket.scope)
        return self._context.guard.admit_session(address, cookies_of(self._socket.scope), shown.session)

    async def _do(self, effect: Effect) -> Sequence[Effect]:
        """Carry out an effect of one language's own; what has to be done next, before all others."""
        raise TypeError(f"{type(effect).__name__} is no effect for here")

    async def _call(self, call: says.CallMethod, taken: Taken | None = None) -> Sequence[Effect]:
        """Have the daemon do something, for as long as may be waited for it; what is to be done about that."""
        params, watch = call.params, begun_by(call.params)
        if watch and watch in self._followers:
            return self._protocol.failed(call.id, Conflict("this connection is told of this already"))
        caller = Caller(call.principal, peer_of(self._socket.scope), self._protocol.way, self._protocol.id)
        asked, until_s = Asked(caller, str(call.id), params), self._context.clock.elapsed() + call.patience_s
        result: JsonObject | None = None
        while result is None:
            try:
                result = await self._context.calls.perform(asked, taken)
            except SullaError as error:
                wait_s = error.retry_after_s or AGAIN_S
                if not error.retryable or self._context.clock.elapsed() + wait_s > until_s:
                    self._begins_nothing(params)
                    return self._protocol.failed(call.id, error)
                await self._context.clock.sleep(wait_s)
        if watch or isinstance(params, wire.EventsSubscribe | NoticeSubscribe):
            await self._carry_out(self._protocol.answered(call.id, result))  # before the first event
            if watch:
                told = tell_watch(self._context.commands.services, params, result, self._outbox.put)
                self._followers[watch] = _Following(self._tasks.create_task(told))
            elif isinstance(params, wire.EventsSubscribe | NoticeSubscribe):
                self._begin_following(params, call.principal)
            return ()
        over = params.thread_id if isinstance(params, wire.EventsUnsubscribe) else ended_by(params)
        if over and (following := self._followers.pop(over, None)) is not None:
            following.task.cancel()
            await asyncio.wait((following.task,))
            result = dump(wire.Unsubscribed, wire.Unsubscribed(ended=True))
        return self._protocol.answered(call.id, result)

    # ------------------------------------------------------------------------------------------------------ following

    def _begin_following(self, params: wire.EventsSubscribe | NoticeSubscribe, principal: Principal) -> None:
        if isinstance(params, NoticeSubscribe):
            notices = notices_rpc.METHODS.service_in(self._context.commands.services)
            telling = self._tasks.create_task(tell_notices(notices, principal.name, self._put_notice))
            self._followers[_NOTICES] = _Following(telling)
            return
        sink, thread_id, context, gap = self._sink(), params.thread_id, self._context, self._protocol.gap
        shown = _spoken(sink) if params.speak else sink
        means = FollowMeans(context.commands, context.clock, context.limits)
        place = FamilyPlace(thread_id, params.after, params.after_children)
        follower = follower_of(means, place, (shown, sink), FamilyFrames(gap), children=params.children)
        self._followers[thread_id] = _Following(self._tasks.create_task(self._follow(thread_id, follower)), follower)

    def _begins_nothing(self, params: Params) -> None:
        """What was asked for was refused: it may be asked for again."""
        if isinstance(params, wire.EventsSubscribe):
            self._protocol.forget(params.thread_id)
        elif isinstance(params, NoticeSubscribe):
            self._protocol.untold()

    async def _put_notice(self, notice: NoticeInfo) -> None:
        await self._outbox.put(notice_frame(notice))

    def _sink(self) -> EventSink:
        return self._protocol.sink(self._outbox, self.end)

    async def _follow(self, thread_id: str, follower: Follower) -> None:
        with trail(session=self._protocol.id):
            error = await follower.run()
        self._followers.pop(thread_id, None)
        self._protocol.forget(thread_id)
        await self._end_with(self._protocol.ended(thread_id, error))

    async def _end_with(self, effects: Sequence[Effect]) -> None:
        """Carry out what comes of something that was going on beside the reading."""
        ending = await self._carry_out(effects) if effects else None
        if ending is not None:
            await self._outbox.emptied()
            self.end(ending)

    # -------------------------------------------------------------------------------------------------------- writing

    def _begin_writing(self) -> Backlog:
        """Something has to wait for the client: from now on there is somebody who sends it."""
        self._writer = self._tasks.create_task(self._write())
        return Backlog(self._context.frames.of)

    async def _write(self) -> None:
        while (frame := await self._outbox.take()) is not None:
            with contextlib.suppress(*_CLOSED):  # who reads from this socket is told
                await self._socket.send({"type": "websocket.send", "text": frame.decode()})

    async def _flush(self) -> None:
        """Let what was to be sent before the end go out, if it can."""
        if self._writer is None:
            return
        with contextlib.suppress(TimeoutError):  # the wait was cancelled and the writer with it
            async with self._context.clock.timeout(self._context.limits.close_s):
                await self._writer

    async def _hang_up(self, ending: says.Close) -> None:
        at_once = self._ousted is not None and ending.code != session.NORMAL
        patience_s = EXPEL_S if at_once else self._context.limits.close_s
        try:
            async with self._context.clock.timeout(patience_s):
                await self._socket.close(ending.code, session.short_reason(ending.reason))
        except TimeoutError:
            abort = cast(Callable[[], None] | None, self._socket.scope.get("extensions", {}).get(ABORT))
            if abort is not None:
                abort()
        except _CLOSED:
            return


def _spoken(sink: EventSink) -> EventSink:
    """What also says what is to be spoken; it is loaded with the first client that wants that."""
    from sulla.gateway.feed.speaker import Speaker

    return Speaker(sink)
