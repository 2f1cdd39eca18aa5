"""The alarm of schedules, by the real clock and by one that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sulla.core.clock import Clock
from sulla.host.system import SystemClock
from sulla.schedules.timer import Timer
from sulla.testing.clock import ManualClock
from tests.soon import attempts

CLOCK = SystemClock()
PATIENCE_S = 50.0


class Bell:
    def __init__(self) -> None:
        self.rings: list[float] = []
        self.rang = asyncio.Event()

    def ring(self) -> None:
        self.rings.append(CLOCK.now())
        self.rang.set()

    async def wait(self) -> float:
        async with CLOCK.timeout(PATIENCE_S):
            await self.rang.wait()
        self.rang.clear()
        return self.rings[-1]


@asynccontextmanager
async def ringing(clock: Clock = CLOCK) -> AsyncIterator[tuple[Timer, Bell]]:
    bell = Bell()
    timer = Timer(clock, bell.ring)
    running = asyncio.ensure_future(timer.run())
    try:
        yield timer, bell
    finally:
        running.cancel()
        await asyncio.wait((running,))


async def test_it_rings_at_its_time_and_once() -> None:
    async with ringing() as (timer, bell):
        for late_s in attempts(2.0):
            timer.set(CLOCK.now() + 600)
            timer.set(at_s := CLOCK.now() + 0.1)  # in the place of the other one
            late_s.append(await bell.wait() - at_s)
            assert late_s[-1] >= 0
        assert len(bell.rings) == len(late_s)


async def test_what_is_over_rings_at_once_however_late() -> None:
    async with ringing() as (timer, bell):
        timer.set(CLOCK.now() - 86_400)
        await bell.wait()
        timer.set(CLOCK.now() - 1)
        await bell.wait()
        assert len(bell.rings) == 2


async def test_it_can_be_told_not_to_ring() -> None:
    async with ringing() as (timer, bell), ringing() as (other, later):
        for took in attempts(0.5):  # before it rings, that is
            bell.rings.clear()
            began_s = CLOCK.elapsed()
            timer.set(CLOCK.now() + 1.0)
            timer.set(None)
            timer.set(None)
            took.append(CLOCK.elapsed() - began_s)
        other.set(CLOCK.now() + 1.2)
        await later.wait()
        assert bell.rings == []
        timer.set(CLOCK.now() + 0.05)
        bell.rang.clear()
        await bell.wait()
        assert len(bell.rings) == 1, "told so, it rings again"


async def test_a_time_that_was_set_before_it_runs_is_kept() -> None:
    bell = Bell()
    timer = Timer(CLOCK, bell.ring)
    timer.set(CLOCK.now() - 1)
    running = asyncio.ensure_future(timer.run())
    await bell.wait()
    running.cancel()
    await asyncio.wait((running,))
    assert len(bell.rings) == 1


async def test_it_goes_by_its_clock() -> None:
    manual = ManualClock()
    async with ringing(manual) as (timer, bell):
        timer.set(manual.now() + 60)
        await manual.advance(59)
        assert bell.rings == []
        await manual.advance(1)
        assert len(bell.rings) == 1
        await manual.advance(600)
        assert len(bell.rings) == 1, "once"


async def test_it_is_moved_while_it_waits_to_a_sooner_time_and_to_a_later_one() -> None:
    manual = ManualClock()
    async with ringing(manual) as (timer, bell):
        timer.set(manual.now() + 60)
        await manual.advance(10)
        timer.set(manual.now() + 5)
        await manual.advance(5)
        assert len(bell.rings) == 1
        timer.set(manual.now() + 5)
        await manual.advance(1)
        timer.set(manual.now() + 100)
        await manual.advance(99)
        assert len(bell.rings) == 1
        await manual.advance(1)
        assert len(bell.rings) == 2


async def test_it_may_be_set_anew_from_the_ring_itself() -> None:
    manual, rings = ManualClock(), []

    def ring() -> None:
        rings.append(manual.now())
        timer.set(manual.now() + 10 if len(rings) < 3 else None)

    timer = Timer(manual, ring)
    running = asyncio.ensure_future(timer.run())
    began_s = manual.now()
    timer.set(began_s + 10)
    for _ in range(6):
        await manual.advance(10)
    running.cancel()
    await asyncio.wait((running,))
    assert rings == [began_s + 10, began_s + 20, began_s + 30]
