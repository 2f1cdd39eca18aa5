"""A client of `/voice` for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from tests.gateway.peer import PATIENCE_S, Answering

Frame = dict[str, Any]


class Voice:
    """Sends a recognizer's frames, and reads what comes back."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.thread_id = ""

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, server: Answering, authorization: str | None = "Bearer owner", query: str = "", **headers: str
    ) -> AsyncIterator[Voice]:
        given = headers | ({"Authorization": authorization} if authorization is not None else {})
        url = server.url.replace("http", "ws", 1) + "/voice" + (f"?{query}" if query else "")
        async with open_socket(
            url, additional_headers=given, proxy=None, open_timeout=PATIENCE_S, max_size=None, max_queue=None
        ) as socket:
            yield cls(socket)

    async def ready(self) -> Voice:
        """Wait until it is taken in."""
        frame = await self.frame()
        assert frame["type"] == "ready", frame
        self.thread_id = frame["thread_id"]
        return self

    async def say(self, *frames: object) -> None:
        for frame in frames:
            await self.socket.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))

    async def frame(self) -> Frame:
        """The next frame."""
        async with asyncio.timeout(PATIENCE_S):
            text = await self.socket.recv()
        assert isinstance(text, str)
        frame: Frame = json.loads(text)
        assert isinstance(frame["type"], str)
        return frame

    async def until(self, type_: str) -> list[Frame]:
        """All frames up to the first of a type."""
        found = [await self.frame()]
        while found[-1]["type"] != type_:
            assert found[-1]["type"] != "error" or type_ == "error", found[-1]
            found.append(await self.frame())
        return found

    async def closed(self) -> tuple[int, str]:
        """The close code and reason; whatever comes before it is passed over."""
        with pytest.raises(ConnectionClosed) as caught:
            await self._read_on()
        close = caught.value.rcvd
        assert close is not None, "no close frame"
        return close.code, close.reason

    async def _read_on(self) -> None:
        while True:
            await self.frame()
