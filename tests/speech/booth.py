"""Where somebody speaks: threads in a store, a manager of their speech, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sulla.core.clock import Clock
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.speech.limits import SpeechLimits
from sulla.speech.service import Playing, Taken
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.turn_taking.chunk import Chunk, ChunkKind
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.bus import LiveSignal, live_channel, unpack
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.store import ThreadStore
from tests.speech.streams import DETECTOR

T = TypeVar("T")
GATHER_S = 0.025


class Booth:
    """One boot of a daemon, as far as speech goes.

    Args:
        store: where everything is kept.
        clock: all time.
        owner: who it is.
        limits: of its speech.
    """

    def __init__(self, store: Store, clock: Clock, owner: str = "home1:1", limits: SpeechLimits | None = None) -> None:
        self.store = store
        self.clock = clock
        self.woken: list[ThreadId] = []
        self.threads = ThreadStore(store, clock, lambda prefix: prefix, owner, THREAD_SCHEMA, ThreadLimits())
        self.manager = StreamBufferManager(
            store, self.threads, clock, owner, self.woken.append, limits, detector=DETECTOR
        )
        self._seqs: dict[str, int] = {}

    def live(self) -> int:
        """How many threads are spoken in."""
        match self.manager.status():
            case {"speech": {"live": int(live)}}:
                return live
        raise AssertionError("it is told")

    def trouble(self) -> object:
        """What is wrong with the store."""
        match self.manager.status():
            case {"speech": {"trouble": trouble}}:
                return trouble
        raise AssertionError("it is told")

    async def thread(self, name: str = "one") -> ThreadId:
        """A conversation."""
        return await self.threads.create(ThreadCreated("sulla"), name)

    async def done(self, what: Awaitable[T]) -> T:
        """What comes of it, letting as little time pass as it takes."""
        task = asyncio.ensure_future(what)
        assert isinstance(self.clock, ManualClock)
        await self.clock.settle()
        while not task.done():
            await self.clock.advance(GATHER_S)
        return task.result()

    async def say(
        self,
        thread_id: ThreadId,
        text: str,
        kind: ChunkKind = "cumulative",
        utterance_id: str = "u1",
        playing: Playing | None = None,
        seq: int = 0,
        *,
        stable: bool = False,
    ) -> Taken:
        """A chunk, `stable` if it will not be revised; the next one of its utterance unless `seq` says otherwise."""
        seq = self._seqs[utterance_id] = seq or self._seqs.get(utterance_id, 0) + 1
        chunk = Chunk(utterance_id, seq, kind, text, len(text) if stable else 0)
        return await self.done(self.manager.add_speech_chunk(thread_id, chunk, playing))

    async def inputs(self, thread_id: ThreadId) -> list[Input]:
        """Messages of the thread."""
        entries = await self.threads.entries(thread_id)
        return [entry.fact for entry in entries if isinstance(entry.fact, Input)]

    async def texts(self, thread_id: ThreadId) -> list[str]:
        """What they say."""
        return [fact.text for fact in await self.inputs(thread_id)]


@asynccontextmanager
async def open_booth(
    store: Store, clock: ManualClock, owner: str = "home1:1", limits: SpeechLimits | None = None
) -> AsyncIterator[Booth]:
    """A booth at work; cancelled at the end of the block, as a daemon that is gone."""
    booth = Booth(store, clock, owner, limits)
    task = asyncio.ensure_future(booth.manager.run())
    await clock.settle()
    try:
        yield booth
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def shown(store: Store, thread_id: ThreadId, tell: Callable[[str, Any], object]) -> AsyncIterator[None]:
    """Tells what clients are shown of a thread within the block."""

    def hear(payload: bytes | None) -> None:
        if payload is not None and isinstance(signal := unpack(payload), LiveSignal):
            tell(signal.type, dict(signal.data))

    async with store.subscribe(live_channel(thread_id)) as buffer_clock:
        buffer_clock.attach(hear)
        yield


async def memory_store(clock: ManualClock) -> MemoryStore:
    """An open one."""
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    return store
