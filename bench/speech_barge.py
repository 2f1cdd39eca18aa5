"""From somebody's first words to the silence of the model: how long a reply goes on that is spoken over.

The daemon's own manager, interruptions and turn driver, on SQLite with its disk, in real time. A model writes a token
every five milliseconds, for ever; a partial transcript of two words comes, and the clock stops when the call to the
model has been cancelled. Once on an idle machine, and once while other threads are being answered and others spoken in.
In each round the same calls of the store are made by hand before it. The bar is what was promised, for a machine that
does nothing else.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from bench.frame import Frame, Row
from sulla.core.ids import ThreadId
from sulla.host.system import SystemClock, random_id
from sulla.models.base import ChatRequest, Delta, TextDelta
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.slice import Overheard
from sulla.speech.turn_taking.chunk import Chunk
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.world import World

NAME = "barge"

BAR_MS: Final = 50.0
TOKEN_S: Final = 0.005
ANSWERED: Final = 40
"""Threads that are answered beside it, in the second half."""
SPOKEN: Final = 40
"""Threads that are spoken in beside it, ten times a second."""
_PATIENCE_S: Final = 10.0


class Talker:
    """A model that writes until it is cut off, and knows when that was."""

    def __init__(self) -> None:
        self.name = "talker"
        self.writing = asyncio.Event()
        self.cut = asyncio.Event()
        self.cut_s = 0.0

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """One reply that has no end."""
        try:
            while True:
                yield TextDelta("word ")
                self.writing.set()
                await asyncio.sleep(TOKEN_S)
        finally:
            self.cut_s = time.perf_counter()
            self.cut.set()

    async def close(self) -> None:
        """Nothing to let go of."""


def run(frame: Frame) -> list[Row]:
    """Wall time, in rounds of one barge-in each."""
    rounds = max(3, frame.rounds)
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_measure(Path(folder), rounds))


async def _measure(folder: Path, rounds: int) -> list[Row]:
    rows: list[Row] = []
    for beside in (0, 1):
        room = _Room(folder / f"{beside}.db")
        async with asyncio.timeout(_PATIENCE_S * rounds):
            took = await room.rounds(rounds, ANSWERED * beside, SPOKEN * beside)
        what = f", beside {ANSWERED} replies and {SPOKEN} voices" if beside else ""
        hand, barge = took.values()
        rows.append(Row(f"by hand, median{what}", median(hand), "ms"))
        times = median(one / other for one, other in zip(barge, hand, strict=True))
        rows.append(Row(f"cut off, median{what}", median(barge), "ms", times, "by hand"))
        for name, value in (("cut off, median", median(barge)), ("cut off, 19 of 20", quantiles(barge, n=20)[-1])):
            ratio = value / BAR_MS
            rows.append(Row(f"{name}{what}", value, "ms", ratio, f"{BAR_MS:g} ms", 1.0, ok=ratio <= 1.0))
        rows.append(Row(f"by hand, slowest{what}", max(hand), "ms"))  # what else the machine does is in these
        rows.append(Row(f"cut off, slowest{what}", max(barge), "ms"))
    return rows


class _Room:
    def __init__(self, file: Path) -> None:
        self._clock = SystemClock()
        self._store = SqliteStore(file, self._clock, random_id)
        self._talker = Talker()
        self._world = World(self._store, self._talker, clock=self._clock)
        self._others = World(self._store, Talker(), clock=self._clock, boot=2)
        self._manager = StreamBufferManager(
            self._store, self._world.threads, self._clock, "home:boot1", lambda thread_id: None
        )

    async def rounds(self, rounds: int, answered: int, spoken: int) -> dict[str, list[float]]:
        """What each took, in milliseconds: the store's part by hand, and all of it."""
        await self._store.open()
        beside = [asyncio.create_task(self._manager.run())]
        try:
            for number in range(answered):
                thread = await self._others.thread()
                await self._others.send(thread, f"Talk {number}.")
                beside.append(asyncio.create_task(self._others.turns.attend(thread)))
            voices = [await self._others.thread() for _ in range(spoken)]
            beside += [asyncio.create_task(self._voice(thread, number)) for number, thread in enumerate(voices)]
            took = [await self._one() for _ in range(rounds)]
            return {"by hand": [hand for hand, _ in took], "barge-in": [barge for _, barge in took]}
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await self._store.close()

    async def _one(self) -> tuple[float, float]:
        talker, world = self._talker, self._world
        talker.writing.clear()
        talker.cut.clear()
        thread = await world.thread()
        await world.send(thread, "Tell me a long story.")
        turn = asyncio.create_task(world.turns.attend(thread))
        await talker.writing.wait()
        await self._manager.add_speech_chunk(thread, Chunk("u", 0, "cumulative", "not"))
        if talker.cut.is_set():
            raise AssertionError("one word was enough")
        hand = await self._by_hand(thread)
        await asyncio.sleep(TOKEN_S)
        begun_s = time.perf_counter()
        said = asyncio.create_task(self._manager.add_speech_chunk(thread, Chunk("u", 1, "cumulative", "not that")))
        await talker.cut.wait()
        await asyncio.gather(said, turn)
        return hand, 1e3 * (talker.cut_s - begun_s)

    async def _by_hand(self, thread: ThreadId) -> float:
        """What the store is asked for: a write of speech, a head, an input, and the look of whoever runs the turn."""
        threads = self._world.threads
        begun_s = time.perf_counter()
        await threads.tell(thread, Overheard("first", "uh-huh"), "first")
        info, _ = await threads.get(thread)
        await threads.tell(thread, Overheard("second", "uh-huh"), "second")
        await threads.entries(thread, after=info.last_seq)
        return 1e3 * (time.perf_counter() - begun_s)

    async def _voice(self, thread: ThreadId, number: int) -> None:
        words = 0
        while True:
            chunk = Chunk(f"v{number}.{words // 40}", words % 40, "cumulative", "word " * (words % 40 + 1))
            await self._manager.add_speech_chunk(thread, chunk)
            await asyncio.sleep(0.1)
            words += 1
