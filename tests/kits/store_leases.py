"""Leases: one holder at a time, judged by the store's time, and an earlier boot of a home in nobody's way."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.values import Head, Lease
from tests.kits.store_world import (
    DIGEST,
    IDLE,
    KEY,
    ME,
    ME_LATER,
    OTHER,
    TTL_S,
    InWorld,
    ManualWorld,
    StoreWorld,
    draft,
    kinds,
    make,
    numbers,
    present,
    send,
    snapshot,
    take,
    write,
)


class LeasesKit(InWorld):
    """What `acquire`, `renew`, `release` and `delete` promise."""

    async def test_a_free_log_is_granted_with_its_head(self, store: Store) -> None:
        head = Head("thread", "open", "sulla", consumed=0, body=b"checkpoint")
        await make(store, head=head)
        await send(store, "m1")
        grant = present(await store.acquire(KEY, ME, TTL_S))
        lease = grant.lease
        assert (lease.key, lease.owner, lease.epoch, lease.ttl_s) == (KEY, ME, 1, TTL_S)
        assert (grant.head, grant.last_seq, grant.tail) == (head, 2, ())

    async def test_a_log_that_is_not_there_is_not_granted(self, store: Store) -> None:
        assert await store.acquire("nothing", ME, TTL_S) is None
        assert await store.head("nothing") is None

    async def test_the_records_behind_a_number_come_along(self, store: Store) -> None:
        await make(store)
        for n in range(2, 6):
            await send(store, f"m{n}")
        for after, tail in ((0, [1, 2, 3, 4, 5]), (3, [4, 5]), (5, []), (99, [])):
            grant = await take(store, after=after)
            assert numbers(grant.tail) == tail
            assert list(grant.tail) == await store.read(KEY, after=after)
            await store.release(grant.lease)

    async def test_a_long_tail_stops_after_512_records(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.append(lease, 1, [draft()] * 600, IDLE, 0, release=True)
        assert numbers((await take(store, after=0)).tail) == list(range(1, 513))

    async def test_a_held_log_is_granted_to_nobody_its_holder_included(self, store: Store, second: Store) -> None:
        await make(store)
        await take(store)
        for handle in (store, second):
            for owner in (OTHER, ME):
                assert await handle.acquire(KEY, owner, TTL_S) is None
        assert present(await second.head(KEY)).held is True

    async def test_of_many_who_ask_at_once_one_gets_it(self, store: Store, second: Store) -> None:
        await make(store)
        asked = (handle.acquire(KEY, f"home-{n}:x", TTL_S) for n, handle in enumerate([store, second] * 10))
        assert len([grant for grant in await asyncio.gather(*asked) if grant is not None]) == 1

    async def test_a_lease_lasts_as_long_as_it_says(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        await take(store)
        await world.pass_time(TTL_S * 0.9)
        assert await store.acquire(KEY, OTHER, TTL_S) is None
        await world.pass_time(TTL_S * 0.1)
        assert present(await store.head(KEY)).held is False
        assert (await take(store, owner=OTHER)).lease.epoch == 2

    async def test_the_epoch_rises_with_each_grant_and_with_nothing_else(self, store: Store) -> None:
        await make(store)
        for epoch in (1, 2, 3):
            lease = (await take(store)).lease
            assert lease.epoch == epoch
            assert await store.acquire(KEY, OTHER, TTL_S) is None
            await store.renew(lease)
            await store.release(lease)
            await send(store, f"m{epoch}")

    async def test_renewing_begins_the_time_anew(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        lease = (await take(store)).lease
        for _ in range(3):
            await world.pass_time(TTL_S * 0.7)
            await store.renew(lease)
        assert await store.acquire(KEY, OTHER, TTL_S) is None
        await world.pass_time(TTL_S)
        assert await store.acquire(KEY, OTHER, TTL_S) is not None

    async def test_renewing_revives_a_lease_that_ran_out_and_nobody_took(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        lease = (await take(store)).lease
        await world.pass_time(TTL_S * 10)
        await store.renew(lease)
        assert await store.acquire(KEY, OTHER, TTL_S) is None
        assert await write(store, lease, 1, "DECIDED") == 2

    async def test_a_lease_that_was_taken_cannot_be_renewed(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        late = (await take(store)).lease
        await world.pass_time(TTL_S)
        now = (await take(store, owner=OTHER)).lease
        with pytest.raises(StaleLease, match=OTHER):
            await store.renew(late)
        await store.renew(now)

    async def test_a_lease_that_was_released_cannot_be_renewed(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.release(lease)
        with pytest.raises(StaleLease, match=KEY):
            await store.renew(lease)
        assert present(await store.head(KEY)).held is False

    async def test_a_released_log_is_free_at_once(self, store: Store) -> None:
        await make(store)
        await store.release((await take(store)).lease)
        assert (await take(store, owner=OTHER)).lease.epoch == 2

    async def test_nobody_can_release_what_is_not_theirs(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        late = (await take(store)).lease
        await world.pass_time(TTL_S)
        await take(store, owner=OTHER)
        await store.release(late)
        assert present(await store.head(KEY)).held is True
        await store.release(Lease("nothing", ME, 1, TTL_S))
        assert await store.head("nothing") is None

    async def test_releasing_twice_does_nothing(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.release(lease)
        await store.release(lease)
        await take(store, owner=OTHER)
        await store.release(lease)
        assert present(await store.head(KEY)).held is True

    async def test_a_later_boot_of_the_home_takes_over_at_once(self, store: Store, second: Store) -> None:
        await make(store)
        late = (await take(store)).lease
        now = await take(second, owner=ME_LATER)
        assert (now.lease.owner, now.lease.epoch) == (ME_LATER, 2)
        with pytest.raises(StaleLease):
            await write(store, late, 1, "LATE")
        assert await write(second, now.lease, 1, "DECIDED") == 2

    @pytest.mark.parametrize("owner", ["home-ab:x", "home:x", "home-a-b:boot-1", "HOME-A:x", "home-a :x"])
    async def test_another_home_waits_however_alike_its_name(self, store: Store, owner: str) -> None:
        await make(store)
        await take(store, owner="home-a:boot-1")
        assert await store.acquire(KEY, owner, TTL_S) is None

    async def test_a_nonce_may_hold_anything(self, store: Store) -> None:
        await make(store)
        await take(store, owner="home-a:1:2")
        assert await store.acquire(KEY, "home-a:1:2", TTL_S) is None
        assert await store.acquire(KEY, "home-a:1:3", TTL_S) is not None

    @pytest.mark.parametrize("owner", ["home", ":boot", "home:"])
    async def test_an_owner_without_home_or_boot_is_a_mistake(self, store: Store, owner: str) -> None:
        await make(store)
        with pytest.raises(ValueError, match="owner"):
            await store.acquire(KEY, owner, TTL_S)

    @pytest.mark.parametrize("ttl_s", [0.0, -1.0])
    async def test_a_lease_without_time_is_a_mistake(self, store: Store, ttl_s: float) -> None:
        await make(store)
        with pytest.raises(ValueError, match="lease"):
            await store.acquire(KEY, ME, ttl_s)


class WallClockKit(InWorld):
    """What people do to the wall clock concerns no lease; for backends that take a clock."""

    @pytest.mark.parametrize("jump_s", [-(10.0**8), 10.0**8])
    async def test_setting_the_wall_clock_neither_ends_nor_prolongs_anything(
        self, store: Store, world: StoreWorld, jump_s: float
    ) -> None:
        assert isinstance(world, ManualWorld)
        await make(store)
        await take(store)
        await store.put("key", b"value", TTL_S)
        world.clock.jump(jump_s)
        await world.pass_time(TTL_S - 1)
        assert await store.acquire(KEY, OTHER, TTL_S) is None
        assert await store.get("key") == b"value"
        await world.pass_time(1)
        assert await store.acquire(KEY, OTHER, TTL_S) is not None
        assert await store.get("key") is None


class DeletesKit(InWorld):
    """What `Store.delete` promises."""

    async def test_a_deleted_log_is_gone_with_all_it_held(self, store: Store) -> None:
        await make(store)
        await send(store, "m1")
        lease = (await take(store)).lease
        await store.delete(lease)
        assert await store.head(KEY) is None
        assert await store.read(KEY) == []
        assert await store.find() == []
        assert await store.find(ready=True) == []
        assert await store.acquire(KEY, ME, TTL_S) is None

    async def test_a_key_can_be_used_again_and_knows_nothing_of_before(self, store: Store) -> None:
        await make(store)
        await send(store, "m1")
        await store.delete((await take(store)).lease)
        answer = await store.offer(KEY, "m1", draft("NEW"), digest=b"other", create=IDLE)
        assert (answer.seq, answer.first) == (1, True)
        assert await kinds(store) == ["NEW"]
        assert (await take(store)).lease.epoch == 1

    async def test_other_logs_stay(self, store: Store) -> None:
        for key in ("a", "ab", "b"):
            await make(store, key)
            await send(store, "m1", key)
        others = [await snapshot(store, key) for key in ("a", "b")]
        await store.delete((await take(store, "ab")).lease)
        assert [await snapshot(store, key) for key in ("a", "b")] == others
        assert (await store.offer("a", "m1", draft(), digest=DIGEST)).first is False

    async def test_what_was_offered_meanwhile_keeps_its_log(self, store: Store) -> None:
        await make(store)
        grant = await take(store)
        await send(store, "m1")
        before = await snapshot(store)
        assert await store.delete(grant.lease, last_seq=grant.last_seq) is False
        assert await snapshot(store) == before
        assert await store.delete(grant.lease, last_seq=grant.last_seq + 1) is True
        assert await store.head(KEY) is None

    async def test_only_the_holder_deletes(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        late = (await take(store)).lease
        await world.pass_time(TTL_S)
        now = (await take(store, owner=OTHER)).lease
        before = await snapshot(store)
        with pytest.raises(StaleLease):
            await store.delete(late)
        assert await snapshot(store) == before
        await store.release(now)
        with pytest.raises(StaleLease):
            await store.delete(now)
        assert await store.head(KEY) is not None

    async def test_a_lease_on_a_deleted_log_is_stale(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.delete(lease)
        await _is_stale(store, lease)
        assert await store.head(KEY) is None

    async def test_it_stays_stale_when_the_key_is_used_again(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.delete(lease)
        await make(store)
        # The very same owner and epoch once more: only the log is another one.
        again = (await take(store)).lease
        assert (again.owner, again.epoch) == (lease.owner, lease.epoch)
        await _is_stale(store, lease)
        await store.renew(again)
        assert await kinds(store) == ["CREATED"]


async def _is_stale(store: Store, lease: Lease) -> None:
    with pytest.raises(StaleLease):
        await write(store, lease, 1, "LATE")
    with pytest.raises(StaleLease):
        await store.renew(lease)
    with pytest.raises(StaleLease):
        await store.delete(lease)
    await store.release(lease)
