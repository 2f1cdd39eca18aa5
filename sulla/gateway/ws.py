"""``/ws``: looks at the upgrade request and hands the socket to a connection."""

from __future__ import annotations

import asyncio

from starlette.websockets import WebSocket

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, SullaError, Unauthorized
from sulla.core.ids import derived_id
from sulla.gateway.auth import Guard, Principal, bearer
from sulla.gateway.commands import Commands
from sulla.gateway.connection import Connection, address_of
from sulla.gateway.limits import Limits
from sulla.gateway.perimeter import Refusal, deny
from sulla.gateway.session import Session
from sulla.gateway.wire import SUBPROTOCOL


class SocketDoor:
    """Takes WebSocket connections in.

    Args:
        commands: what clients can have done.
        guard: who may come in.
        clock: for deadlines.
        version: the daemon's.
        limits: bounds.
    """

    def __init__(self, commands: Commands, guard: Guard, clock: Clock, version: str, limits: Limits) -> None:
        self._commands = commands
        self._guard = guard
        self._clock = clock
        self._version = version
        self._limits = limits
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
            status = 401 if isinstance(error, Unauthorized) else 400
            await deny(socket.scope, socket.send, Refusal(status, error.code, error.message, error.retry_after_s))
            return
        await socket.accept(subprotocol=SUBPROTOCOL)
        self._taken_in += 1
        name = derived_id("ses", str(self._clock.now()), str(self._taken_in))
        session = Session(name, self._version, self._limits, principal)
        connection = Connection(socket, session, self._commands, self._guard, self._clock, self._limits)
        self._open.add(connection)
        try:
            await connection.run()
        finally:
            self._open.discard(connection)

    def _knock(self, socket: WebSocket) -> Principal | None:
        """Who it is, if the request says so.

        Raises:
            InvalidInput: it does not speak our protocol.
            Unauthorized: it brings a token that is not valid.
        """
        if SUBPROTOCOL not in socket.scope["subprotocols"]:
            raise InvalidInput(f"the client has to offer the WebSocket subprotocol {SUBPROTOCOL!r}")
        authorization = socket.headers.get("authorization")
        return self._guard.admit(address_of(socket), bearer(authorization)) if authorization is not None else None
