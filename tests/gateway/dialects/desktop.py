"""What the original desktop client does on the wire and shows to its person, made again from what is known of it.

It opens one socket for each channel, and says which after the upgrade. It acknowledges every frame that has an id, and
sends its own again until they are acknowledged. It passes over what is about another conversation than the open one.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from tests.gateway.peer import PATIENCE_S, Answering

Frame = dict[str, Any]
_BARE = ("thread_created", "ack", "ping", "pong", "subscribe")
"""What may come without the name of a conversation while one is open."""


class Desktop:
    """One window, on one channel.

    Args:
        channel: its channel.
        acking: whether it acknowledges what it gets.
    """

    def __init__(self, channel: str = "sulla-desktop", *, acking: bool = True) -> None:
        self.channel = channel
        self.acking = acking
        self.thread: str | None = None
        """What it calls the open conversation."""
        self.running = False
        """Whether it believes that its agent is at work."""
        self.waiting = False
        self.stop_reason: str | None = None
        self.messages: list[Frame] = []
        """What its person sees: role, kind and content."""
        self.tools: dict[str, Frame] = {}
        """The cards of tools, by their run."""
        self.nodes: list[tuple[str, str]] = []
        """What happened to workflows, and at which node."""
        self.tokens = 0
        self.frames: list[Frame] = []
        """All that came."""
        self.pending: dict[str, Frame] = {}
        """What it has sent, and nobody has acknowledged."""
        self.completed = 0
        self._socket: ClientConnection | None = None

    # ----------------------------------------------------------------------------------------------------- connections

    @asynccontextmanager
    async def connected(
        self, server: Answering, authorization: str | None = "Bearer owner", path: str = "/hub", **headers: str
    ) -> AsyncIterator[Desktop]:
        """A socket; at the end it is closed."""
        given = headers | ({"Authorization": authorization} if authorization is not None else {})
        url = server.url.replace("http", "ws", 1) + path
        async with open_socket(
            url, additional_headers=given, proxy=None, open_timeout=PATIENCE_S, max_size=None, max_queue=None
        ) as socket:
            self._socket = socket
            await self._send({"type": "subscribe", "data": None, "id": str(uuid.uuid4()), "timestamp": _now()})
            for frame in list(self.pending.values()):
                await self._send(frame)
            yield self

    async def vanish(self) -> None:
        """The network is gone: no close, nothing."""
        assert self._socket is not None
        self._socket.transport.abort()

    def stall(self) -> None:
        """Read nothing any more."""
        assert self._socket is not None
        self._socket.transport.pause_reading()

    def go_on(self) -> None:
        """Read again."""
        assert self._socket is not None
        self._socket.transport.resume_reading()

    # --------------------------------------------------------------------------------------------------- what it says

    async def say(self, content: str, type_: str = "user_message", **metadata: object) -> str:
        """Its person says something; the frame's id."""
        self.running = True
        data: Frame = {"role": "user", "content": content}
        if self.thread is not None:
            data["threadId"] = self.thread
        return await self.ask(type_, data | ({"metadata": metadata} if metadata else {}))

    async def ask(self, type_: str, data: object = None, **more: object) -> str:
        """Send a frame that has to be acknowledged; its id."""
        frame: Frame = {"type": type_, "id": str(uuid.uuid4()), "timestamp": _now()}
        if data is not None:
            frame["data"] = data
        self.pending[frame["id"]] = frame | more
        await self._send(frame | more)
        return str(frame["id"])

    async def again(self, id_: str, frame: Frame) -> None:
        """Send a frame once more, as if it had never been acknowledged."""
        self.pending[id_] = frame
        await self._send(frame)

    async def raw(self, text: str | bytes) -> None:
        """Send anything."""
        assert self._socket is not None
        await self._socket.send(text)

    async def _send(self, frame: Frame) -> None:
        await self.raw(json.dumps({"channel": self.channel, **frame}))

    # -------------------------------------------------------------------------------------------------- what it hears

    async def hear(self) -> Frame:
        """The next frame, dealt with as the client does."""
        assert self._socket is not None
        async with asyncio.timeout(PATIENCE_S):
            text = await self._socket.recv()
        frame: Frame = json.loads(text)
        assert {"type", "data", "id", "timestamp", "channel"} <= set(frame) <= _FIELDS, frame
        self.frames.append(frame)
        if frame["type"] == "ack":
            self.pending.pop(frame["originalId"], None)
            return frame
        if self.acking:
            ack = {"type": "ack", "originalId": frame["id"], "data": None, "id": str(uuid.uuid4()), "timestamp": _now()}
            await self._send(ack)
        if self._concerns(frame):
            self._show(frame)
        return frame

    async def until(self, what: Callable[[], object]) -> list[Frame]:
        """Hear until that holds; what came."""
        heard = list[Frame]()
        while not what():
            heard.append(await self.hear())
        return heard

    async def rest(self) -> list[Frame]:
        """Hear until its agent is not at work any more, and all that was said has been acknowledged."""
        return await self.until(lambda: not self.running and not self.pending)

    async def settled(self) -> None:
        """Return when what it has acknowledged is known to be."""
        seen = self.types.count("pong")
        await self._send({"type": "ping", "data": None, "id": str(uuid.uuid4()), "timestamp": _now()})
        await self.until(lambda: self.types.count("pong") > seen)

    async def closed(self) -> tuple[int, str]:
        """The close code and reason."""
        with pytest.raises(ConnectionClosed) as caught:
            await self.until(lambda: False)
        close = caught.value.rcvd
        assert close is not None, "no close frame"
        return close.code, close.reason

    @property
    def said(self) -> list[str]:
        """What the agent said, as its person sees it."""
        return [one["content"] for one in self.messages]

    @property
    def types(self) -> list[str]:
        """The types of all frames but acknowledgements."""
        return [frame["type"] for frame in self.frames if frame["type"] != "ack"]

    def _concerns(self, frame: Frame) -> bool:
        data = frame["data"]
        named = data.get("thread_id", data.get("threadId")) if isinstance(data, dict) else None
        if self.thread is None or frame["type"] in _BARE:
            return True
        return bool(named == self.thread)

    def _show(self, frame: Frame) -> None:
        data = frame["data"]
        match frame["type"]:
            case "assistant_message" | "system_message":
                self._message(data)
            case "progress" if data["phase"] == "tool_call":
                self.tools[data["toolRunId"]] = {"name": data["toolName"], "args": data["args"], "status": "running"}
            case "progress" if data["toolRunId"] in self.tools:
                card = self.tools[data["toolRunId"]]
                card |= {"status": "success" if data["success"] else "failed", "result": data["result"]}
            case "thread_created":
                self.thread = data["threadId"]
            case "transfer_data" if data["content"] == "graph_execution_complete":
                self.running, self.waiting = False, data["waitingForUser"]
                self.stop_reason = data["stopReason"]
                self.completed += 1
            case "token_info":
                self.tokens += data["tokens_used"]
            case "workflow_execution_event":
                self.nodes.append((data["type"], data.get("nodeId", "")))

    def _message(self, data: Frame) -> None:
        self.running = True
        if not data["content"].strip():
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last["kind"] == "streaming" and data["role"] == "assistant":
            self.messages.pop()
        self.messages.append({"kind": "", **{name: data[name] for name in ("role", "kind", "content") if name in data}})


_FIELDS = {"type", "data", "id", "timestamp", "channel", "originalId"}


def _now() -> int:
    return round(time.time() * 1000)
