"""A faulty store is a store, and its plan hears of everything that changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Phase, Touch, at_record
from tests.kits.store_appends import AppendsKit
from tests.kits.store_finding import FindKit
from tests.kits.store_leases import DeletesKit, LeasesKit
from tests.kits.store_offers import OffersKit, ReadsKit
from tests.kits.store_values import BusKit, ValuesKit
from tests.kits.store_world import (
    DIGEST,
    IDLE,
    KEY,
    ME,
    TTL_S,
    ManualWorld,
    StoreWorld,
    draft,
    kinds,
    make,
    send,
    take,
    write,
)


async def _no_fault(touch: Touch) -> None:
    """Nothing happens."""


class TestFaultyStore(OffersKit, ReadsKit, LeasesKit, DeletesKit, AppendsKit, FindKit, ValuesKit, BusKit):
    """Without a fault it does what the inner one does."""

    @pytest.fixture
    def world(self) -> StoreWorld:
        inner: list[Store] = []

        def make_store(clock: ManualClock, make_id: Callable[[str], str]) -> Store:
            if not inner:
                inner.append(MemoryStore(clock, make_id))
            return FaultyStore(inner[0], _no_fault)

        return ManualWorld(make_store)


@pytest.fixture
async def inner() -> Store:
    store = MemoryStore(ManualClock(), str)
    await store.open()
    return store


def _breaking(phase: Phase) -> Callable[[], Awaitable[None]]:
    async def act() -> None:
        raise StoreUnavailable(f"the fault {phase} it")

    return act


async def test_the_plan_hears_of_each_change_before_and_after(inner: Store) -> None:
    heard: list[Touch] = []

    async def plan(touch: Touch) -> None:
        heard.append(touch)

    store = FaultyStore(inner, plan)
    await make(store)
    lease = (await take(store)).lease
    await store.renew(lease)
    await write(store, lease, 1, "A", "B")
    await store.release(lease)
    assert await store.acquire("nothing", ME, TTL_S) is None
    await store.delete((await take(store)).lease)
    await store.put("key", b"value", 1.0)
    assert await store.swap("key", b"value", b"new", 1.0) is True
    assert await store.swap("key", b"value", b"newer", 1.0) is False
    await store.remove("key")
    for call in (store.ping(), store.incarnation(), store.read(KEY), store.head(KEY), store.find(), store.get("key")):
        await call
    changes = [
        ("offer", KEY, ("CREATED",)), ("acquire", KEY, ()), ("renew", KEY, ()), ("append", KEY, ("A", "B")),
        ("release", KEY, ()), ("acquire", "nothing", ()), ("acquire", KEY, ()), ("delete", KEY, ()), ("put", "key", ()),
        ("swap", "key", ()), ("swap", "key", ()), ("remove", "key", ()),
    ]  # fmt: skip
    told = [(touch.phase, touch.method, touch.key, touch.kinds) for touch in heard]
    assert told == [(phase, *change) for change in changes for phase in ("before", "after")]


async def test_a_fault_before_keeps_nothing(inner: Store) -> None:
    await make(inner)
    lease = (await take(inner)).lease
    store = FaultyStore(inner, at_record("B", 1, "before", _breaking("before")))
    with pytest.raises(StoreUnavailable, match="before"):
        await write(store, lease, 1, "A", "B")
    assert await kinds(inner) == ["CREATED"]
    assert await write(store, lease, 1, "A", "B") == 3, "the fault happens once"


async def test_a_fault_after_keeps_all_and_the_caller_does_not_know(inner: Store) -> None:
    await make(inner)
    lease = (await take(inner)).lease
    store = FaultyStore(inner, at_record("B", 1, "after", _breaking("after")))
    with pytest.raises(StoreUnavailable, match="after"):
        await write(store, lease, 1, "A", "B")
    assert await kinds(inner) == ["CREATED", "A", "B"]
    assert await write(store, lease, 1, "A", "B") == 3
    assert await kinds(inner) == ["CREATED", "A", "B"]


@pytest.mark.parametrize("nth", [1, 2, 4])
async def test_the_nth_record_of_a_kind_is_met_wherever_it_comes_from(inner: Store, nth: int) -> None:
    store = FaultyStore(inner, at_record("INPUT", nth, "before", _breaking("before")))
    await make(store)
    for n in range(1, nth):
        await send(store, f"m{n}")
    with pytest.raises(StoreUnavailable):
        await send(store, f"m{nth}")
    assert await kinds(inner) == ["CREATED", *["INPUT"] * (nth - 1)]


async def test_records_that_come_together_are_counted_one_by_one(inner: Store) -> None:
    acted: list[str] = []

    async def act() -> None:
        acted.append("now")

    await make(inner)
    lease = (await take(inner)).lease
    store = FaultyStore(inner, at_record("A", 3, "after", act))
    await write(store, lease, 1, "A", "B", "A")
    assert acted == []
    await store.append(lease, 2, [draft("B"), draft("A"), draft("A")], IDLE, 0)
    assert acted == ["now"]
    await store.offer(KEY, "m", draft("A"), digest=DIGEST)
    assert acted == ["now"]
