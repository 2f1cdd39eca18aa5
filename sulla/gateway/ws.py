"""``/ws``: looks at the upgrade request and hands the socket to a connection."""

from __future__ import annotations

import asyncio

from starlette.websockets import WebSocket

from sulla.access import Principal
from sulla.core.errors import InvalidInput, SullaError
from sulla.core.ids import derived_id
from sulla.gateway.auth import bearer
from sulla.gateway.connection import Connection, Room
from sulla.gateway.perimeter import Refusal, deny, peer_of, welcome
from sulla.gateway.rest_problems import status_of
from sulla.gateway.session import Session
from sulla.gateway.wire import SUBPROTOCOL


class SocketDoor:
    """Takes WebSocket connections in.

    Args:
        room: what all connections share.
        version: the daemon's.
    """

    def __init__(self, room: Room, version: str) -> None:
        self._room = room
        self._clock = room.clock
        self._version = version
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
        try:
            principal = self._knock(socket)
        except SullaError as error:
            self._room.observer.refused("ws", peer_of(socket.scope), error.code)
            refusal = Refusal(status_of(error), error.code, error.message, error.retry_after_s)
            await deny(socket.scope, socket.send, refusal)
            return
        await socket.accept(subprotocol=SUBPROTOCOL)
        self._taken_in += 1
        name = derived_id("ses", str(self._clock.now()), str(self._taken_in))
        connection = Connection(socket, Session(name, self._version, self._room.limits, principal), self._room)
        self._open.add(connection)
        self._room.observer.came("ws")
        try:
            await connection.run()
        finally:
            self._open.discard(connection)
            self._room.observer.left("ws")

    def _knock(self, socket: WebSocket) -> Principal | None:
        """Who it is, if the request says so.

        Raises:
            InvalidInput: it does not speak our protocol.
            Unauthorized: it brings a token that is not valid.
            Busy: as many clients are here as may be.
        """
        if SUBPROTOCOL not in socket.scope["subprotocols"]:
            raise InvalidInput(f"the client has to offer the WebSocket subprotocol {SUBPROTOCOL!r}")
        authorization = socket.headers.get("authorization")
        if authorization is None:
            return None
        principal = self._room.guard.admit(peer_of(socket.scope), bearer(authorization))
        welcome(socket.scope, principal)
        return principal
