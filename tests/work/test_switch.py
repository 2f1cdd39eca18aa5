"""The kill switch: turned once for each wish, kept, and followed by every daemon on the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, LogInfo
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from sulla.work.pauses import KEY, WorkPause
from sulla.work.switch import POLL_S, WorkSwitch


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[MemoryStore]:
    made = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


@asynccontextmanager
async def following(switch: WorkSwitch, clock: ManualClock) -> AsyncIterator[list[WorkPause | None]]:
    """What a daemon hears of it."""
    heard: list[WorkPause | None] = []
    switch.on_change(heard.append)
    await switch.open()
    task = asyncio.ensure_future(switch.run())
    await clock.settle()
    yield heard
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def kinds(store: MemoryStore) -> list[str]:
    return [record.kind for record in await store.read(KEY)]


async def test_a_pause_is_kept_and_the_next_boot_finds_it(store: MemoryStore, clock: ManualClock) -> None:
    pause = await WorkSwitch(store, clock).pause("owner", "lunch")
    assert pause == WorkPause(round(clock.now() * 1000), "owner", "lunch")
    later = WorkSwitch(store, clock)
    heard: list[WorkPause | None] = []
    later.on_change(heard.append)
    await later.open()
    assert (later.current, later.holds(), heard) == (pause, True, [pause])
    assert later.trouble() == pause.text()


async def test_every_daemon_hears_of_it_at_once_and_once(store: MemoryStore, clock: ManualClock) -> None:
    here, there = WorkSwitch(store, clock), WorkSwitch(store, clock)
    async with following(here, clock) as heard_here, following(there, clock) as heard_there:
        pause = await here.pause("owner")
        await clock.settle()  # no time has passed
        assert heard_here == heard_there == [pause]
        await there.resume("ci")
        await clock.settle()
        assert heard_here == heard_there == [pause, None]
        assert (here.current, here.trouble()) == (None, "")
        await clock.advance(10 * POLL_S)
        assert len(heard_here) == 2


async def test_a_daemon_that_was_not_woken_looks_within_half_a_second(store: MemoryStore, clock: ManualClock) -> None:
    class Mute(FaultyStore):
        def publish(self, channel: str, payload: bytes) -> None:
            """Nobody hears anything."""

    async def nothing(touch: Touch) -> None:
        """Nothing is in the way."""

    switch = WorkSwitch(store, clock)
    async with following(switch, clock) as heard:
        pause = await WorkSwitch(Mute(store, nothing), clock).pause("owner")
        assert heard == []
        await clock.advance(0.5)
        assert heard == [pause]


async def test_asking_again_changes_nothing(store: MemoryStore, clock: ManualClock) -> None:
    switch = WorkSwitch(store, clock)
    await switch.resume("owner")
    assert await kinds(store) == []
    first = await switch.pause("owner", "first")
    await clock.advance(60)
    assert await switch.pause("ci", "second") == first
    assert await kinds(store) == ["PAUSED"]
    await switch.resume("owner")
    await switch.resume("owner")
    assert await kinds(store) == ["PAUSED", "RESUMED"]
    assert (await switch.pause("ci")).by == "ci"


async def test_two_who_pause_at_the_same_moment_pause_once(store: MemoryStore, clock: ManualClock) -> None:
    here, there = WorkSwitch(store, clock), WorkSwitch(store, clock)
    one, other = await asyncio.gather(here.pause("a"), there.pause("b"))
    assert one == other
    assert await kinds(store) == ["PAUSED"]
    await asyncio.gather(here.resume("a"), there.resume("b"))
    assert await kinds(store) == ["PAUSED", "RESUMED"]


async def test_the_log_is_no_work(store: MemoryStore, clock: ManualClock) -> None:
    await WorkSwitch(store, clock).pause("owner")
    assert await store.find(ready=True) == []


async def test_a_record_that_cannot_be_read_stands_for_a_pause_until_somebody_turns_it(
    store: MemoryStore, clock: ManualClock
) -> None:
    switch = WorkSwitch(store, clock)
    await switch.pause("owner")
    await switch.resume("owner")
    await store.offer(KEY, "damage", Draft("PAUSED", b"?"), digest=b"", wakes=False)
    broken = WorkSwitch(store, clock)
    async with following(broken, clock) as heard:
        assert broken.holds()
        assert "nothing is worked on, because system:switch record 3" in broken.trouble()
        await broken.resume("owner")
        assert (broken.holds(), broken.trouble(), heard[-1]) == (False, "", None)
    await store.offer(KEY, "damage 2", Draft("RESUMED", b"?"), digest=b"", wakes=False)
    assert (await WorkSwitch(store, clock).pause("ci", "to be sure")).by == "ci"


async def test_while_the_store_is_away_the_last_word_holds(
    store: MemoryStore, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Away(MemoryStore):
        away = False

        async def head(self, key: str) -> LogInfo | None:
            if self.away:
                raise StoreUnavailable("gone")
            return await super().head(key)

    flaky = Away(clock, lambda prefix: f"{prefix}_mem")
    await flaky.open()
    switch = WorkSwitch(flaky, clock)
    async with following(switch, clock) as heard:
        pause = await switch.pause("owner")
        flaky.away = True
        await clock.advance(60)
        assert (heard, switch.holds()) == ([pause], True)
        assert caplog.text.count("the kill switch stays as it was") == 1
        with pytest.raises(StoreUnavailable):
            await switch.resume("owner")
        flaky.away = False
        await switch.resume("owner")
        assert heard == [pause, None]
    await flaky.close()


async def test_work_without_end_is_cancelled_for_each_pause_and_begun_anew(
    store: MemoryStore, clock: ManualClock
) -> None:
    switch, log = WorkSwitch(store, clock), list[str]()

    async def work() -> None:
        log.append("begins")
        try:
            await asyncio.Event().wait()
        finally:
            log.append("ends")

    await switch.pause("owner")
    task = asyncio.ensure_future(switch.while_on(work))
    await clock.settle()
    assert log == []
    await switch.resume("owner")
    await clock.settle()
    assert log == ["begins"]
    await switch.pause("owner")
    await clock.settle()
    assert log == ["begins", "ends"]
    await switch.resume("owner")
    await clock.settle()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert log == ["begins", "ends", "begins", "ends"]
