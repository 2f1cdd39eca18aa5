"""Which threads have changed, said over the bus of a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection

import pytest

from sulla.core.ids import ThreadId
from sulla.store.memory import MemoryStore
from sulla.store.values import MAX_PUBLISH_BYTES
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.pulse import CHANNEL, MOST_CHANGED, PULSE_S, ThreadPulse

Heard = list[Collection[ThreadId] | None]


class Line:
    """Two daemons on one store: what one says, the other hears."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.pulse, self.other = ThreadPulse(store, clock), ThreadPulse(store, clock)
        self.heard: Heard = []


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    one = Line(store, clock)
    running = asyncio.create_task(one.pulse.run())
    yield one
    running.cancel()
    await store.close()


async def test_what_changes_is_said_at_once_and_then_gathered(line: Line) -> None:
    async with line.other.heard(line.heard.append):
        line.pulse.note(ThreadId("thr_1"))
        await line.clock.settle()
        assert line.heard == [["thr_1"]]
        for _ in range(100):
            line.pulse.note(ThreadId("thr_2"))
            line.pulse.note(ThreadId("thr_1"))
            await line.clock.settle()
        assert len(line.heard) == 1
        await line.clock.advance(PULSE_S)
        assert line.heard[1:] == [["thr_1", "thr_2"]]


async def test_a_turn_is_heard_of_without_anybody_saying_so(line: Line) -> None:
    world = World(line.store, ScriptedProvider(["Yes.<AGENT_DONE/>"]), clock=line.clock, watcher=line.pulse)
    thread = await world.thread()
    async with line.other.heard(line.heard.append):
        await world.ask(thread, "hello")
        await line.clock.advance(2 * PULSE_S)
    assert {one for some in line.heard for one in some or ()} == {thread}


async def test_many_names_come_in_messages_that_fit_and_too_many_as_one_word(line: Line) -> None:
    names = [ThreadId(f"thr_{number:0120}") for number in range(MOST_CHANGED)]
    sizes: list[int] = []
    async with line.store.subscribe(CHANNEL) as raw, line.other.heard(line.heard.append):
        raw.attach(lambda payload: sizes.append(len(payload or b"")))
        for name in names:
            line.pulse.note(name)
        await line.clock.settle()
        assert sorted(one for some in line.heard for one in some or ()) == names
        assert max(sizes) <= MAX_PUBLISH_BYTES
        line.heard.clear()
        for number in range(MOST_CHANGED + 5):
            line.pulse.note(ThreadId(f"thr_{number}"))
        await line.clock.advance(PULSE_S)
        assert line.heard == [None]


async def test_the_end_of_the_store_is_told_as_something_missed(line: Line) -> None:
    async with line.other.heard(line.heard.append):
        await line.store.close()
        assert line.heard == [None]
