"""Which logs are ready, and finding logs by what they are."""

from __future__ import annotations

from itertools import product

import pytest

from sulla.store.base import Store
from sulla.store.values import Head, LogInfo, Status
from tests.kits.store_world import (
    IDLE,
    KEY,
    OPEN,
    TTL_S,
    InWorld,
    StoreWorld,
    draft,
    make,
    present,
    send,
    take,
    write,
)

STATUSES: tuple[Status, ...] = ("idle", "open", "suspended")


class ReadyKit(InWorld):
    """What *ready* means."""

    async def test_a_new_log_is_not_ready(self, store: Store) -> None:
        await make(store)
        assert await _ready(store) is False

    async def test_an_input_that_wakes_makes_it_ready(self, store: Store) -> None:
        await make(store)
        await send(store, "m1")
        assert await _ready(store) is True

    async def test_an_input_that_wakes_nobody_does_not(self, store: Store) -> None:
        await make(store)
        await send(store, "m1", wakes=False)
        assert await _ready(store) is False

    async def test_the_first_input_may_wake_as_well(self, store: Store) -> None:
        await store.offer(KEY, "m1", draft(), digest=b"", create=IDLE)
        assert await _ready(store) is True

    async def test_it_stays_ready_until_its_newest_waking_input_is_claimed(self, store: Store) -> None:
        await make(store)
        first, second = await send(store, "m1"), await send(store, "m2")
        quiet = await send(store, "m3", wakes=False)
        lease = (await take(store)).lease
        await store.append(lease, 1, [], IDLE, first)
        assert await _ready(store) is True
        await store.append(lease, 2, [], IDLE, second)
        assert await _ready(store) is False
        assert quiet == second + 1

    async def test_an_input_behind_the_writers_back_keeps_it_ready(self, store: Store) -> None:
        await make(store)
        seen = await send(store, "m1")
        lease = (await take(store)).lease
        await send(store, "m2")
        assert await store.append(lease, 1, [draft("DONE")], IDLE, seen, release=True) > seen + 1
        assert await _ready(store) is True

    async def test_what_was_claimed_stays_claimed(self, store: Store) -> None:
        await make(store)
        seen = await send(store, "m1")
        lease = (await take(store)).lease
        await store.append(lease, 1, [], IDLE, seen)
        await store.append(lease, 2, [], IDLE, 0)
        assert await _ready(store) is False

    async def test_claimed_is_not_consumed_and_does_not_need_to_be(self, store: Store) -> None:
        await make(store)
        seen = await send(store, "m1")
        lease = (await take(store)).lease
        await store.append(lease, 1, [], Head("thread", consumed=1), 0)
        assert await _ready(store) is True
        await store.append(lease, 2, [], Head("thread", consumed=0), seen)
        assert await _ready(store) is False

    async def test_an_open_log_is_ready_and_a_suspended_one_is_not(self, store: Store) -> None:
        await make(store, head=OPEN)
        assert await _ready(store) is True
        lease = (await take(store)).lease
        await write(store, lease, 1, "SUSPENDED", head=Head("thread", "suspended"))
        assert await _ready(store) is False
        await write(store, lease, 2, "RESUMED", head=OPEN)
        assert await _ready(store) is True

    async def test_an_answer_makes_a_suspended_log_ready(self, store: Store) -> None:
        await make(store, head=Head("thread", "suspended"))
        await send(store, "approval:1")
        assert await _ready(store) is True

    @pytest.mark.parametrize("status", ["idle", "suspended"])
    async def test_a_log_is_ready_when_its_time_has_come(self, store: Store, world: StoreWorld, status: Status) -> None:
        await make(store, head=Head("beat", status, due_ms=world.now_ms() + 10_000))
        assert await _ready(store) is False
        await world.pass_time(9)
        assert await _ready(store) is False
        await world.pass_time(1)
        assert await _ready(store) is True
        lease = (await take(store)).lease
        await write(store, lease, 1, head=Head("beat", status, due_ms=world.now_ms() + 1000))
        assert await _ready(store) is False
        await write(store, lease, 2, head=Head("beat", status))
        await world.pass_time(10**6)
        assert await _ready(store) is False

    async def test_being_held_does_not_matter(self, store: Store, world: StoreWorld) -> None:
        await make(store, head=OPEN)
        await take(store)
        (info,) = await store.find(ready=True)
        assert (info.ready, info.held) == (True, True)
        await world.pass_time(TTL_S)
        (info,) = await store.find(ready=True)
        assert (info.ready, info.held) == (True, False)


class FindKit(InWorld):
    """What `Store.find` promises."""

    async def test_every_question_finds_what_fits_it_by_key(self, store: Store, world: StoreWorld) -> None:
        now_ms = world.now_ms()
        logs = await _one_of_each(store, now_ms)
        dues = (None, now_ms - 1000, now_ms, now_ms + 10**6)
        kinds = (None, "thread", "beat", "other")
        for ready, kind, status, due in product((None, True, False), kinds, (None, *STATUSES), dues):
            fitting = [
                info
                for info in logs
                if ready in (None, info.ready)
                and kind in (None, info.head.kind)
                and status in (None, info.head.status)
                and (due is None or (info.head.due_ms is not None and info.head.due_ms < due))
            ]
            found = await store.find(ready=ready, kind=kind, status=status, due_before_ms=due)
            assert found == fitting, (ready, kind, status, due)

    @pytest.mark.parametrize("limit", [1, 2, 5, 100])
    @pytest.mark.parametrize("ready", [None, True, False])
    async def test_pages_give_every_log_once(
        self, store: Store, world: StoreWorld, ready: bool | None, limit: int
    ) -> None:
        logs = await _one_of_each(store, world.now_ms())
        found: list[LogInfo] = []
        while page := await store.find(ready=ready, after_key=found[-1].key if found else "", limit=limit):
            assert len(page) <= limit
            found += page
        assert found == [info for info in logs if ready in (None, info.ready)]

    async def test_what_is_found_is_what_its_head_says(self, store: Store, world: StoreWorld) -> None:
        for info in await _one_of_each(store, world.now_ms()):
            assert await store.head(info.key) == info

    async def test_keys_are_ordered_by_code_point(self, store: Store) -> None:
        keys = ["z", "Z", "é", "\uffff", "\U0001f511", "aa", "a", "a\x01", "鍵"]
        for key in keys:
            await make(store, key)
        assert [info.key for info in await store.find()] == sorted(keys)
        assert [info.key for info in await store.find(after_key="é")] == [key for key in sorted(keys) if key > "é"]

    async def test_the_last_possible_key_has_nothing_behind_it(self, store: Store) -> None:
        await make(store)
        assert await store.find(after_key="\U0010ffff") == []

    async def test_a_log_is_found_by_what_it_is_now(self, store: Store) -> None:
        await make(store, head=Head("thread", "open", due_ms=1))
        lease = (await take(store)).lease
        await write(store, lease, 1, head=Head("thread", "suspended"))
        assert await store.find(status="open") == []
        assert await store.find(ready=True) == []
        assert await store.find(due_before_ms=10**15) == []
        assert [info.key for info in await store.find(status="suspended")] == [KEY]
        await write(store, lease, 2, head=Head("thread", "idle", due_ms=2))
        assert await store.find(status="suspended") == []
        assert [info.key for info in await store.find(status="idle", ready=True)] == [KEY]

    @pytest.mark.parametrize("due_ms", [-1, 0, 1])
    async def test_any_time_may_be_due(self, store: Store, due_ms: int) -> None:
        await make(store, head=Head("beat", due_ms=due_ms))
        assert [info.head.due_ms for info in await store.find(due_before_ms=due_ms + 1)] == [due_ms]
        assert await store.find(due_before_ms=due_ms) == []


async def _ready(store: Store, key: str = KEY) -> bool:
    """Whether the log is ready; `head` and both ways to ask `find` must agree."""
    info = present(await store.head(key))
    assert (info in await store.find(ready=True)) is info.ready
    assert (info in await store.find(ready=False)) is not info.ready
    return info.ready


async def _one_of_each(store: Store, now_ms: int) -> list[LogInfo]:
    """A log for each mix of what `find` looks at; in the order of their keys."""
    mixes = product(("thread", "beat"), STATUSES, (None, now_ms - 1, now_ms, now_ms + 1000), (False, True))
    keys = []
    for number, (kind, status, due_ms, wakes) in enumerate(mixes):
        keys.append(f"log-{number * 37 % 64:02}")  # scattered, so that order by key is not order by anything else
        head = Head(kind, status, due_ms=due_ms)
        await store.offer(keys[-1], "m", draft(), digest=b"", create=head, wakes=wakes)
    return [present(await store.head(key)) for key in sorted(keys)]
