"""StreamBufferManager: what comes of an utterance that is closed."""

from __future__ import annotations

import pytest

from sulla.speech.turn_taking.chunk import Chunk
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from tests.speech.booth import memory_store, open_booth


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


async def test_late_chunks_of_a_thread_that_was_laid_down_are_known_as_such(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light", "final")
        await clock.advance(30.0)
        assert booth.live() == 0
        assert [info.key for info in await store.find(kind="speech")] == []
        again = await booth.done(booth.manager.add_speech_chunk(thread, Chunk("u1", 1, "cumulative", "the lie")))
        assert again.late
        await clock.advance(30.0)
        assert await booth.texts(thread) == ["the light"]


async def test_who_uses_the_name_of_an_utterance_twice_is_told_that_nothing_of_it_is_taken(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        for chunk, late in (
            (Chunk("u1", 1, "cumulative", "turn it off"), False),
            (Chunk("u1", 2, "final", "turn it off"), False),
            (Chunk("u1", 2, "final", "turn it off"), True),
            (Chunk("u2", 1, "cumulative", "turn it off"), False),
            (Chunk("u1", 1, "cumulative", "and on again"), True),
        ):
            taken = await booth.done(booth.manager.add_speech_chunk(thread, chunk))
            assert (chunk, taken.late) == (chunk, late)
        await clock.advance(30.0)
        assert await booth.texts(thread) == ["turn it off", "turn it off"]
