"""The promise of time, as `ManualClock` keeps it: the order that tests of timing rely on."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.testing.clock import ManualClock

DELAYS = st.lists(st.integers(0, 20), max_size=8)


async def test_time_stands_still_by_itself(manual_clock: ManualClock) -> None:
    before = (manual_clock.now(), manual_clock.elapsed())
    await manual_clock.settle()
    assert (manual_clock.now(), manual_clock.elapsed()) == before


async def test_advance_moves_both_times_alike(manual_clock: ManualClock) -> None:
    now, elapsed = manual_clock.now(), manual_clock.elapsed()
    await manual_clock.advance(2.5)
    assert (manual_clock.now() - now, manual_clock.elapsed() - elapsed) == (2.5, 2.5)


async def test_a_jump_of_the_wall_clock_is_no_passing_of_time(manual_clock: ManualClock) -> None:
    now, elapsed = manual_clock.now(), manual_clock.elapsed()
    async with asyncio.TaskGroup() as group:
        sleeper = group.create_task(manual_clock.sleep(1))
        await manual_clock.settle()
        manual_clock.jump(-3600)
        await manual_clock.settle()
        assert not sleeper.done()
        assert (manual_clock.now() - now, manual_clock.elapsed() - elapsed) == (-3600, 0)
        await manual_clock.advance(1)
        assert sleeper.done()


@given(DELAYS)
def test_sleepers_wake_in_the_order_of_their_deadlines_and_at_them(delays: list[int]) -> None:
    async def scene() -> None:
        clock, woken = ManualClock(), list[tuple[int, int]]()
        began = clock.elapsed()

        async def sleeper(number: int, seconds: int) -> None:
            await clock.sleep(seconds)
            woken.append((number, round(clock.elapsed() - began)))

        async with asyncio.TaskGroup() as group:
            for number, seconds in enumerate(delays):
                group.create_task(sleeper(number, seconds))
            await clock.advance(20)
        order = sorted(enumerate(delays), key=lambda one: one[1])
        assert woken == [(number, seconds) for number, seconds in order]
        assert clock.elapsed() - began == 20

    asyncio.run(scene())


async def test_a_sleep_that_begins_on_the_way_ends_on_the_way(manual_clock: ManualClock) -> None:
    began, woken = manual_clock.elapsed(), list[float]()

    async def three_naps() -> None:
        for _ in range(3):
            await manual_clock.sleep(1)
            woken.append(manual_clock.elapsed() - began)

    async with asyncio.TaskGroup() as group:
        group.create_task(three_naps())
        await manual_clock.advance(2.5)
        assert woken == [1, 2]
        await manual_clock.advance(0.5)
        assert woken == [1, 2, 3]


async def test_nobody_wakes_too_early(manual_clock: ManualClock) -> None:
    async with asyncio.TaskGroup() as group:
        sleeper = group.create_task(manual_clock.sleep(1))
        await manual_clock.advance(0.999)
        assert not sleeper.done()
        await manual_clock.advance(0.001)
        assert sleeper.done()


async def test_a_sleeper_that_is_cancelled_does_not_count(manual_clock: ManualClock) -> None:
    async with asyncio.TaskGroup() as group:
        sleeper = group.create_task(manual_clock.sleep(5))
        await manual_clock.settle()
        assert manual_clock.sleepers == 1
        sleeper.cancel()
        await manual_clock.settle()
        assert manual_clock.sleepers == 0
    await manual_clock.advance(5)


async def test_a_block_that_takes_too_long_is_cut(manual_clock: ManualClock) -> None:
    reached = list[str]()

    async def slow() -> None:
        async with manual_clock.timeout(3):
            reached.append("in")
            await manual_clock.sleep(10)
            reached.append("never")

    async def waiting() -> None:
        with pytest.raises(TimeoutError):
            await slow()
        reached.append("out")

    async with asyncio.TaskGroup() as group:
        group.create_task(waiting())
        await manual_clock.advance(2.9)
        assert reached == ["in"]
        await manual_clock.advance(0.2)
        assert reached == ["in", "out"]


async def test_a_block_that_ends_in_time_leaves_nothing_behind(manual_clock: ManualClock) -> None:
    async with manual_clock.timeout(3):
        await manual_clock.settle()
    await manual_clock.settle()
    assert manual_clock.sleepers == 0
    await manual_clock.advance(10)


async def test_a_cut_from_outside_is_no_timeout(manual_clock: ManualClock) -> None:
    async def slow() -> None:
        async with manual_clock.timeout(3):
            await manual_clock.sleep(10)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(slow())
        await manual_clock.advance(1)
        task.cancel()
        await manual_clock.settle()
        assert task.cancelled()
