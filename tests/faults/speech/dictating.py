"""Clients of `/voice` that lose their connection, or their daemon, in the midst of a segment, and connect anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from sulla.core.errors import Unavailable
from sulla.core.jsontypes import JsonObject
from sulla.terminal.place import door
from tests.faults.backend import CLOCK
from tests.gateway.recognizers import partial, result, results, turn_info

WORD_S = 0.3
AGAIN_S = 0.05
READY_S = 30.0

Hears = Callable[[int, float, Sequence[str]], list[JsonObject]]
"""What a recognizer says of a sentence: its number, when it begins, and its words. The last frame settles it."""


def deepgram(number: int, begins_s: float, words: Sequence[str]) -> list[JsonObject]:
    """Deepgram's ``Results``: two segments, of which the last word is another at first."""
    half = len(words) // 2
    frames: list[JsonObject] = []
    for first, last in ((0, half), (half, len(words))):
        start_s = begins_s + WORD_S * first
        for upto in range(first + 1, last):
            heard = [*words[first : upto - 1], f"{words[upto - 1]}s"]
            frames.append(results(" ".join(heard), start_s, WORD_S * (upto - first)))
        settled = " ".join(words[first:last])
        frames.append(results(settled, start_s, WORD_S * (last - first), final=True, pause=last == len(words)))
    return frames


def flux(number: int, begins_s: float, words: Sequence[str]) -> list[JsonObject]:
    """Flux's ``TurnInfo``."""
    updates = [turn_info("Update", number, " ".join(words[:upto])) for upto in range(1, len(words))]
    return [*updates, turn_info("EndOfTurn", number, " ".join(words))]


def vosk(number: int, begins_s: float, words: Sequence[str]) -> list[JsonObject]:
    """Vosk's partials and its result."""
    return [*(partial(" ".join(words[:upto])) for upto in range(1, len(words))), result(" ".join(words))]


def doubled(number: int, begins_s: float, words: Sequence[str]) -> list[JsonObject]:
    """Deepgram behind a relay that sends each frame twice, and each settled one again at the end."""
    frames = deepgram(number, begins_s, words)
    settled = [frame for frame in frames if frame["is_final"]]
    return [frame for one in frames for frame in (one, one)] + settled


@dataclass(slots=True)
class Dictation:
    """One client.

    Args:
        home: whose daemon.
        hears: its recognizer.
        turns: who says when a turn is over.
        sentences: what is said, each a turn of its own.
    """

    home: Path
    hears: Hears
    turns: str
    sentences: Sequence[str]
    thread_id: str = ""
    ended: list[str] = field(default_factory=list)
    """The texts of the turns that it was shown the end of, over its last connection."""
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _socket: ClientConnection | None = None
    _said: int = 0
    _at_s: float = 0.0

    async def connect(self) -> None:
        """Connect, anew or for the first time, as soon as a daemon is there."""
        await self._stack.aclose()
        async with CLOCK.timeout(READY_S):
            while True:
                try:
                    self._socket = await self._stack.enter_async_context(self._open())
                    ready = json.loads(await self._socket.recv())
                except (Unavailable, OSError, ConnectionClosed):
                    await CLOCK.sleep(AGAIN_S)
                    continue
                assert ready["type"] == "ready", ready
                self.thread_id = ready["thread_id"]
                return

    def _open(self) -> open_socket:
        where = door(self.home)
        thread = f"&thread_id={self.thread_id}" if self.thread_id else ""
        return open_socket(
            f"{where.url.replace('http', 'ws', 1)}/voice?turns={self.turns}{thread}",
            additional_headers={"Authorization": f"Bearer {where.token}"},
        )

    async def begin(self) -> None:
        """Say the first half of the next sentence, and see that it is heard."""
        frames = self._frames()
        before = frames[: len(frames) // 2]
        await self._say(before)
        await self._until("speech_partial")

    async def end(self) -> None:
        """Say the rest of it, and wait until its turn has ended.

        The frame before the rest comes once more, over the new connection: nobody knows whether it has arrived.
        """
        frames = self._frames()
        await self._say(frames[len(frames) // 2 - (self.hears is not vosk) :])
        self.ended.append(str((await self._until("speech_end"))["text"]))
        self._at_s += WORD_S * len(self.sentences[self._said].split()) + 5.0
        self._said += 1

    def hang_up(self) -> None:
        """Lose the connection without a word."""
        assert self._socket is not None
        self._socket.transport.abort()

    async def close(self) -> None:
        """Be gone."""
        await self._stack.aclose()

    def _frames(self) -> list[JsonObject]:
        return self.hears(self._said, self._at_s, self.sentences[self._said].split())

    async def _say(self, frames: Sequence[JsonObject]) -> None:
        assert self._socket is not None
        for frame in frames:
            await self._socket.send(json.dumps(frame))
            await CLOCK.sleep(0.02)

    async def _until(self, kind: str) -> JsonObject:
        assert self._socket is not None
        async with CLOCK.timeout(READY_S):
            while True:
                frame: JsonObject = json.loads(await self._socket.recv())
                assert frame["type"] not in ("error", "passed_over"), frame
                if frame["type"] == kind:
                    return frame
