"""A lease that a store gave while its answer was lost stands in nobody's way, on each kind of store alike."""

from __future__ import annotations

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Grant, Head
from sulla.testing.clock import ManualClock
from sulla.threads.given_back import GivenBack
from sulla.threads.taking import LeaseTaker

KEY = ThreadId("thr_1")
TTL_S = 30.0


class Forgetful(MemoryStore):
    """Gives leases, and loses some of the answers."""

    losses: tuple[bool, ...] = ()
    """Of the next answers, whether each is lost."""

    async def acquire(self, key: str, owner: str, ttl_s: float, *, after: int | None = None) -> Grant | None:
        grant = await super().acquire(key, owner, ttl_s, after=after)
        lost, self.losses = self.losses[:1], self.losses[1:]
        if any(lost):
            raise StoreUnavailable("no answer in time")
        return grant


@pytest.fixture
async def store() -> Forgetful:
    kept = Forgetful(ManualClock(), lambda prefix: f"{prefix}_1")
    await kept.open()
    await kept.offer(KEY, "m1", Draft("INPUT", b"hello"), digest=b"d", create=Head("thread"))
    return kept


@pytest.mark.parametrize(
    ("losses", "given"),
    [
        pytest.param((True,), 1, id="the first answer"),
        pytest.param((True, True), 1, id="that to the next try, too"),
        pytest.param((True, False, True), 2, id="that to the taking over, too"),
        pytest.param((True, True, False, True, False, True), 3, id="whatever comes"),
    ],
)
async def test_a_lease_whose_answer_was_lost_is_taken_at_the_next_try_whose_answer_comes(
    store: Forgetful, losses: tuple[bool, ...], given: int
) -> None:
    given_back = GivenBack()
    taker = LeaseTaker(store, "home:boot", TTL_S, given_back)
    store.losses = losses
    while store.losses:
        with pytest.raises(StoreUnavailable):
            await taker.take(KEY)
    grant = await taker.take(KEY)
    assert grant is not None
    assert given_back.of(KEY) == grant.lease.epoch - 1 == given, "all that nobody could use, and nobody crashed under"
    await store.renew(grant.lease)


async def test_a_lease_that_another_home_has_is_not_taken_however_unsure_it_is(store: Forgetful) -> None:
    theirs = await store.acquire(KEY, "other:boot", TTL_S)
    taker = LeaseTaker(store, "home:boot", TTL_S, GivenBack())
    store.losses = (True,)
    with pytest.raises(StoreUnavailable):
        await taker.take(KEY)
    assert await taker.take(KEY) is None
    assert theirs is not None
    await store.renew(theirs.lease)


async def test_who_is_sure_takes_nothing_from_its_own_daemon(store: Forgetful) -> None:
    taker = LeaseTaker(store, "home:boot", TTL_S, GivenBack())
    mine = await taker.take(KEY)
    assert mine is not None
    assert await taker.take(KEY) is None
    await store.renew(mine.lease)


async def test_what_was_unsure_once_is_not_so_for_ever(store: Forgetful) -> None:
    taker = LeaseTaker(store, "home:boot", TTL_S, GivenBack())
    store.losses = (True,)
    with pytest.raises(StoreUnavailable):
        await taker.take(KEY)
    taken = await taker.take(KEY)
    assert taken is not None
    assert await taker.take(KEY) is None
    await store.renew(taken.lease)
