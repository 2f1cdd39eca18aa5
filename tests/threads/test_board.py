"""What is so of threads, for whoever watches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.board import HEAL_S, RETRY_S, Look, ThreadBoard
from sulla.threads.pulse import PULSE_S, ThreadPulse

DONE = "Yes.<AGENT_DONE/>"


class Hall:
    """A board of the threads in which something waits."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.pulse = ThreadPulse(store, clock)
        self.world = World(store, ScriptedProvider([DONE] * 20), clock=clock, watcher=self.pulse)
        self.read: list[str] = []
        self.away = False
        self.board = ThreadBoard(store, self.pulse, clock, self._describe, (Look(ready=True),), 3)

    async def _describe(self, info: LogInfo) -> Json:
        if self.away:
            raise StoreUnavailable("the store does not answer")
        self.read.append(info.key)
        return info.last_seq if info.ready else None

    async def waits(self) -> ThreadId:
        """A thread with a message that nobody has taken up."""
        thread = await self.world.thread()
        await self.world.send(thread, "hello")
        return thread


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    one = Hall(store, clock)
    tasks = [asyncio.create_task(one.pulse.run()), asyncio.create_task(one.board.run())]
    yield one
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await store.close()


async def test_nothing_is_read_while_nobody_watches(hall: Hall) -> None:
    await hall.waits()
    await hall.clock.advance(10 * HEAL_S)
    assert hall.read == []


async def test_who_watches_has_what_is_so_and_what_becomes_of_it(hall: Hall) -> None:
    first = await hall.waits()
    with hall.board.watch() as news:
        await hall.clock.advance(PULSE_S)
        assert list(hall.board.rows) == [first]
        news.clear()
        second = await hall.waits()
        await hall.clock.advance(2 * PULSE_S)
        assert news.is_set()
        assert set(hall.board.rows) == {first, second}
        news.clear()
        await hall.world.turns.attend(first)
        await hall.clock.advance(2 * PULSE_S)
        assert news.is_set()
        assert list(hall.board.rows) == [second]


async def test_only_heads_that_have_changed_are_read(hall: Hall) -> None:
    await hall.waits()
    with hall.board.watch():
        await hall.clock.advance(PULSE_S)
        hall.read.clear()
        second = await hall.waits()
        await hall.clock.advance(4 * PULSE_S)
        assert set(hall.read) == {second}


async def test_a_lost_word_is_made_up_for_within_the_time_that_heals(hall: Hall) -> None:
    thread = await hall.waits()
    quiet = World(hall.store, ScriptedProvider([DONE]), clock=hall.clock, boot=2)
    with hall.board.watch() as news:
        await hall.clock.advance(PULSE_S)
        await hall.clock.advance(4 * PULSE_S)
        news.clear()
        await quiet.turns.attend(thread)  # a daemon that says nothing
        await hall.clock.advance(PULSE_S)
        assert list(hall.board.rows) == [thread]
        await hall.clock.advance(HEAL_S + PULSE_S)
        assert news.is_set()
        assert dict(hall.board.rows) == {}


async def test_no_more_rows_than_may_be_and_that_is_said(hall: Hall) -> None:
    made = [await hall.waits() for _ in range(5)]
    await hall.board.read()
    assert (len(hall.board.rows), hall.board.more) == (3, True)
    for thread in made[:3]:
        await hall.world.turns.attend(thread)
    await hall.board.read()
    assert (len(hall.board.rows), hall.board.more) == (2, False)


async def test_a_store_that_is_away_ends_nothing(hall: Hall) -> None:
    with hall.board.watch() as news:
        await hall.clock.advance(PULSE_S)
        hall.away = True
        thread = await hall.waits()
        await hall.clock.advance(3 * PULSE_S)
        news.clear()
        hall.away = False
        await hall.clock.advance(RETRY_S + PULSE_S)
        assert news.is_set()
        assert list(hall.board.rows) == [thread]
