from __future__ import annotations

import asyncio

import pytest

from sulla.gateway.outbox import Outbox, TooSlow
from sulla.testing.clock import ManualClock

STALL_S = 6.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def outbox(clock: ManualClock) -> Outbox:
    return Outbox(clock, limit_bytes=10, stall_s=STALL_S)


async def test_frames_come_out_as_they_went_in(outbox: Outbox) -> None:
    await outbox.put(b"a")
    await outbox.put(b"b")
    assert [await outbox.take(), await outbox.take()] == [b"a", b"b"]


async def test_who_takes_waits_for_something(outbox: Outbox, clock: ManualClock) -> None:
    async with asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(outbox.take())
        await clock.settle()
        assert not taking.done()
        await outbox.put(b"a")
    assert taking.result() == b"a"


async def test_who_puts_waits_while_it_is_full(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    async with asyncio.TaskGroup() as tasks:
        putting = [tasks.create_task(outbox.put(b"y" * 10)) for _ in range(3)]
        await clock.settle()
        assert not any(task.done() for task in putting)
        taken = [await outbox.take()]
        await clock.settle()
        assert sum(task.done() for task in putting) == 1
        taken += [await outbox.take() for _ in range(3)]
    assert taken == [b"x" * 10, *[b"y" * 10] * 3]


async def test_who_waits_too_long_is_told(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    putting = asyncio.ensure_future(outbox.put(b"y"))
    await clock.advance(STALL_S - 0.1)
    assert not putting.done()
    await clock.advance(0.2)
    with pytest.raises(TooSlow, match="10 bytes wait"):
        await putting


async def test_a_slow_client_that_takes_something_now_and_then_is_served(outbox: Outbox, clock: ManualClock) -> None:
    for _ in range(9):
        await outbox.put(b"x")
    await outbox.put(b"x" * 100)
    async with asyncio.TaskGroup() as tasks:
        putting = tasks.create_task(outbox.put(b"y"))
        for _ in range(9):
            await clock.advance(STALL_S * 0.9)
            assert not putting.done()
            await outbox.take()
        await outbox.take()
    assert await outbox.take() == b"y"


async def test_after_the_end_what_waits_is_still_taken_and_nothing_is_added(outbox: Outbox) -> None:
    await outbox.put(b"a")
    outbox.finish()
    await outbox.put(b"b")
    assert [await outbox.take(), await outbox.take(), await outbox.take()] == [b"a", None, None]


async def test_the_end_wakes_everybody(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.put(b"y"))
        await clock.settle()
        outbox.finish()
    assert [await outbox.take(), await outbox.take()] == [b"x" * 10, None]
