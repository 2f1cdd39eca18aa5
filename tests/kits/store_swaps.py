"""What `swap` promises: a small value takes the place of one that is known, or of nothing, and of nothing else."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.host.system import SystemClock
from sulla.store.base import Store
from sulla.store.swapping import swap_until
from sulla.store.values import MAX_BODY_BYTES
from tests.kits.store_world import InWorld, StoreWorld, make, snapshot

MANY: Final = 24
"""Callers at once."""
ODD: Final = (b"", b"\0", b"\0\0", b"old\0", b"\0old", b"\xff\x00\xfe", bytes(range(256)), b"'; --", b"%s", b"\r\n")
"""Values that some backend might take for another one, for nothing, or for a part of its own language."""


class SwapsKit(InWorld):
    """One atomic step: whoever has lost a race is told so, and has changed nothing."""

    async def test_what_is_there_is_replaced_by_who_knows_it(self, store: Store, second: Store) -> None:
        await store.put("key", b"old")
        assert await store.swap("key", b"old", b"new") is True
        assert await second.get("key") == b"new"

    async def test_who_knows_something_else_changes_nothing(self, store: Store) -> None:
        await store.put("key", b"there")
        for old in (b"old", b"", b"ther", b"there\0", b"THERE", None):
            assert await store.swap("key", old, b"new") is False
        assert await store.get("key") == b"there"

    async def test_nothing_is_replaced_by_who_knows_that_there_is_nothing(self, store: Store) -> None:
        assert await store.swap("key", b"", b"new") is False, "empty bytes are a value"
        assert await store.swap("key", b"old", b"new") is False
        assert await store.get("key") is None
        assert await store.swap("key", None, b"new") is True
        assert await store.get("key") == b"new"
        assert await store.remove("key") is True
        assert await store.swap("key", b"new", b"newer") is False, "it was removed"
        assert await store.swap("key", None, b"newer") is True

    async def test_empty_bytes_are_not_nothing(self, store: Store) -> None:
        await store.put("key", b"")
        assert await store.swap("key", None, b"new") is False
        assert await store.swap("key", b"", b"new") is True
        assert await store.swap("key", b"new", b"") is True
        assert await store.get("key") == b""

    async def test_bytes_are_compared_one_by_one(self, store: Store) -> None:
        there: bytes | None = None
        for value in ODD:
            for other in ODD:
                if other not in (there, value):
                    assert await store.swap("key", other, b"never") is False
            assert await store.swap("key", there, value) is True
            assert await store.get("key") == value
            there = value

    async def test_a_repeat_is_told_the_same_and_changes_nothing(self, store: Store) -> None:
        for old in (None, b"1"):
            assert await store.swap("key", old, b"2" if old else b"1") is True
            assert await store.swap("key", old, b"2" if old else b"1") is True
        assert await store.get("key") == b"2"
        assert await store.swap("key", b"2", b"3") is True
        assert await store.swap("key", b"1", b"2") is False, "somebody has gone on since"
        assert await store.get("key") == b"3"

    async def test_the_same_bytes_can_take_their_own_place(self, store: Store, world: StoreWorld) -> None:
        assert await store.swap("key", b"same", b"same", 10) is False
        await store.put("key", b"same", 10)
        await world.pass_time(8)
        assert await store.swap("key", b"same", b"same", 10) is True
        await world.pass_time(8)
        assert await store.get("key") == b"same"

    async def test_what_ran_out_is_not_there(self, store: Store, world: StoreWorld) -> None:
        await store.put("key", b"old", 10)
        await world.pass_time(9)
        assert await store.swap("key", None, b"new") is False
        await world.pass_time(1)
        assert await store.swap("key", b"old", b"new", 10) is False
        assert await store.swap("key", None, b"new", 10) is True
        await world.pass_time(10)
        assert await store.swap("key", b"old", b"new") is False, "not even for who repeats it"
        assert await store.get("key") is None

    async def test_its_time_begins_anew(self, store: Store, world: StoreWorld) -> None:
        for key, ttl_s in (("longer", 10), ("for ever", 10), ("shorter", None), ("repeated", 10)):
            assert await store.swap(key, None, b"1", ttl_s) is True
        await world.pass_time(8)
        assert await store.swap("longer", b"1", b"2", 10) is True
        assert await store.swap("for ever", b"1", b"2") is True
        assert await store.swap("shorter", b"1", b"2", 1) is True
        assert await store.swap("repeated", None, b"1", 10) is True
        await world.pass_time(8)
        found = [await store.get(key) for key in ("longer", "for ever", "shorter", "repeated")]
        assert found == [b"2", b"2", None, b"1"]
        await world.pass_time(2)
        assert [await store.get(key) for key in ("longer", "repeated")] == [None, None]
        await world.pass_time(10**8)
        assert await store.get("for ever") == b"2"

    async def test_who_is_refused_prolongs_nothing(self, store: Store, world: StoreWorld) -> None:
        await store.put("key", b"old", 10)
        await world.pass_time(8)
        assert await store.swap("key", b"another", b"new", 100) is False
        assert await store.swap("key", None, b"new") is False
        await world.pass_time(2)
        assert await store.get("key") is None

    async def test_of_many_who_begin_at_once_one_does(self, store: Store, second: Store) -> None:
        calls = [one.swap("key", None, b"%d" % n, 60) for n in range(MANY // 2) for one in (store, second)]
        # Each of the two handles comes with each value: the pair with the same bytes are one and the same caller.
        done = await asyncio.gather(*calls)
        winner = await store.get("key")
        assert winner is not None
        assert [n for n, kept in enumerate(done) if kept] == [2 * int(winner), 2 * int(winner) + 1]

    async def test_of_many_who_go_on_at_once_one_does(self, store: Store, second: Store) -> None:
        there = b"start"
        await store.put("key", there)
        for step in range(5):
            mine = [b"%d %d" % (step, n) for n in range(MANY)]
            done = await asyncio.gather(
                *((store, second)[n % 2].swap("key", there, value) for n, value in enumerate(mine))
            )
            found = await store.get("key")
            assert [value for value, kept in zip(mine, done, strict=True) if kept] == [found]
            there = found or b""

    async def test_no_step_of_many_who_count_is_lost(self, store: Store, second: Store) -> None:
        async def count(at: Store, name: int) -> None:
            for _ in range(3):
                while True:
                    found = await at.get("key")
                    number = int(found.split()[0]) if found is not None else 0
                    # With a mark of its own: the same number of two counters must not look the same.
                    if await at.swap("key", found, b"%d %d" % (number + 1, name), 600):
                        break

        await asyncio.gather(*(count((store, second)[n % 2], n) for n in range(6)))
        assert (await store.get("key") or b"").startswith(b"18 ")

    async def test_no_change_of_many_who_make_it_until_it_is_there_is_lost(self, store: Store, second: Store) -> None:
        clock = SystemClock()

        async def count(at: Store, name: int) -> None:
            def counted(found: bytes | None) -> bytes:
                return b"%d %d" % ((int(found.split()[0]) if found is not None else 0) + 1, name)

            for _ in range(3):
                assert (await swap_until("key", counted, clock, get=at.get, swap=at.swap)).changed

        await asyncio.gather(*(count((store, second)[n % 2], n) for n in range(6)))
        assert (await store.get("key") or b"").startswith(b"18 ")

    async def test_who_goes_on_brings_nothing_back_that_somebody_removes_meanwhile(
        self, store: Store, second: Store
    ) -> None:
        for _ in range(10):
            await store.put("key", b"old")
            swapped, removed = await asyncio.gather(second.swap("key", b"old", b"new"), store.remove("key"))
            assert removed is True, "there was one in any case"
            assert await store.get("key") is None, f"swapped: {swapped}"

    async def test_a_new_value_is_never_overwritten_by_who_knows_the_old_one(self, store: Store, second: Store) -> None:
        for _ in range(10):
            await store.put("key", b"old")
            await asyncio.gather(second.swap("key", b"old", b"swapped"), store.put("key", b"put"))
            assert await store.get("key") == b"put"

    async def test_large_values_are_compared_whole(self, store: Store) -> None:
        large = bytes(2**20)
        assert await store.swap("key", None, large) is True
        assert await store.swap("key", large[:-1] + b"x", b"new") is False
        assert await store.swap("key", large, large + b"x") is True
        assert await store.get("key") == large + b"x"

    async def test_what_no_keeper_keeps_is_refused_and_changes_nothing(self, store: Store) -> None:
        await store.put("key", b"there")
        for name in ("", "a\0b", "x" * 1025, "\ud800"):
            with pytest.raises(InvalidInput, match="key"):
                await store.swap(name, None, b"new")
        with pytest.raises(TooLarge, match=str(MAX_BODY_BYTES)):
            await store.swap("key", b"there", bytes(MAX_BODY_BYTES + 1))
        with pytest.raises(TooLarge, match="meant to be"):
            await store.swap("key", bytes(MAX_BODY_BYTES + 1), b"new")
        assert await store.get("key") == b"there"

    async def test_a_swap_touches_no_log_and_no_other_value(self, store: Store) -> None:
        await make(store, "key")
        await store.put("key2", b"value")
        before = await snapshot(store, "key")
        assert await store.swap("key", None, b"new") is True
        assert await snapshot(store, "key") == before
        assert await store.get("key2") == b"value"

    async def test_names_that_look_alike_are_other_values(self, store: Store) -> None:
        for key in ("stream_buffer:a", "value:stream_buffer:a", "stream_buffer:{a}", "stream_buffer:A"):
            assert await store.swap(key, None, key.encode(), 60) is True
        for key in ("stream_buffer:a", "value:stream_buffer:a", "stream_buffer:{a}", "stream_buffer:A"):
            assert await store.get(key) == key.encode()
