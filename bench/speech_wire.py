"""What a piece of speech costs a whole daemon, from its socket to the answer; and how fast a client catches up that has
a thousand pieces to send after its connection broke.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

import orjson
from websockets.asyncio.client import ClientConnection

from bench.frame import Row
from bench.process import processor_s, ready_url, running
from bench.talk import ask, dial, hello
from sulla.terminal.place import door

MANY: Final = 1_000
"""Pieces that are sent at once."""
SPEAKERS: Final = 10
HZ: Final = 10
SPOKEN_S: Final = 3.0
ROUNDS: Final = 3


@dataclass(slots=True)
class Speaker:
    """A client, and how it sends what was understood so far."""

    socket: ClientConnection
    say: Callable[[str], str]
    """A frame with the whole text."""
    is_answer: Callable[[bytes], bool]
    """Whether a frame is what comes back for each of them."""

    async def heard(self, most: int) -> None:
        """Read until so many answers are here.

        Raises:
            RuntimeError: one of them is an error.
        """
        while most:
            frame = await self.socket.recv(decode=False)
            if b'"error"' in frame:
                raise RuntimeError(frame.decode())
            most -= self.is_answer(frame)


async def rows(folder: Path, words: list[str]) -> list[Row]:
    """Measure with a daemon and its disk.

    Args:
        folder: an empty one.
        words: what is said, again and again.
    """
    home = folder / "wire"
    up = ("-m", "sulla", "up", "--port", "0", "--home", str(home))
    with running(up, {"SULLA_MODEL": "offline", "SULLA_DAEMON__LOG_LEVEL": "error"}) as daemon:
        ready_url(daemon)
        where = door(home)
        found: list[Row] = []
        for path in ("/ws", "/voice"):
            costs, rates, spoken = list[float](), list[float](), list[float]()
            for _ in range(ROUNDS):
                async with _speakers(where.url, where.token, path, 1) as (one,):
                    begun, used = time.perf_counter(), processor_s(daemon.pid)
                    await _caught_up(one, words)
                    rates.append(MANY / (time.perf_counter() - begun))
                    costs.append((processor_s(daemon.pid) - used) / MANY)
                async with _speakers(where.url, where.token, path, SPEAKERS) as all_:
                    silent_s = -processor_s(daemon.pid)
                    await asyncio.sleep(SPOKEN_S)
                    silent_s += processor_s(daemon.pid)
                    used = processor_s(daemon.pid)
                    await asyncio.gather(*(_speak(one, words, place / SPEAKERS / HZ) for place, one in enumerate(all_)))
                    used_s = processor_s(daemon.pid) - used - silent_s
                    spoken.append(used_s / (SPEAKERS * HZ * SPOKEN_S))
            found += [
                Row(f"{path}: {MANY:,} pieces at once, kept in a second", median(rates), "chunks"),
                Row("- one chunk", 1e6 * min(costs), "us"),
                Row(f"{path}: {SPEAKERS} who speak, one chunk", 1e6 * min(spoken), "us"),
            ]
        async with _speakers(where.url, where.token, "/ws", 1) as (last,):
            await _speak(last, words[:1], 0.0)  # the log is one, so all that was said before is kept now
        return found


def _texts(words: list[str]) -> Iterator[str]:
    for at in count():
        yield " ".join([f"{at // len(words)}", *words[: at % len(words) + 1]])


async def _caught_up(one: Speaker, words: list[str]) -> None:
    texts = _texts(words)
    hearing = asyncio.ensure_future(one.heard(MANY))
    for _ in range(MANY):
        await one.socket.send(one.say(next(texts)))
    await hearing


async def _speak(one: Speaker, words: list[str], late_s: float) -> None:
    texts, begun = _texts(words), time.perf_counter() + late_s
    for number in range(round(HZ * SPOKEN_S)):
        await asyncio.sleep(max(0.0, begun + number / HZ - time.perf_counter()))
        await one.socket.send(one.say(next(texts)))
        await one.heard(1)


@asynccontextmanager
async def _speakers(url: str, token: str, path: str, number: int) -> AsyncIterator[list[Speaker]]:
    """Clients in a thread each. What they have said is dropped at the end: no message comes of it."""
    make, drop = (_on_ws, "") if path == "/ws" else (_on_voice, '{"type":"cancel"}')
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(dial(url + path, token)) for _ in range(number)]
        found = [await make(socket) for socket in sockets]
        yield found
        for one in found:
            await one.socket.send(drop or one.say(""))


async def _on_ws(socket: ClientConnection) -> Speaker:
    await hello(socket)
    thread_id = (await ask(socket, "thread.create"))["thread_id"]
    seqs = count()

    def say(text: str) -> str:
        said = {"utterance_id": "u", "seq": next(seqs), "kind": "cumulative", "text": text}
        params = {"thread_id": thread_id, **said} if text else {"thread_id": thread_id}
        method = "speech.chunk" if text else "speech.cancel"
        return orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).decode()

    return Speaker(socket, say, lambda frame: b'"result"' in frame)


async def _on_voice(socket: ClientConnection) -> Speaker:
    assert orjson.loads(await socket.recv())["type"] == "ready"
    return Speaker(
        socket, lambda text: orjson.dumps({"partial": text}).decode(), lambda frame: b'"speech_partial"' in frame
    )
