"""Looks at a request for a WebSocket and hands the socket to a connection: the door of ``/ws`` and of its like."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.websockets import WebSocket

from sulla.core.errors import InvalidInput, SullaError
from sulla.core.ids import derived_id
from sulla.gateway.context import ServerContext
from sulla.gateway.problems import status_of
from sulla.gateway.server.auth import bearer
from sulla.gateway.server.perimeter import HttpRefusal, deny, peer_of, welcome
from sulla.gateway.websocket.connection import Connection
from sulla.gateway.websocket.machine import ProtocolMachine
from sulla.gateway.websocket.session import JsonRpcSession
from sulla.gateway.wire import SUBPROTOCOL
from sulla.rpc.caller import Way

Greet = Callable[[WebSocket, str], ProtocolMachine]
"""Judges a request by its head, and says how to talk with whoever makes it; the second argument names the connection.
Raises any `SullaError` if they may not come in."""


class SocketDoor:
    """Takes WebSocket connections in.

    Args:
        server: what all connections share.
        greet: see `Greet`.
        way: how observers call this door.
        subprotocol: what is agreed to; None for none.
    """

    def __init__(
        self, server: ServerContext, greet: Greet, way: Way = "ws", subprotocol: str | None = SUBPROTOCOL
    ) -> None:
        self._server = server
        self._clock = server.clock
        self._greet = greet
        self._way: Way = way
        self._subprotocol = subprotocol
        self._taken_in = 0
        self._open: set[Connection] = set()

    async def settle(self, patience_s: float) -> None:
        """Let every client have what has happened by now, before the daemon hangs up.

        Args:
            patience_s: how long slow clients are waited for, in seconds.
        """
        try:
            async with self._clock.timeout(patience_s):
                await asyncio.gather(*(connection.settle() for connection in self._open))
        except TimeoutError:
            return  # whoever is that slow comes back and reads the log

    async def serve(self, socket: WebSocket) -> None:
        """Keep one connection, until it ends."""
        self._taken_in += 1
        try:
            chat = self._greet(socket, derived_id("ses", self._way, str(self._clock.now()), str(self._taken_in)))
        except SullaError as error:
            self._server.observer.refused(self._way, peer_of(socket.scope), error.code)
            refusal = HttpRefusal(status_of(error), error.code, error.message, error.retry_after_s)
            await deny(socket.scope, socket.send, refusal)
            return
        await socket.accept(subprotocol=self._subprotocol)
        connection = Connection(socket, chat, self._server)
        self._open.add(connection)
        self._server.observer.came(self._way)
        try:
            await connection.run()
        finally:
            self._open.discard(connection)
            self._server.observer.left(self._way)


def greet(server: ServerContext, version: str, socket: WebSocket, name: str) -> JsonRpcSession:
    """Whoever knocks at `/ws`.

    Args:
        server: what all connections share.
        version: the daemon's.
        socket: not accepted yet.
        name: names the connection.

    Raises:
        InvalidInput: it does not speak our protocol.
        Unauthorized: it brings a token that is not valid.
        Busy: as many clients are here as may be.
    """
    if SUBPROTOCOL not in socket.scope["subprotocols"]:
        raise InvalidInput(f"the client has to offer the WebSocket subprotocol {SUBPROTOCOL!r}")
    authorization = socket.headers.get("authorization")
    if authorization is None:
        return JsonRpcSession(name, version, server.limits)
    principal = server.guard.admit(peer_of(socket.scope), bearer(authorization))
    welcome(socket.scope, principal)
    return JsonRpcSession(name, version, server.limits, principal)
