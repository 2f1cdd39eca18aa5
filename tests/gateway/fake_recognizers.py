"""Deepgram's and Vosk's sockets, as their documentation describes them, for clients that bring audio of any kind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, serve

from sulla.core.jsontypes import JsonObject
from tests.gateway.recognizers import connected, metadata

KEY = "dg-secret"
PIECE = 3_200
"""Bytes of audio that a frame is heard in: 0.1 s at 16 kHz."""


class FakeDeepgram:
    """Hears one of its frames in each piece of audio, and the rest at the end of the stream.

    Attributes:
        heard: bytes of audio.
        asked: the queries it was connected with.
    """

    def __init__(self, frames: Sequence[JsonObject]) -> None:
        self._frames = frames
        self.heard = 0
        self.asked: list[dict[str, list[str]]] = []
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[FakeDeepgram]:
        """Serve it."""
        async with _serving(self._talk) as url:
            self.url = url
            yield self

    async def _talk(self, socket: ServerConnection) -> None:
        request = socket.request
        assert request is not None
        path = urlsplit(request.path)
        if request.headers.get("Authorization") != f"Token {KEY}" or path.path not in ("/v1/listen", "/v2/listen"):
            await socket.close(1008, "INVALID_AUTH")
            return
        self.asked.append(parse_qs(path.query))
        flux = path.path.startswith("/v2")
        if flux:
            await _send(socket, connected())
        waiting = iter([frame for frame in self._frames if frame.get("type") != "Connected"])
        async for message in socket:
            if isinstance(message, bytes):
                self.heard += len(message)
                if (frame := next(waiting, None)) is not None:
                    await _send(socket, frame)
            elif json.loads(message) == {"type": "CloseStream"}:
                break
        for frame in waiting:
            await _send(socket, frame)
        if not flux:
            await _send(socket, metadata())


class FakeVosk:
    """Answers each piece of audio with one of its frames, and the end of the stream with the last.

    Attributes:
        heard: bytes of audio.
        rate: the rate that the client says the audio has.
    """

    def __init__(self, frames: Sequence[JsonObject]) -> None:
        self._frames = frames
        self.heard = 0
        self.rate = 0
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[FakeVosk]:
        """Serve it."""
        async with _serving(self._talk) as url:
            self.url = url
            yield self

    async def _talk(self, socket: ServerConnection) -> None:
        *guesses, last = self._frames
        waiting = iter(guesses)
        async for message in socket:
            if isinstance(message, bytes):
                self.heard += len(message)
                await _send(socket, next(waiting, {"partial": ""}))
                continue
            said: dict[str, Any] = json.loads(message)
            if "config" in said:
                self.rate = said["config"]["sample_rate"]
            elif said == {"eof": 1}:
                await _send(socket, last)
                return


@asynccontextmanager
async def _serving(chat: Callable[[ServerConnection], Coroutine[Any, Any, None]]) -> AsyncIterator[str]:
    async with serve(chat, "127.0.0.1", 0) as server:
        (socket,) = server.sockets
        yield f"ws://127.0.0.1:{socket.getsockname()[1]}"


async def _send(socket: ServerConnection, frame: JsonObject) -> None:
    await socket.send(json.dumps(frame))
    await asyncio.sleep(0)
