"""The day's account of several homes when writes race or get lost, and what it costs to keep it."""

from __future__ import annotations

import logging

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.daemon.day_account import EVERY_S, KEY, REST_S
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from tests.daemon.shared.accounts import clock, counting, kept_in, memory, opened, pass_time

__all__ = ["clock", "memory"]


async def test_a_value_that_was_lost_is_there_again_soon(memory: MemoryStore, clock: ManualClock) -> None:
    one, two = [await opened(name, memory, clock) for name in ("one", "two")]
    one.settle(100)
    two.settle(200)
    await pass_time(clock, one, two)
    await memory.remove(KEY)
    for _ in range(2):
        await pass_time(clock, one, two, seconds=REST_S)
        await pass_time(clock, one, two)
    assert (one.used, two.used) == (300, 300)


async def test_a_write_that_lost_the_race_is_made_again_at_once(memory: MemoryStore, clock: ManualClock) -> None:
    shared = counting(memory)
    one, two = await opened("one", shared, clock), await opened("two", memory, clock)

    async def first() -> None:
        shared.before_swap = None
        two.settle(200)
        await two.account.keep()

    shared.before_swap = first
    one.settle(100)
    await one.account.keep()
    assert {name: part["tokens"] for name, part in (await kept_in(memory)).items()} == {"one": 100, "two": 200}
    assert one.used == 300
    assert shared.asked == ["get", "swap", "get", "swap"]


async def test_a_write_whose_answer_was_lost_counts_once(memory: MemoryStore, clock: ManualClock) -> None:
    lost = 0

    async def plan(touch: Touch) -> None:
        nonlocal lost
        if touch.phase == "after" and touch.method == "swap" and not lost:
            lost += 1
            raise StoreUnavailable("the answer got lost")

    one = await opened("one", FaultyStore(memory, plan), clock)
    one.settle(100)
    with pytest.raises(StoreUnavailable):
        await one.account.keep()
    one.settle(5)
    await pass_time(clock, one)
    other = await opened("two", memory, clock)
    assert (lost, one.used, other.used) == (1, 105, 105)


async def test_while_nothing_changes_nothing_is_written_and_seldom_read(
    memory: MemoryStore, clock: ManualClock
) -> None:
    shared = counting(memory)
    one, two = await opened("one", shared, clock), await opened("two", memory, clock)
    one.settle(1)
    two.settle(1)
    await pass_time(clock, two, one)
    shared.asked.clear()
    for _ in range(round(10 * REST_S / EVERY_S)):
        await pass_time(clock, one)
    assert shared.asked == ["get"] * 10


async def test_alone_a_home_writes_with_one_question_and_reads_nothing_more(
    memory: MemoryStore, clock: ManualClock
) -> None:
    shared = counting(memory)
    one = await opened("one", shared, clock)
    shared.asked.clear()
    for _ in range(30):
        one.reserve("x", 10)
        one.settle(1, "x")
        await pass_time(clock, one)
    assert shared.asked == ["swap"] * 30


async def test_a_part_of_another_that_cannot_be_read_is_said_once_and_left_alone(
    memory: MemoryStore, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    await memory.put(KEY, b'{"homes": {"strange": {"day": "later"}}}')
    with caplog.at_level(logging.ERROR):
        one = await opened("one", memory, clock)
        two = await opened("two", memory, clock)
        for _ in range(3):
            one.settle(1)
            two.settle(1)
            await pass_time(clock, one, two)
    assert caplog.text.count("what the home 'strange' used today cannot be read") == 2, "once by each"
    assert (await kept_in(memory))["strange"] == {"day": "later"}


async def test_more_homes_than_are_told_apart_are_all_counted_and_one_that_comes_back_once(
    memory: MemoryStore, clock: ManualClock
) -> None:
    homes = []
    for number in range(70):
        home = await opened(f"home{number}", memory, clock)
        home.settle(10)
        await pass_time(clock, home)
        homes.append(home)
    assert "home0" not in await kept_in(memory)
    homes[0].settle(5)
    for _ in range(2):
        await pass_time(clock, *homes, seconds=REST_S)
        await pass_time(clock, *homes)
    assert {home.used for home in homes} == {705}
    assert (await opened("home0", memory, clock, "2")).used == 705
