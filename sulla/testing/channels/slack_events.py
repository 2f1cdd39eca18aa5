"""The socket of the fake of Slack: envelopes until they are acknowledged, over one connection after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

from aiohttp import web


class Events:
    """What is told over the socket, and was. It lives as long as its fake."""

    def __init__(self) -> None:
        self._open: list[tuple[web.WebSocketResponse, web.Request]] = []
        """The connection; while one is changed for another there are two."""
        self.untaken: dict[str, dict[str, Any]] = {}
        """What was not acknowledged."""
        self.connections = 0
        """How many were made so far."""
        self._told: list[dict[str, Any]] = []
        self._numbers = count(1)

    @asynccontextmanager
    async def connected(self, request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
        """Somebody listens: what was not acknowledged comes again."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._open.append((socket, request))
        self.connections += 1
        try:
            await socket.send_json({"type": "hello", "num_connections": len(self._open)})
            for one in list(self.untaken.values()):
                await self._send(one | {"retry_attempt": 1, "retry_reason": "timeout"})
            yield socket
        finally:
            self._open = [one for one in self._open if one[0] is not socket]

    async def tell(self, kind: str, payload: Mapping[str, Any], *, missable: bool = False) -> None:
        """Something happened.

        Args:
            kind: the envelope's type.
            payload: what is in it.
            missable: whether it is lost where nobody listens.
        """
        if missable and not self._open:
            return
        id_ = f"envelope-{next(self._numbers)}"
        self.untaken[id_] = {"envelope_id": id_, "type": kind, "payload": dict(payload)}
        await self._send(self.untaken[id_])

    def acknowledged(self, id_: str) -> None:
        """It was taken."""
        if (taken := self.untaken.pop(id_, None)) is not None:
            self._told.append(taken)
            del self._told[:-1_000]

    async def repeat(self) -> None:
        """Tell all of it again."""
        again, self._told = self._told, []
        for one in again:
            await self.tell(one["type"], one["payload"])

    async def refresh(self) -> None:
        """Ask for another connection."""
        for socket, _ in self._open[-1:]:
            await socket.send_json({"type": "disconnect", "reason": "refresh_requested"})

    def abort(self) -> None:
        """Cut all connections."""
        for _, request in self._open:
            cut(request)
        self._open = []

    async def _send(self, envelope: Mapping[str, Any]) -> None:
        for socket, _ in self._open[-1:]:
            with suppress(ConnectionError):  # then it waits for the next one
                await socket.send_json(envelope)


def cut(request: web.Request) -> None:
    """Cut a connection, as a network does."""
    if request.transport is not None:
        request.transport.abort()
