"""One WebSocket: the I/O around `session`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from sulla.access import Principal
from sulla.core.clock import Clock
from sulla.core.errors import SullaError, leaf
from sulla.core.jsontypes import JsonObject
from sulla.core.trail import trail
from sulla.gateway import rpc, wire
from sulla.gateway import session as says
from sulla.gateway.auth import Guard
from sulla.gateway.calls import Calls
from sulla.gateway.commands import Commands
from sulla.gateway.follower import Follower
from sulla.gateway.limits import Limits
from sulla.gateway.observing import Asked, Caller, Observer
from sulla.gateway.outbox import Outbox, TooSlow
from sulla.gateway.perimeter import peer_of, welcome
from sulla.gateway.pipe import PIPE
from sulla.gateway.presence import Presence
from sulla.gateway.rpc import RequestId
from sulla.gateway.session import Session
from sulla.gateway.shortcut import Pipe, Shortcut
from sulla.gateway.telling import tell_notices
from sulla.gateway.wire_form import Wire

EXPEL_S = 0.5
"""How long the close of somebody who may not be here any more may take, before the connection is cut."""
ABORT = "sulla.abort"
"""The ASGI extension by which our server lets a connection be cut without waiting for the peer."""
_CLOSED = (WebSocketDisconnect, RuntimeError)
"""What sending raises when the peer is gone, or when uvicorn has closed the socket by itself for too large a frame."""
_log = logging.getLogger("sulla.gateway")


@dataclass(frozen=True, slots=True)
class _Following:
    """One subscription, and the task that keeps it going."""

    follower: Follower
    task: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class Room:
    """What all connections share."""

    commands: Commands
    """Where logs and signals come from."""
    calls: Calls
    """Carries requests out."""
    guard: Guard
    """Who may come in."""
    presence: Presence
    """Who may stay."""
    clock: Clock
    limits: Limits
    observer: Observer


class Connection:
    """A client for as long as its socket lives: this task reads, one writes, and one follows each subscribed thread.

    Args:
        socket: accepted.
        session: what the client may say.
        room: what all connections share.
    """

    __slots__ = (
        "__weakref__",
        "_arrived",
        "_calls",
        "_clock",
        "_commands",
        "_expelled",
        "_followers",
        "_guard",
        "_here",
        "_limits",
        "_observer",
        "_outbox",
        "_pipe",
        "_presence",
        "_session",
        "_socket",
        "_task",
        "_tasks",
        "_telling",
        "_writer",
    )

    def __init__(self, socket: WebSocket, session: Session, room: Room) -> None:
        self._socket = socket
        self._session = session
        self._commands = room.commands
        self._guard = room.guard
        self._presence = room.presence
        self._calls = room.calls
        self._observer = room.observer
        self._clock = clock = room.clock
        self._limits = room.limits
        self._pipe = cast(Pipe, socket.scope["extensions"][PIPE])
        self._outbox = Shortcut(self._pipe, clock, self._begin)
        self._tasks = asyncio.TaskGroup()
        self._writer: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._arrived = False
        self._followers: dict[str, _Following] = {}
        self._here: Principal | None = None
        self._task: asyncio.Task[object] | None = None
        self._expelled: str | None = None

    async def settle(self) -> None:
        """Let the client have what has happened by now: the daemon is about to hang up."""
        for following in list(self._followers.values()):
            with contextlib.suppress(SullaError):  # it follows on its own, and has said so
                await following.follower.settle()
        await self._outbox.emptied()

    async def run(self) -> None:
        """Serve until the client leaves, breaks a rule, gets stuck, or may not be here any more."""
        self._task = asyncio.current_task()
        ending: says.Close | None = None
        try:
            self._register(self._session.principal)
            ending = await self._serve() if self._expelled is None else None
        except asyncio.CancelledError:
            if self._expelled is None or self._task is None or self._task.uncancel() > 0:
                raise
        finally:
            self._register(None)
            if self._arrived:
                self._commands.people.leave(self._session.id)
        if self._expelled is not None:
            ending = says.Close(says.UNAUTHORIZED, self._expelled)
        if ending is not None:
            await self._hang_up(ending)

    def expel(self, reason: str) -> None:
        """End it at once: whoever it belongs to may not be here any more.

        Args:
            reason: what the client is told.
        """
        if self._expelled is None:
            self._expelled = reason
            # Whoever revokes his own token gets the answer to that first.
            if self._task is not None and self._task is not asyncio.current_task():
                self._task.cancel()

    def _register(self, principal: Principal | None) -> None:
        """From now on it is this one who is here, or nobody."""
        if self._here is not None:
            self._presence.leave(self._here, self.expel)
        self._here = principal
        if principal is not None:
            self._presence.enter(principal, self.expel)

    async def _serve(self) -> says.Close | None:
        """Serve until the client leaves, breaks a rule, or gets stuck; how to close, or None if it is gone."""
        ending: says.Close | None = None
        try:
            async with self._tasks:
                ending = await self._read()
                for following in self._followers.values():
                    following.task.cancel()
                if self._telling is not None:
                    self._telling.cancel()
                await self._flush()
        except* TooSlow as stuck:
            ending = says.Close(says.TOO_SLOW, str(leaf(stuck)))
            _log.warning("a client reads too slowly", extra={"session": self._session.id})
        except* Exception:  # noqa: BLE001  # a defect of ours ends this connection, not the daemon
            ending = says.Close(says.INTERNAL, "something went wrong inside the daemon")
            _log.exception("a connection failed", extra={"session": self._session.id})
        return ending

    # -------------------------------------------------------------------------------------------------------- reading

    async def _read(self) -> says.Close | None:
        """Take frames until the end. Requests are carried out one after the other, in the order in which they came.

        Returns:
            How to close, or None if the client is gone.
        """
        try:
            async with self._clock.timeout(self._limits.hello_s):
                effects = await self._hear()
        except TimeoutError:
            return says.Close(says.NO_HELLO, f"no hello within {self._limits.hello_s:g} s")
        while effects is not None:
            self._arrive()
            ending = await self._carry_out(effects)
            if ending is not None:
                return ending
            effects = None  # a reply that was sent is not kept until the next request
            if self._expelled is None:
                effects = await self._hear()
        return None

    def _arrive(self) -> None:
        """Whoever has said hello is there; that alone is nothing that a person did."""
        who = self._session.principal
        if self._session.open and not self._arrived and who is not None:
            self._arrived = True
            self._commands.people.come(self._session.id, who.name, self._session.client)

    async def _carry_out(self, effects: list[says.Effect]) -> says.Close | None:
        for effect in effects:
            if isinstance(effect, says.Close):
                return effect
            await self._do(effect)
        return None

    async def _hear(self) -> list[says.Effect] | None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if not isinstance(text, str):
            return self._session.hear_binary()
        match self._session.hear(text):
            case [says.Authenticate(id_, token)]:
                address = peer_of(self._socket.scope)
                try:
                    principal = self._guard.admit(address, token)
                    welcome(self._socket.scope, principal)
                    self._register(principal)
                    return self._session.admit(id_, principal)
                except SullaError as error:
                    self._observer.refused("ws", address, error.code)
                    return self._session.refuse(id_, error)
            case effects:
                return effects

    async def _do(self, effect: says.Effect) -> None:
        match effect:
            case says.Reply(frame):
                await self._outbox.put(frame)
            case says.Call(id_, params, principal):
                await self._answer(id_, self._calls.perform(self._asked(id_, params, principal)))
            case says.Subscribe(id_, params, principal):
                thread_id, after = params.thread_id, params.after
                if await self._answer(id_, self._calls.perform(self._asked(id_, params, principal))):
                    follower = Follower(self._commands, self._outbox, self._clock, self._limits, thread_id, after)
                    task = self._tasks.create_task(self._follow(thread_id, follower))
                    self._followers[thread_id] = _Following(follower, task)
                else:
                    self._session.forget(thread_id)
            case says.Unsubscribe(id_, params, principal):
                asked = self._asked(id_, params, principal)
                await self._answer(id_, self._calls.answer(asked, self._leave(params.thread_id)))
            case says.Tell(id_, params, principal):
                if await self._answer(id_, self._calls.perform(self._asked(id_, params, principal))):
                    telling = tell_notices(self._commands.notices, principal.name, self._outbox)
                    self._telling = self._tasks.create_task(telling)
                else:
                    self._session.untold()
            case _:
                raise TypeError(f"{type(effect).__name__} is no effect for here")

    def _asked(self, id_: RequestId, params: Wire, principal: Principal) -> Asked:
        return Asked(Caller(principal, peer_of(self._socket.scope), "ws", self._session.id), str(id_), params)

    async def _answer(self, id_: RequestId, work: Coroutine[object, object, JsonObject]) -> bool:
        """Do something and reply with its result, or with why there is none; whether it went well."""
        try:
            frame, good = rpc.reply_frame(id_, await work), True
        except SullaError as error:
            frame, good = rpc.fault_frame(rpc.fault_of(id_, error)), False
        await self._outbox.put(frame)
        return good

    # ------------------------------------------------------------------------------------------------------ following

    async def _leave(self, thread_id: str) -> JsonObject:
        if (following := self._followers.pop(thread_id, None)) is not None:
            following.task.cancel()
            await asyncio.wait((following.task,))
        return wire.Unsubscribed(ended=True).model_dump()

    async def _follow(self, thread_id: str, follower: Follower) -> None:
        with trail(session=self._session.id):
            error = await follower.run()
        self._followers.pop(thread_id, None)
        self._session.forget(thread_id)
        await self._outbox.put(rpc.ended_frame(thread_id, rpc.fault_of(None, error)))

    # -------------------------------------------------------------------------------------------------------- writing

    def _begin(self) -> Outbox:
        """Something has to wait: from now on a task sends it."""
        outbox = Outbox(self._clock, self._limits.queue_bytes, self._limits.stall_s)
        self._writer = self._tasks.create_task(self._write(outbox))
        return outbox

    async def _write(self, outbox: Outbox) -> None:
        while (frame := await outbox.take()) is not None:
            while not self._pipe.send(frame):
                await self._pipe.room()

    async def _flush(self) -> None:
        """Let what was to be sent before the end go out, if it can."""
        self._outbox.finish()
        if self._writer is None:
            return
        try:
            async with self._clock.timeout(self._limits.close_s):
                await self._writer
        except TimeoutError:
            return  # the wait was cancelled and the writer with it

    async def _hang_up(self, ending: says.Close) -> None:
        patience_s = self._limits.close_s if self._expelled is None else EXPEL_S
        try:
            async with self._clock.timeout(patience_s):
                await self._socket.close(ending.code, says.short_reason(ending.reason))
        except TimeoutError:
            abort = cast(Callable[[], None] | None, self._socket.scope.get("extensions", {}).get(ABORT))
            if abort is not None:
                abort()
        except _CLOSED:
            return
