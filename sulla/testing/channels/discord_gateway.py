"""The gateway of the fake of Discord: sessions that hold what they told, so that a client which comes back is told what
it missed, over a WebSocket whose stream is compressed where that is asked for.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final

import orjson
from aiohttp import WSMsgType, web

from sulla.testing.channels.discord_forms import hidden

NOWHERE: Final = "nowhere"
HEARTBEAT_MS: Final = 41_250
_DISPATCH, _HEARTBEAT, _IDENTIFY, _RESUME, _INVALID, _HELLO, _ACK = 0, 1, 2, 6, 9, 10, 11
_WRONG_TOKEN: Final = 4004
_NO_INTENT: Final = 4014
_CONTENT: Final = 1 << 15


def _elsewhere(goes_on: str) -> str:
    return "" if goes_on == NOWHERE else goes_on


class _Session:
    """What one session was told, and is to be."""

    def __init__(self, intents: int) -> None:
        self.events: list[tuple[str, Mapping[str, Any]]] = []
        self.news = asyncio.Event()
        self.intents = intents
        self.boot = 0
        """Counts its connections: an older one is told nothing."""

    def tell(self, name: str, data: Mapping[str, Any]) -> None:
        self.events.append((name, data))
        self.news.set()


class FakeGateway:
    """It lives as long as its fake.

    Args:
        token: the bot's.
        bot: it, as Discord writes a user.
        guild: the server in which it is, as Discord tells of it at the beginning.
    """

    def __init__(self, token: str, bot: Mapping[str, Any], guild: Callable[[], Mapping[str, Any]]) -> None:
        self._token, self._bot, self._guild = token, bot, guild
        self._sessions: dict[str, _Session] = {}
        self._numbers = count(1)
        self._open: set[asyncio.BaseTransport] = set()
        self.begun = asyncio.Event()
        """Set when the bot was there for the first time."""
        self.url = ""
        """Where it is."""
        self.goes_on = ""
        """Where sessions go on, where that is somewhere else; "nowhere": whoever goes on is cut off."""
        self.gone = False
        """Whether nothing gets through."""
        self.allows_content = False
        """Whether the portal lets the bot read all that is said."""
        self.resumed = 0
        """How many sessions were gone on with."""

    def tell(self, name: str, data: Mapping[str, Any]) -> None:
        """Something happened.

        Args:
            name, data: the event.
        """
        for session in self._sessions.values():
            session.tell(name, data if session.intents & _CONTENT else hidden(data, self._bot))

    def repeat(self) -> None:
        """All that was told of messages and presses is told again."""
        for session in self._sessions.values():
            for name, data in [one for one in session.events if one[0] not in ("READY", "GUILD_CREATE", "RESUMED")]:
                session.tell(name, data)

    def forget(self) -> None:
        """All sessions are over; whoever is connected is sent away."""
        self._sessions.clear()
        self.cut()

    def cut(self) -> None:
        """Every connection breaks."""
        for transport in list(self._open):
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection.

        Args:
            request: its beginning.
        """
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        transport = request.transport
        if transport is None:
            return socket
        self._open.add(transport)
        try:
            stream = _Stream(socket, packs=request.query.get("compress") == "zlib-stream")
            await stream.send({"op": _HELLO, "d": {"heartbeat_interval": HEARTBEAT_MS}})
            async with asyncio.TaskGroup() as group:
                await self._listen(socket, stream, group)
        except* (ConnectionError, RuntimeError):
            pass  # it was cut
        finally:
            self._open.discard(transport)
        return socket

    async def _listen(self, socket: web.WebSocketResponse, stream: _Stream, group: asyncio.TaskGroup) -> None:
        pump: asyncio.Task[None] | None = None
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            said = orjson.loads(message.data)
            if said["op"] == _HEARTBEAT:
                await stream.send({"op": _ACK, "d": None})
            elif said["op"] in (_IDENTIFY, _RESUME):
                session = await self._let_in(socket, stream, said)
                if session is None:
                    break
                pump = group.create_task(self._pump(stream, session, int(said["d"].get("seq") or 0)))
        if pump is not None:
            pump.cancel()

    async def _let_in(self, socket: web.WebSocketResponse, stream: _Stream, said: Mapping[str, Any]) -> _Session | None:
        data = said["d"]
        if data["token"] != self._token:
            await socket.close(code=_WRONG_TOKEN, message=b"Authentication failed.")
            return None
        if said["op"] == _RESUME and self.goes_on == NOWHERE:
            return None
        if said["op"] == _RESUME:
            session = self._sessions.get(data["session_id"])
            if session is None or int(data["seq"]) > len(session.events):
                await stream.send({"op": _INVALID, "d": False})
                return None
            self.resumed += 1
            session.tell("RESUMED", {})
            return session
        if data["intents"] & _CONTENT and not self.allows_content:
            await socket.close(code=_NO_INTENT, message=b"Disallowed intent(s).")
            return None
        name, session = f"session-{next(self._numbers)}", _Session(data["intents"])
        guild = self._guild()
        session.tell(
            "READY",
            {
                "v": 10,
                "user": self._bot,
                "guilds": [{"id": guild["id"], "unavailable": True}],
                "session_id": name,
                "resume_gateway_url": _elsewhere(self.goes_on) or self.url,
                "application": {"id": self._bot["id"], "flags": 0},
            },
        )
        session.tell("GUILD_CREATE", guild)
        self._sessions[name] = session
        self.begun.set()
        return session

    async def _pump(self, stream: _Stream, session: _Session, seq: int) -> None:
        session.boot += 1
        boot = session.boot
        session.news.set()
        while session.boot == boot:
            session.news.clear()
            while seq < len(session.events) and not self.gone and session.boot == boot:
                name, data = session.events[seq]
                seq += 1
                await stream.send({"op": _DISPATCH, "t": name, "s": seq, "d": data})
            await session.news.wait()


class _Stream:
    """What is sent; where it `packs`, in one stream that is compressed."""

    def __init__(self, socket: web.WebSocketResponse, *, packs: bool) -> None:
        self._socket = socket
        self._compressor = zlib.compressobj() if packs else None

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send one message."""
        said, pack = orjson.dumps(message), self._compressor
        if pack is None:
            await self._socket.send_str(said.decode())
        else:
            await self._socket.send_bytes(pack.compress(said) + pack.flush(zlib.Z_SYNC_FLUSH))
