"""Several homes over one store: each keeps its own part of the day's account, and all of them count at each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import LimitReached
from sulla.daemon.day_account import EVERY_S, REST_S
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.redis.store import RedisStore
from sulla.testing.clock import ManualClock
from tests.daemon.shared.accounts import clock, kept_in, memory, opened, pass_time
from tests.servers.stores.redis import RedisServer, redis_server

__all__ = ["clock", "memory", "redis_server"]

DAY_S = 86_400.0


@pytest.fixture(params=["memory", "redis"])
async def store(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Store]:
    made: Store
    if request.param == "memory":
        made = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    else:
        server: RedisServer = request.getfixturevalue("redis_server")
        made = RedisStore(server.new_url(), clock, lambda prefix: f"{prefix}_red")
    await made.open()
    yield made
    await made.close()


async def test_two_homes_cannot_use_more_than_the_day_has(store: Store, clock: ManualClock) -> None:
    one, two = [await opened(name, store, clock) for name in ("one", "two")]
    one.settle(400)
    await pass_time(clock, one, two)
    two.settle(500)
    await pass_time(clock, one, two)
    await pass_time(clock, one, two, seconds=REST_S)
    assert (one.used, two.used) == (900, 900)
    for home in (one, two):
        with pytest.raises(LimitReached, match="used 900 tokens"):
            home.reserve("x", 101)
    kept = await kept_in(store)
    assert {name: part["tokens"] for name, part in kept.items()} == {"one": 400, "two": 500}


async def test_what_one_sets_aside_the_other_cannot_have_a_second_later(store: Store, clock: ManualClock) -> None:
    one, two = [await opened(name, store, clock) for name in ("one", "two")]
    two.reserve("mine", 100)
    await pass_time(clock, one, two)
    one.reserve("large", 850)
    await pass_time(clock, one, two)
    with pytest.raises(LimitReached, match="used 950 tokens"):
        two.reserve("more", 51)
    one.settle(10, "large")
    await pass_time(clock, one, two)
    two.reserve("more", 51)


async def test_a_restart_takes_its_own_part_and_counts_the_other(store: Store, clock: ManualClock) -> None:
    one, two = [await opened(name, store, clock) for name in ("one", "two")]
    one.settle(300)
    await pass_time(clock, one, two)
    two.settle(200)
    await pass_time(clock, one, two)
    again = await opened("one", store, clock, "2")
    assert again.used == 500
    assert again.ledger.to_json()["tokens"] == 300
    again.settle(50)
    await pass_time(clock, again, two)
    kept = await kept_in(store)
    assert {name: part["tokens"] for name, part in kept.items()} == {"one": 350, "two": 200}


async def test_of_twenty_that_write_at_once_none_is_overwritten(store: Store, clock: ManualClock) -> None:
    homes = [await opened(f"home{number}", store, clock) for number in range(20)]
    for round_ in range(3):
        for number, home in enumerate(homes):
            home.settle(number)
        for _ in range(20):  # whoever lost too often tries again at the next tick
            await clock.advance(EVERY_S)
            await asyncio.gather(*(home.account.tick() for home in homes))
        kept = await kept_in(store)
        assert {name: part["tokens"] for name, part in kept.items()} == {
            f"home{number}": number * (round_ + 1) for number in range(20)
        }
    await pass_time(clock, *homes, seconds=REST_S)
    assert {home.used for home in homes} == {3 * 190}


async def test_a_kill_after_the_kept_reservation_leaves_it_set_aside_until_whoever_takes_it_up_settles_it(
    store: Store, clock: ManualClock
) -> None:
    gone, heir = [await opened(name, store, clock) for name in ("gone", "heir")]
    gone.reserve("cut", 300)
    await pass_time(clock, gone, heir)
    heir.settle(1)
    await pass_time(clock, heir)
    assert heir.used == 301
    heir.settle(300, "cut")
    await pass_time(clock, heir)
    assert heir.used == 301
    back = await opened("gone", store, clock, "2")
    assert back.used == 301
    await pass_time(clock, back)
    assert (await kept_in(store))["gone"]["open"] == {}


async def test_a_kill_before_the_reservation_is_kept_charges_whoever_takes_it_up(
    memory: MemoryStore, clock: ManualClock
) -> None:
    gone, heir = [await opened(name, memory, clock) for name in ("gone", "heir")]
    gone.reserve("cut", 300)
    await pass_time(clock, heir)
    heir.settle(300, "cut")
    await pass_time(clock, heir)
    assert (await opened("gone", memory, clock, "2")).used == 300


async def test_what_a_home_that_is_gone_had_counts_until_the_day_ends(memory: MemoryStore, clock: ManualClock) -> None:
    gone, other = [await opened(name, memory, clock) for name in ("gone", "other")]
    gone.settle(200)
    gone.reserve("cut", 300)
    await pass_time(clock, gone)
    await pass_time(clock, other, seconds=REST_S)
    assert other.used == 500
    to_midnight_s = DAY_S - clock.now() % DAY_S
    await pass_time(clock, other, seconds=to_midnight_s - 1)
    assert other.used == 500
    await pass_time(clock, other)
    assert other.used == 0


async def test_a_call_that_is_under_way_at_midnight_counts_for_the_others_on_the_new_day(
    memory: MemoryStore, clock: ManualClock
) -> None:
    await clock.advance(DAY_S - clock.now() % DAY_S - 5)
    one, two = [await opened(name, memory, clock) for name in ("one", "two")]
    one.settle(200)
    one.reserve("late", 300)
    await pass_time(clock, one, two)
    await pass_time(clock, one, two, seconds=10)
    await pass_time(clock, one, two, seconds=REST_S)
    assert (one.used, two.used) == (300, 300)


async def test_a_clock_that_was_set_back_gives_no_home_a_day_anew(memory: MemoryStore, clock: ManualClock) -> None:
    one, two = [await opened(name, memory, clock) for name in ("one", "two")]
    one.settle(400)
    await pass_time(clock, one)
    two.settle(300)
    await pass_time(clock, two)
    back = ManualClock(clock.now() - DAY_S / 2)
    for name in ("one", "two"):
        assert (await opened(name, memory, back, "2")).used == 700
