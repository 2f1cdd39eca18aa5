"""Appends: by the holder only, each once, all or nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sulla.core.errors import StaleLease
from sulla.store.base import Store
from sulla.store.values import Head
from tests.kits.store_world import (
    IDLE,
    KEY,
    ME,
    OPEN,
    OTHER,
    TTL_S,
    InWorld,
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


class AppendsKit(InWorld):
    """What `Store.append` promises."""

    async def test_records_are_added_in_order_and_the_head_is_replaced(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        head = Head("thread", "suspended", "other", due_ms=7, consumed=0, body=b"checkpoint")
        assert await store.append(lease, 1, [draft("A", b"a"), draft("B", b"b")], head, 0) == 3
        records = await store.read(KEY, after=1)
        assert [(record.seq, record.kind, record.body) for record in records] == [(2, "A", b"a"), (3, "B", b"b")]
        info = present(await store.head(KEY))
        assert (info.head, info.last_seq) == (head, 3)

    async def test_the_answer_shows_that_inputs_came_in_between(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await send(store, "m1")
        assert await write(store, lease, 1, "A", "B") == 4
        assert await write(store, lease, 2, "C") == 5
        assert await kinds(store) == ["CREATED", "INPUT", "A", "B", "C"]

    async def test_no_records_only_replace_the_head(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        assert await write(store, lease, 1, head=OPEN) == 1
        assert present(await store.head(KEY)).head == OPEN
        await send(store, "m1")
        assert await write(store, lease, 2) == 2

    async def test_many_and_large_records_fit_in_one_write(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        drafts = [draft("BIG", bytes([n]) * 2**20) for n in range(3)] + [draft("SMALL")] * 1000
        assert await store.append(lease, 1, drafts, Head("thread", body=bytes(2**20)), 0) == 1004
        assert [record.body for record in await store.read(KEY, after=1, limit=3)] == [d.body for d in drafts[:3]]
        assert numbers(await store.read(KEY, limit=2000)) == list(range(1, 1005))

    async def test_the_lease_can_be_given_back_in_the_same_step(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        assert await store.append(lease, 1, [draft("DONE")], IDLE, 0, release=True) == 2
        assert present(await store.head(KEY)).held is False
        assert (await take(store, owner=OTHER)).lease.epoch == 2

    async def test_a_lease_that_ran_out_and_nobody_took_may_still_write(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        lease = (await take(store)).lease
        await world.pass_time(TTL_S * 100)
        assert await write(store, lease, 1, "LATE") == 2

    async def test_a_lease_that_was_taken_may_never_write(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        late = (await take(store)).lease
        assert await write(store, late, 1, "EARLY") == 2
        await world.pass_time(TTL_S)
        now = (await take(store, owner=OTHER)).lease
        for number in (1, 2):
            with pytest.raises(StaleLease, match=OTHER):
                await write(store, late, number, "LATE", head=OPEN)
        # Not even when the one who took it has gone: what that one wrote is unknown to the late one.
        await store.release(now)
        with pytest.raises(StaleLease):
            await write(store, late, 2, "LATE", head=OPEN)
        assert await kinds(store) == ["CREATED", "EARLY"]
        assert present(await store.head(KEY)).head == IDLE

    async def test_taking_ones_own_lease_anew_fences_the_old_one(self, store: Store, world: StoreWorld) -> None:
        await make(store)
        late = (await take(store)).lease
        await world.pass_time(TTL_S)
        now = (await take(store)).lease
        with pytest.raises(StaleLease):
            await write(store, late, 1, "LATE")
        assert await write(store, now, 1, "DECIDED") == 2

    async def test_an_epoch_alone_proves_nothing(self, store: Store) -> None:
        # A backend that lost its last write in a failover may give one epoch to two owners.
        await make(store)
        lease = (await take(store)).lease
        with pytest.raises(StaleLease):
            await write(store, replace(lease, owner=OTHER), 1, "FORGED")
        with pytest.raises(StaleLease):
            await store.renew(replace(lease, owner=OTHER))
        assert await write(store, lease, 1, "DECIDED") == 2

    async def test_a_lease_that_was_released_may_never_write(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await store.release(lease)
        before = await snapshot(store)
        with pytest.raises(StaleLease, match=ME):
            await write(store, lease, 1, "LATE")
        assert await snapshot(store) == before

    async def test_a_repeated_write_gets_its_first_answer_and_changes_nothing(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await write(store, lease, 1, "A")
        assert await write(store, lease, 2, "B", "C") == 4
        await send(store, "m1")
        before = await snapshot(store)
        assert await write(store, lease, 2, "B", "C") == 4
        assert await write(store, lease, 2, "OTHER", head=OPEN, claimed=99) == 4
        assert await snapshot(store) == before
        assert await write(store, lease, 3, "D") == 6

    async def test_so_does_one_that_gave_the_lease_back(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        assert await store.append(lease, 1, [draft("DONE")], IDLE, 0, release=True) == 2
        before = await snapshot(store)
        assert await store.append(lease, 1, [draft("DONE")], OPEN, 0, release=True) == 2
        assert await snapshot(store) == before
        with pytest.raises(StaleLease):
            await write(store, lease, 2, "MORE")

    async def test_so_does_one_that_was_followed_by_a_release(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        await write(store, lease, 1, "A")
        await store.release(lease)
        assert await write(store, lease, 1, "A") == 2

    async def test_the_same_write_twice_at_once_is_made_once(self, store: Store, second: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        answers = await asyncio.gather(*(write(handle, lease, 1, "A", "B") for handle in [store, second] * 5))
        assert set(answers) == {3}
        assert await kinds(store) == ["CREATED", "A", "B"]

    @pytest.mark.parametrize(("written", "number"), [(0, 0), (0, 2), (2, 0), (2, 1), (2, 4), (2, -1)])
    async def test_a_write_out_of_turn_is_a_mistake(self, store: Store, written: int, number: int) -> None:
        await make(store)
        lease = (await take(store)).lease
        for n in range(1, written + 1):
            await write(store, lease, n, "A")
        before = await snapshot(store)
        with pytest.raises(ValueError, match=rf"write number {number} after {written}"):
            await write(store, lease, number, "B", head=OPEN)
        assert await snapshot(store) == before
        await write(store, lease, written + 1, "B")

    async def test_each_lease_counts_its_writes_from_one(self, store: Store) -> None:
        await make(store)
        for turn in range(3):
            lease = (await take(store)).lease
            await write(store, lease, 1, "A")
            await write(store, lease, 2, "B")
            await store.release(lease)
            assert len(await store.read(KEY)) == 3 + 2 * turn

    async def test_what_is_claimed_must_be_there(self, store: Store) -> None:
        await make(store)
        lease = (await take(store)).lease
        before = await snapshot(store)
        with pytest.raises(ValueError, match=r"claimed is 4, but the log ends at 3"):
            await write(store, lease, 1, "A", "B", head=OPEN, claimed=4)
        assert await snapshot(store) == before
        assert await write(store, lease, 1, "A", "B", claimed=3) == 3

    async def test_holders_of_different_logs_do_not_disturb_each_other(self, store: Store, second: Store) -> None:
        async def work(handle: Store, key: str) -> None:
            await make(handle, key)
            lease = (await take(handle, key)).lease
            for n in range(1, 11):
                await write(handle, lease, n, f"{key}-{n}")

        logs = {f"log-{n}": handle for n, handle in enumerate([store, second] * 4)}
        await asyncio.gather(*(work(handle, key) for key, handle in logs.items()))
        for key in logs:
            assert await kinds(store, key) == ["CREATED", *(f"{key}-{n}" for n in range(1, 11))]

    async def test_one_writer_among_offerers_loses_nothing(self, store: Store, second: Store) -> None:
        await make(store)
        lease = (await take(store)).lease

        async def decide() -> list[int]:
            return [await write(store, lease, n, "DECIDED") for n in range(1, 21)]

        offers = asyncio.gather(*(send(second, f"m{n}") for n in range(20)))
        decided, offered = await decide(), await offers
        records = await store.read(KEY, after=1)
        assert numbers(records) == list(range(2, 42))
        assert [record.seq for record in records if not record.offered] == decided
        assert sorted(record.seq for record in records if record.offered) == sorted(offered)
