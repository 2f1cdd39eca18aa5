"""Speech is loaded when somebody speaks, or has spoken, and works as if it had been there all along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sulla.core.errors import ShuttingDown, StoreUnavailable
from sulla.speech.late_manager import LOOK_S, LateStreamBufferManager
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.turn_taking.chunk import Chunk
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from tests.speech.booth import Booth, memory_store, open_booth


class Late(Booth):
    """A booth whose manager is made when it is needed."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        super().__init__(store, clock, "home1:2")
        self.made = 0
        self.late = LateStreamBufferManager(self._make, store, clock, "classic")

    async def _make(self) -> StreamBufferManager:
        self.made += 1
        await self.clock.sleep(0.1)
        return self.manager


@asynccontextmanager
async def late_booth(store: MemoryStore, clock: ManualClock) -> AsyncIterator[Late]:
    """One at work."""
    booth = Late(store, clock)
    task = asyncio.create_task(booth.late.run())
    await clock.settle()
    try:
        yield booth
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_nothing_is_loaded_while_nobody_speaks_and_its_status_is_that_of_a_silent_one() -> None:
    clock = ManualClock()
    async with late_booth(await memory_store(clock), clock) as booth:
        await clock.advance(10 * LOOK_S)
        assert booth.made == 0
        assert booth.late.status() == booth.manager.status()
        assert booth.late.trouble() == booth.manager.trouble() == ""


async def test_who_speaks_first_loads_it_once_and_what_comes_meanwhile_keeps_its_order() -> None:
    clock = ManualClock()
    async with late_booth(await memory_store(clock), clock) as booth:
        thread = await booth.thread()
        words = [Chunk("u1", seq, "delta", f"word{seq} ", 0) for seq in (1, 2, 3)]
        await booth.done(asyncio.gather(*(booth.late.add_speech_chunk(thread, one) for one in words)))
        flushed = await booth.done(booth.late.force_flush_buffer(thread))
        assert flushed.text.split() == ["word1", "word2", "word3"]
        assert booth.made == 1
        assert booth.late.status() == booth.manager.status()


async def test_what_a_daemon_has_left_is_taken_up_though_nobody_speaks() -> None:
    clock = ManualClock()
    store = await memory_store(clock)
    async with open_booth(store, clock) as gone:
        thread = await gone.thread()
        await gone.say(thread, "wait for it", "final")
    async with late_booth(store, clock) as booth:
        for _ in range(40):
            await clock.advance(1.0)
        assert await booth.texts(thread) == ["wait for it"]


class AwayStore(MemoryStore):
    """One that nobody can reach for a while."""

    away = False

    async def find(self, **wanted: Any) -> list[LogInfo]:
        """What there is, if it is reached."""
        if self.away:
            raise StoreUnavailable("the store is away")
        return await super().find(**wanted)


async def test_a_store_that_is_away_is_asked_again() -> None:
    clock = ManualClock()
    store = AwayStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    async with open_booth(store, clock) as gone:
        thread = await gone.thread()
        await gone.say(thread, "wait for it", "final")
    store.away = True
    async with late_booth(store, clock) as booth:
        await clock.advance(3 * LOOK_S)
        assert booth.made == 0
        store.away = False
        for _ in range(40):
            await clock.advance(1.0)
        assert await booth.texts(thread) == ["wait for it"]


async def test_a_daemon_that_stops_takes_no_first_word() -> None:
    clock = ManualClock()
    async with late_booth(await memory_store(clock), clock) as booth:
        thread = await booth.thread()
    with pytest.raises(ShuttingDown):
        await booth.late.add_speech_chunk(thread, Chunk("u1", 1, "final", "too late", 0))
    assert booth.made == 0


async def test_a_deleted_thread_is_forgotten_though_nobody_has_spoken_since_the_start() -> None:
    clock = ManualClock()
    store = await memory_store(clock)
    async with open_booth(store, clock) as before:
        thread = await before.thread()
        await before.say(thread, "say it", "final")
        for _ in range(30):
            await clock.advance(1.0)  # it is parked in the silence
    assert await store.get(f"stream_buffer:{thread}") is not None
    async with late_booth(store, clock) as booth:
        await booth.done(booth.late.forget(thread))
    assert await store.get(f"stream_buffer:{thread}") is None
