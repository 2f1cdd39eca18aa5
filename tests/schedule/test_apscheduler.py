"""The real library, by the real clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sulla.core.clock import Clock
from sulla.daemon.schedules import LazyTimer
from sulla.host.system import SystemClock
from sulla.schedule import Timer
from sulla.schedule.apscheduler import ApsTimer
from sulla.testing.clock import ManualClock
from sulla.testing.timer import ClockTimer
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
async def ringing(timer: Timer) -> AsyncIterator[Bell]:
    bell = Bell()
    timer.open(bell.ring)
    try:
        yield bell
    finally:
        timer.close()


async def test_it_rings_at_its_time_and_once() -> None:
    async with ringing(timer := ApsTimer()) as bell:
        for late_s in attempts(2.0):
            timer.set(CLOCK.now() + 600)
            timer.set(at_s := CLOCK.now() + 0.1)  # in the place of the other one
            late_s.append(await bell.wait() - at_s)
            assert late_s[-1] >= 0
        assert len(bell.rings) == len(late_s)


async def test_what_is_over_rings_at_once_however_late() -> None:
    async with ringing(timer := ApsTimer()) as bell:
        timer.set(CLOCK.now() - 86_400)
        await bell.wait()
        timer.set(CLOCK.now() - 1)
        await bell.wait()
        assert len(bell.rings) == 2


async def test_it_can_be_told_not_to_ring() -> None:
    async with ringing(timer := ApsTimer()) as bell, ringing(other := ApsTimer()) as later:
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


async def test_the_library_comes_with_the_first_time_that_is_set() -> None:
    async with ringing(timer := LazyTimer()) as bell:
        timer.set(None)
        assert timer._timer is None
        timer.set(CLOCK.now() + 0.05)
        await bell.wait()
        assert isinstance(timer._timer, ApsTimer)


async def test_one_that_was_closed_while_it_loads_is_left_alone() -> None:
    async with ringing(timer := LazyTimer()):
        timer.set(CLOCK.now())
    async with CLOCK.timeout(PATIENCE_S):
        await asyncio.to_thread(int)
    assert timer._timer is None


async def test_the_double_goes_by_its_clock() -> None:
    clock: Clock = (manual := ManualClock())
    async with ringing(timer := ClockTimer(clock)) as bell:
        timer.set(manual.now() + 60)
        await manual.advance(59)
        assert bell.rings == []
        await manual.advance(1)
        assert len(bell.rings) == 1
