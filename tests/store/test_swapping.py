"""The one loop over `Store.swap`: nobody's change is lost, and nobody tries for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.memory import MemoryStore
from sulla.store.swapping import PAUSES_S, Swapped, swap_until, try_swaps
from sulla.testing.clock import ManualClock

KEY = "key"


class Contended(MemoryStore):
    """A store in which somebody else adds ten just before a swap, as often as it may; all do a step in turn."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock, lambda prefix: f"{prefix}_1")
        self.rivals = 0
        self.asked: list[str] = []

    async def get(self, key: str) -> bytes | None:
        self.asked.append("get")
        await asyncio.sleep(0)
        return await super().get(key)

    async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
        self.asked.append("swap")
        await asyncio.sleep(0)
        if self.rivals:
            self.rivals -= 1
            await super().put(key, b"%d" % (int(await super().get(key) or 0) + 10))
        return await super().swap(key, old, new, ttl_s)


def one_more(value: bytes | None) -> bytes:
    return b"%d" % (int(value or b"0") + 1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Contended]:
    store = Contended(clock)
    await store.open()
    yield store
    await store.close()


async def test_alone_a_change_takes_one_read_and_one_write(store: Contended, clock: ManualClock) -> None:
    done = await swap_until(KEY, one_more, clock, get=store.get, swap=store.swap)
    assert done == Swapped(b"1", changed=True)
    assert store.asked == ["get", "swap"]
    assert await store.get(KEY) == b"1"


async def test_what_is_known_is_not_read(store: Contended, clock: ManualClock) -> None:
    done = await swap_until(KEY, one_more, clock, get=store.get, swap=store.swap, known=None)
    again = await swap_until(KEY, one_more, clock, get=store.get, swap=store.swap, known=done.value)
    assert again == Swapped(b"2", changed=True)
    assert store.asked == ["swap", "swap"]


async def test_what_is_known_wrongly_is_read_after_all(store: Contended, clock: ManualClock) -> None:
    await store.put(KEY, b"7")
    done = await swap_until(KEY, one_more, clock, get=store.get, swap=store.swap, known=b"5")
    assert done == Swapped(b"8", changed=True)
    assert store.asked == ["swap", "get", "swap"]


async def test_a_change_follows_from_what_others_have_put_there_meanwhile(store: Contended, clock: ManualClock) -> None:
    store.rivals = 3
    done = await swap_until(KEY, one_more, clock, get=store.get, swap=store.swap)
    assert done == Swapped(b"31", changed=True), "three of others and ours"
    assert await store.get(KEY) == b"31"


async def test_a_change_that_finds_nothing_to_do_writes_nothing(store: Contended, clock: ManualClock) -> None:
    store.rivals = 1

    def up_to_ten(value: bytes | None) -> bytes | None:
        return None if value == b"10" else one_more(value)

    await store.put(KEY, b"0")
    done = await swap_until(KEY, up_to_ten, clock, get=store.get, swap=store.swap)
    assert done == Swapped(b"10", changed=False), "somebody else has done it"
    assert store.asked == ["get", "swap", "get"]


async def test_texts_are_changed_as_bytes_are(clock: ManualClock) -> None:
    kept = {KEY: "a"}

    async def get(key: str) -> str | None:
        return kept.get(key)

    async def swap(key: str, old: str | None, new: str) -> bool:
        if kept.get(key) != old:
            return False
        kept[key] = new
        return True

    done = await swap_until(KEY, lambda value: (value or "") + "b", clock, get=get, swap=swap, known="")
    assert (done.value, kept[KEY]) == ("ab", "ab")


async def test_none_of_many_who_change_at_once_is_lost(store: Contended, clock: ManualClock) -> None:
    async def count(number: int) -> None:
        def counted(value: bytes | None) -> bytes:
            # With a mark of its own: to a store, the same number of two callers is the same caller again.
            return b"%b %d" % (one_more((value or b"0").split()[0]), number)

        for _ in range(5):
            await swap_until(KEY, counted, clock, get=store.get, swap=store.swap)

    counting = [asyncio.ensure_future(count(number)) for number in range(12)]
    while not all(one.done() for one in counting):
        await clock.advance(max(PAUSES_S))
    await asyncio.gather(*counting)
    assert ((await store.get(KEY)) or b"").split()[0] == b"60"
    assert store.asked.count("swap") > 60, "nobody came in between, so nothing was seen here"


async def test_who_always_comes_late_pauses_and_is_told_in_the_end(store: Contended, clock: ManualClock) -> None:
    store.rivals = 1_000
    began_s = clock.elapsed()
    changing = asyncio.ensure_future(swap_until(KEY, one_more, clock, get=store.get, swap=store.swap))
    while not changing.done():
        await clock.advance(0.01)
    with pytest.raises(StoreUnavailable, match="tries to change 'key': try again") as raised:
        await changing
    assert raised.value.retry_after_s == 1.0
    tries = len(PAUSES_S) + 1
    assert store.asked == ["get", "swap"] * tries
    assert await store.get(KEY) == b"%d0" % tries, "only the others' changes are there"
    assert clock.elapsed() - began_s == pytest.approx(sum(PAUSES_S), abs=0.011 * tries)


async def test_who_tries_again_by_itself_is_told_without_an_error(store: Contended, clock: ManualClock) -> None:
    store.rivals = 1_000
    keeping = try_swaps(KEY, one_more, clock, get=store.get, swap=store.swap, known=None, pauses_s=(0.0, 0.0))
    assert await keeping is None
    assert store.asked == ["swap", "get", "swap", "get", "swap"]


async def test_a_store_that_is_away_is_said_at_once(store: Contended, clock: ManualClock) -> None:
    await store.close()
    with pytest.raises(StoreUnavailable, match="open"):
        await swap_until(KEY, one_more, clock, get=store.get, swap=partial(store.swap, ttl_s=1.0))
    assert store.asked == ["get"]
