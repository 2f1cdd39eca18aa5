"""``/hub``: the protocol of the original desktop client, over WebSocket.

That client can be given nothing but an address. So beside the header, the door takes a ticket in the path, which is
good once and for a minute (`access.TicketStore`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final, TypeVar, cast
from urllib.parse import parse_qsl

from starlette.websockets import WebSocket

from sulla.access.principal import Principal
from sulla.core.errors import Forbidden, InvalidInput, SullaError, Unauthorized, Unavailable
from sulla.core.ids import derived_id
from sulla.gateway.commands import Event
from sulla.gateway.context import ServerContext
from sulla.gateway.dialects.door import Dialect, DialectSocket
from sulla.gateway.dialects.hub.effects import AskUrgent, Look, NotePlaces, Recall, Relay
from sulla.gateway.dialects.hub.session import HubSession
from sulla.gateway.feed.follower import EventSink
from sulla.gateway.problems import status_of, told_to
from sulla.gateway.rest.app import RestContext
from sulla.gateway.server.auth import bearer
from sulla.gateway.server.error_style import ErrorStyle
from sulla.gateway.server.perimeter import HttpRefusal, deny, peer_of, welcome
from sulla.gateway.websocket import machine as says
from sulla.gateway.websocket.connection import Connection
from sulla.people.notices import NoticeInfo
from sulla.store.swapping import swap_until

_NEEDS: Final = "read"
_log = logging.getLogger("sulla.gateway")
_T = TypeVar("_T")
Act = Callable[[Sequence[says.Effect]], Awaitable[object]]


class HubSink:
    """Where the events of a thread go. Keeps `follower.EventSink`.

    Args:
        session: makes frames of them.
        out: to the client.
        act: carries out what else they ask for.
    """

    def __init__(self, session: HubSession, out: says.Out, act: Act) -> None:
        self._session = session
        self._out = out
        self._act = act

    async def put(self, frame: bytes) -> None:
        """Pass it on, if there is a word for it."""
        if frame:
            await self._out.put(frame)

    async def put_event(self, event: Event) -> None:
        """Show it."""
        frames, effects = self._session.show(event)
        for frame in frames:
            await self._out.put(frame)
        await self._act(effects)

    def add_event(self, event: Event) -> bool:
        """Show what is live. Each piece says the whole text so far, so one that finds no room is not missed."""
        if event.seq is not None:
            return False
        for frame in self._session.show(event)[0]:
            self._out.add(frame)
        return True


class HubConnection(Connection):
    """A connection that also knows where its client was, and its client's other connections.

    Args:
        socket: accepted.
        session: the client's.
        context: what all of them share.
    """

    __slots__ = ("_noting", "_session", "_streams")

    def __init__(self, socket: WebSocket, session: HubSession, context: RestContext) -> None:
        super().__init__(socket, session, context.server)
        self._session = session
        self._streams = context.streams
        self._noting = asyncio.Lock()

    def tell(self, token: str, channel: str, frame: bytes) -> None:
        """Pass on what another connection says, if it is the same client's, and there is room for it."""
        if self._session.principal.name == token and channel in self._session.channels:
            self._outbox.add(frame)

    async def _do(self, effect: says.Effect) -> Sequence[says.Effect]:
        match effect:
            case Recall(key, then, failed):
                return await self._try(self._context.commands.bookmarks.get(key), then, failed)
            case NotePlaces(then=after, failed=failed):
                return await self._try(self._note(effect), lambda done: after(), failed)
            case Look(thread_id, see, failed):
                return await self._try(self._context.commands.questions_of(thread_id), see, failed)
            case AskUrgent(thread_id, text, go_on, failed):
                return await self._try(self._context.commands.must_not_wait(thread_id, text), go_on, failed)
            case Relay(channel, frame):
                self._relay(channel, frame)
                return ()
            case _:
                return await super()._do(effect)

    def _relay(self, channel: str, frame: bytes) -> None:
        for one in self._others():
            one.tell(self._session.principal.name, channel, frame)

    def _others(self) -> Iterator[HubConnection]:
        for one in self._streams.open:
            if isinstance(one, SettlingConnection) and one.connection is not self:
                yield one.connection

    async def _try(
        self,
        work: Awaitable[_T],
        then: Callable[[_T], Sequence[says.Effect]],
        failed: Callable[[SullaError], Sequence[says.Effect]],
    ) -> Sequence[says.Effect]:
        try:
            async with self._context.clock.timeout(self._context.limits.call_s):
                found = await work
        except SullaError as error:
            return failed(error)
        except TimeoutError:
            return failed(Unavailable(f"no answer within {self._context.limits.call_s:g} s: ask again"))
        return then(found)

    async def _note(self, note: NotePlaces) -> None:
        async with self._noting:  # the last one knows most
            bookmarks = self._context.commands.bookmarks

            def noted(before: str | None) -> str | None:
                after = note.places.noted(before)
                return None if after == before else after

            # Another connection of the client may note something in the same moment, perhaps at another daemon.
            await swap_until(note.key, noted, self._context.clock, get=bookmarks.get, swap=bookmarks.swap)

    def shows(self, token: str, thread_id: str) -> bool:
        """Whether this is the same client's, and shows what happens in a thread."""
        return self._session.principal.name == token and self._session.follows(thread_id)

    async def _put_notice(self, notice: NoticeInfo) -> None:
        """Its client has a connection for each channel: what one of them shows as it happens is told once."""
        if any(one.shows(self._session.principal.name, notice.thread_id) for one in self._others()):
            return
        if frame := self._session.notice(notice):
            await self._outbox.put(frame)

    def _sink(self) -> EventSink:
        return HubSink(self._session, self._outbox, self._act)

    async def _act(self, effects: Sequence[says.Effect]) -> None:
        if (ending := await self._carry_out(effects)) is not None:
            self.end(ending)


async def keep(context: RestContext, socket: WebSocket) -> None:
    """Take a client in, or refuse it, and keep it until it ends."""
    server, address = context.server, peer_of(socket.scope)
    try:
        context.streams.check_room()
        streaming = read_wish(socket.scope["query_string"])
        principal = await _admit(server, socket, address)
        welcome(socket.scope, principal)
    except SullaError as error:
        server.observer.refused("ws", address, error.code)
        refusal = HttpRefusal(status_of(error), error.code, told_to(error, ()).message, error.retry_after_s)
        await deny(socket.scope, socket.send, refusal)
        return
    name = derived_id("ses", "hub", context.make_id("ses"))
    session = HubSession(name, server.limits, principal, lambda: round(server.clock.now() * 1000), streaming=streaming)
    await socket.accept()
    connection = HubConnection(socket, session, context)
    with context.streams.keeping(SettlingConnection(connection, server), "ws"):
        await connection.run()


class SettlingConnection:
    """Keeps `rest_streams.Settling`.

    Args:
        connection: what is open.
        server: what all connections share.
    """

    def __init__(self, connection: HubConnection, server: ServerContext) -> None:
        self.connection = connection
        self._server = server

    async def settle(self, patience_s: float) -> None:
        """Let the client have what has happened by now."""
        with contextlib.suppress(TimeoutError):  # whoever is that slow comes back
            async with self._server.clock.timeout(patience_s):
                await self.connection.settle()


def read_wish(query: bytes) -> bool:
    """Whether replies are to be shown as they are written: ``?stream=1``.

    Raises:
        InvalidInput: the address asks for something else.
    """
    said = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    if any(name != "stream" or value not in ("0", "1") for name, value in said) or len(said) > 1:
        raise InvalidInput("the address may say stream=1, or stream=0, and nothing else")
    return said == [("stream", "1")]


async def _admit(server: ServerContext, socket: WebSocket, address: str) -> Principal:
    """Who it is.

    Raises:
        Unauthorized: neither the header nor the path says so.
        Forbidden: the token does not allow to read.
    """
    authorization = socket.headers.get("authorization")
    ticket = cast(str | None, socket.path_params.get("ticket"))
    if authorization is not None or ticket is None:
        token = None if authorization is None else bearer(authorization)
        principal = server.guard.admit(address, token)
    else:
        principal = await _redeem(server, address, ticket)
    if _NEEDS not in principal.scopes:
        raise Forbidden(f"'/hub' needs a token with the scope {_NEEDS!r}")
    return principal


async def _redeem(server: ServerContext, address: str, ticket: str) -> Principal:
    try:
        async with server.clock.timeout(server.limits.call_s):
            return await server.tickets.redeem(ticket)
    except Unauthorized:
        server.guard.count_wrong(address, ticket)
        raise
    except TimeoutError:
        raise Unavailable(f"no answer within {server.limits.call_s:g} s: make another ticket and try again") from None


HUB: Final = Dialect(
    name="hub",
    manner=ErrorStyle(own_door=True),
    routes=(),
    sockets=(DialectSocket("/hub", keep), DialectSocket("/hub/{ticket}", keep)),
)
