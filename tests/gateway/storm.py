"""Clients that lose their connections all the time, and a witness for each, who knows what must not happen."""

from __future__ import annotations

import asyncio
import socket as sockets
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from zlib import crc32

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from sulla.core.clock import Clock
from sulla.core.errors import Unavailable
from sulla.terminal.place import Door

Frame = Mapping[str, Any]
_TEXT = "TEXT_MESSAGE_CONTENT"
_ENDS = ("RUN_FINISHED", "RUN_ERROR")
_RESET = struct.pack("ii", 1, 0)
_PAUSE_S = 0.05
_CLOSE_S = 1.0


def mark(seq: int, type_: str, data: object) -> int:
    """What two events have in common if they are the same."""
    return crc32(orjson.dumps([seq, type_, data], option=orjson.OPT_SORT_KEYS))


class Witness:
    """What one client saw over all its connections, and what of it was wrong. Pure."""

    def __init__(self) -> None:
        self.kept: dict[str, list[int]] = {}
        """The marks of each thread's kept events, in the order in which they came."""
        self.ended: dict[str, int] = {}
        """How many turns of each thread have ended."""
        self.wrong: list[str] = []
        self.pieces = 0
        """How many pieces of text were shown."""
        self._last: dict[str, int] = {}
        self._shown: dict[tuple[str, str], str] = {}
        """The text of each message as this connection has shown it."""
        self._longest: dict[tuple[str, str], str] = {}
        """The same over all connections."""
        self._over: set[tuple[str, str]] = set()

    def last(self, thread_id: str) -> int:
        """The number of a thread's last event that the client has."""
        return self._last.get(thread_id, 0)

    def comes_back(self) -> None:
        """A new connection: texts begin anew."""
        self._shown.clear()

    def takes(self, frame: Frame) -> None:
        """A notification has come."""
        params = frame["params"]
        if frame["method"] != "event":
            self.wrong.append(f"{frame['method']} came: {params}")
        elif params["seq"] is None:
            if params["type"] == _TEXT:
                self._takes_piece(params["thread_id"], params["data"])
        else:
            self._takes_kept(params["thread_id"], params)

    def _takes_kept(self, thread_id: str, event: Frame) -> None:
        seq, wanted, type_, data = event["seq"], self.last(thread_id) + 1, event["type"], event["data"]
        if seq != wanted:
            self.wrong.append(f"{thread_id}: event {seq} came in the place of {wanted}")
        self._last[thread_id] = seq
        self.kept.setdefault(thread_id, []).append(mark(seq, type_, data))
        if type_ in _ENDS:
            self.ended[thread_id] = self.ended.get(thread_id, 0) + 1
        elif type_ in ("TEXT_MESSAGE_END", "MODEL_ABANDONED"):
            key = (thread_id, data["message_id"])
            shown = self._longest.pop(key, "")
            self._shown.pop(key, None)
            self._over.add(key)
            if type_ == "TEXT_MESSAGE_END" and not data["text"].startswith(shown):
                self.wrong.append(f"{thread_id}: {shown!r} was shown of {data['text']!r}")

    def _takes_piece(self, thread_id: str, data: Frame) -> None:
        key, offset = (thread_id, data["message_id"]), data["offset"]
        self.pieces += 1
        before = self._shown.get(key, "")
        if key in self._over:
            self.wrong.append(f"{thread_id}: a piece of {key[1]}, which had come to its end")
        if offset != len(before):
            self.wrong.append(f"{thread_id}: a piece of {key[1]} at {offset}, expected at {len(before)}")
        text, longest = before + data["delta"], self._longest.get(key, "")
        if not (text.startswith(longest) or longest.startswith(text)):
            self.wrong.append(f"{thread_id}: of {key[1]} {text!r} is shown, and {longest!r} before")
        self._shown[key], self._longest[key] = text, max(text, longest, key=len)


def verdict(witness: Witness, logs: Mapping[str, Sequence[int]]) -> list[str]:
    """What was wrong with all that a client saw.

    Args:
        witness: of that client.
        logs: the marks of each thread that it followed, as they are kept.
    """
    found = list(witness.wrong)
    for thread_id, log in logs.items():
        seen = witness.kept.get(thread_id, [])
        if len(seen) != len(log):
            found.append(f"{thread_id}: {len(seen)} events came, {len(log)} are kept")
        differ = [seq for seq, (mine, kept) in enumerate(zip(seen, log, strict=False), 1) if mine != kept]
        if differ:
            found.append(f"{thread_id}: event {differ[0]} is another one than the one that is kept ({len(differ)} are)")
    found += [f"{thread_id}: nobody asked for it" for thread_id in witness.kept.keys() - logs.keys()]
    return found


@dataclass(frozen=True, slots=True)
class Habits:
    """How a client behaves."""

    threads: tuple[str, ...]
    """What it follows."""
    turns: int
    """Of each thread: with the last one's end it is done."""
    frames: int
    """After at most so many frames it loses its connection."""
    quiet_s: float
    """So does it when nothing has come for so long, in seconds."""
    pause_s: float = 0.0
    """How long it takes over a frame, in seconds."""


class Drifter:
    """A client that loses its connection again and again, in all the ways there are, and always comes back.

    Args:
        door: where it knocks next; asked each time, since daemons come and go.
        habits: how it behaves.
        random: decides when and how it loses a connection.
        clock: for its pauses.
    """

    def __init__(self, door: Callable[[], Door], habits: Habits, random: Random, clock: Clock) -> None:
        self._door = door
        self._habits = habits
        self._random = random
        self._clock = clock
        self._left: list[ClientConnection] = []
        self.witness = Witness()
        self.connections = 0

    async def run(self) -> None:
        """Follow everything to its end."""
        try:
            while not self._done():
                try:
                    await self._request()
                except (OSError, WebSocketException, TimeoutError, Unavailable):
                    await self._clock.sleep(_PAUSE_S)  # the daemon is being started anew
        finally:
            for socket in self._left:
                socket.transport.abort()
                await socket.wait_closed()

    def verdict(self, logs: Mapping[str, Sequence[int]]) -> list[str]:
        """What was wrong with what it saw.

        Args:
            logs: the marks of all threads, as they are kept.
        """
        return verdict(self.witness, {thread_id: logs[thread_id] for thread_id in self._habits.threads})

    def _done(self) -> bool:
        return all(self.witness.ended.get(id_, 0) >= self._habits.turns for id_ in self._habits.threads)

    async def _request(self) -> None:
        where = self._door()
        socket = await connect(
            where.url.replace("http", "ws", 1) + "/ws",
            subprotocols=[Subprotocol("sulla.v1")],
            additional_headers={"Authorization": f"Bearer {where.token}"},
            max_size=None,
            proxy=None,
            compression=None,
            close_timeout=_CLOSE_S,
            max_queue=16 if self._habits.pause_s else None,  # who is slow lets the daemon feel it
        )
        try:
            self.connections += 1
            self.witness.comes_back()
            await self._say(socket, 0, "hello", client={"name": "drifter", "version": "1"}, protocol=1)
            for number, thread_id in enumerate(self._habits.threads, 1):
                after = self.witness.last(thread_id)
                await self._say(socket, number, "events.subscribe", thread_id=thread_id, after=after)
            await self._listen(socket)
        finally:
            await self._lose(socket)

    async def _listen(self, socket: ClientConnection) -> None:
        for _ in range(self._random.randint(1, self._habits.frames)):
            try:
                async with self._clock.timeout(self._habits.quiet_s):
                    frame = orjson.loads(await socket.recv())
            except TimeoutError:
                return
            if "id" in frame:
                if (error := frame.get("error")) is not None:
                    self._refused(error)
                    return
                continue
            self.witness.takes(frame)
            if self._done():
                return
            if self._habits.pause_s:
                await self._clock.sleep(self._habits.pause_s)

    def _refused(self, error: Frame) -> None:
        if not error["data"]["retryable"]:
            self.witness.wrong.append(f"refused: {error}")

    async def _say(self, socket: ClientConnection, id_: int, method: str, **params: object) -> None:
        await socket.send(orjson.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).decode())

    async def _lose(self, socket: ClientConnection) -> None:
        match self._random.choice(("close", "reset", "vanish")):
            case "close":
                await socket.close()
            case "reset":
                line = socket.transport.get_extra_info("socket")
                line.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, _RESET)
                socket.transport.abort()
                await socket.wait_closed()
            case _:  # it neither reads nor hangs up: the daemon has to notice by itself
                if not socket.transport.is_closing():
                    socket.transport.pause_reading()
                self._left.append(socket)


async def ride_out(drifters: Sequence[Drifter]) -> None:
    """All of them, until each has everything."""
    async with asyncio.TaskGroup() as group:
        for drifter in drifters:
            group.create_task(drifter.run())
