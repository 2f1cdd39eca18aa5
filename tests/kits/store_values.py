"""Small expiring values, the bus, and what opening and closing mean."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store, Subscription
from sulla.store.values import MAX_PUBLISH_BYTES, Head
from tests.kits.store_world import (
    DIGEST,
    IDLE,
    KEY,
    ME,
    ME_LATER,
    OPEN,
    OTHER,
    TTL_S,
    InWorld,
    StoreWorld,
    draft,
    make,
    present,
    send,
    snapshot,
    take,
    write,
)

FLOOD = 20_000
"""More messages than anybody would queue for one listener."""


class ValuesKit(InWorld):
    """What `put`, `get` and `remove` promise."""

    @pytest.mark.parametrize("value", [b"", b"\0", b"\xff" * 1000, bytes(2**20)], ids=len)
    async def test_a_value_comes_back_byte_by_byte(self, store: Store, second: Store, value: bytes) -> None:
        await store.put("presence:1", value)
        assert await second.get("presence:1") == value

    async def test_what_was_never_put_is_not_there(self, store: Store) -> None:
        assert await store.get("nothing") is None
        assert await store.remove("nothing") is False

    async def test_a_new_value_replaces_the_old_one(self, store: Store) -> None:
        await store.put("key", b"old")
        await store.put("key", b"new")
        assert await store.get("key") == b"new"

    async def test_removing_says_whether_there_was_one(self, store: Store) -> None:
        await store.put("key", b"value")
        assert await store.remove("key") is True
        assert await store.remove("key") is False
        assert await store.get("key") is None

    async def test_a_value_lives_as_long_as_it_says(self, store: Store, world: StoreWorld) -> None:
        await store.put("short", b"value", 10)
        await store.put("for ever", b"value")
        await world.pass_time(9)
        assert await store.get("short") == b"value"
        await world.pass_time(1)
        assert await store.get("short") is None
        assert await store.remove("short") is False
        await world.pass_time(10**8)
        assert await store.get("for ever") == b"value"

    async def test_putting_again_sets_the_time_anew(self, store: Store, world: StoreWorld) -> None:
        await store.put("longer", b"1", 10)
        await store.put("for ever", b"1", 10)
        await store.put("shorter", b"1")
        await world.pass_time(8)
        await store.put("longer", b"2", 10)
        await store.put("for ever", b"2")
        await store.put("shorter", b"2", 1)
        await world.pass_time(8)
        assert await store.get("longer") == b"2"
        assert await store.get("for ever") == b"2"
        assert await store.get("shorter") is None

    async def test_a_value_whose_time_is_over_can_be_put_again(self, store: Store, world: StoreWorld) -> None:
        await store.put("key", b"1", 1)
        await world.pass_time(2)
        await store.put("key", b"2", 1)
        assert await store.get("key") == b"2"

    async def test_values_and_logs_of_one_key_do_not_meet(self, store: Store) -> None:
        await make(store)
        await store.put(KEY, b"value")
        await store.delete((await take(store)).lease)
        assert await store.get(KEY) == b"value"
        assert await store.head(KEY) is None


class BusKit(InWorld):
    """What `publish` and `subscribe` promise."""

    async def test_a_message_reaches_everybody_who_listens(self, store: Store) -> None:
        async with store.subscribe("channel") as one, store.subscribe("channel") as two:
            store.publish("channel", b"hello")
            assert await _next(one) == b"hello"
            assert await _next(two) == b"hello"

    async def test_messages_come_in_order(self, store: Store) -> None:
        async with store.subscribe("channel") as heard:
            for n in range(100):
                store.publish("channel", bytes([n]))
            assert [await _next(heard) for _ in range(100)] == [bytes([n]) for n in range(100)]

    async def test_a_channel_hears_only_itself(self, store: Store) -> None:
        async with store.subscribe("a") as heard:
            for channel in ("ab", "", "A", "a*", "b"):
                store.publish(channel, b"not this")
            store.publish("a", b"this")
            assert await _next(heard) == b"this"

    async def test_only_what_is_said_while_listening_is_heard(self, store: Store) -> None:
        store.publish("channel", b"too early")
        async with store.subscribe("channel") as heard:
            store.publish("channel", b"now")
            assert await _next(heard) == b"now"
        store.publish("channel", b"too late")
        assert [payload async for payload in heard] == []

    async def test_whoever_listens_may_be_heard_by_every_handle(self, world: StoreWorld, store: Store) -> None:
        """One that says no has nobody who could hear it; one that cannot know says yes."""
        other = world.store()
        await other.open()
        async with store.subscribe("channel") as heard:
            assert store.is_heard("channel") is True
            other.publish("channel", b"hello")
            if other.is_heard("channel"):
                assert await _next(heard) == b"hello"
        await other.close()

    async def test_a_listener_that_waits_is_woken(self, store: Store) -> None:
        async with store.subscribe("channel") as heard:
            waiting = asyncio.ensure_future(_next(heard))
            await asyncio.sleep(0)
            assert not waiting.done()
            store.publish("channel", b"hello")
            assert await waiting == b"hello"

    async def test_a_wait_can_be_given_up_without_losing_a_message(self, store: Store) -> None:
        async with store.subscribe("channel") as heard:
            waiting = asyncio.ensure_future(_next(heard))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            store.publish("channel", b"hello")
            assert await _next(heard) == b"hello"

    async def test_who_is_attached_hears_in_the_step_that_says_it(self, store: Store) -> None:
        told: list[bytes | None] = []
        async with store.subscribe("channel") as heard:
            store.publish("channel", b"queued")
            heard.attach(told.append)
            assert told == [b"queued"]
            store.publish("channel", b"at once")
            assert told == [b"queued", b"at once"]
        assert told == [b"queued", b"at once", None], "and that there will be no more"

    async def test_a_slow_listener_loses_the_oldest_and_is_told(self, store: Store) -> None:
        async with store.subscribe("channel") as slow, store.subscribe("channel") as other:
            for n in range(FLOOD):
                store.publish("channel", b"%d" % n)
            assert [slow.lagged, slow.lagged] == [True, False], "looking resets it"
            heard = [int(await _next(slow))]
            while heard[-1] < FLOOD - 1:
                heard.append(int(await _next(slow)))
            assert heard == list(range(heard[0], FLOOD))
            assert len(heard) < FLOOD
            assert other.lagged is True

    async def test_a_listener_that_keeps_up_has_not_lagged(self, store: Store) -> None:
        async with store.subscribe("channel") as heard:
            for _ in range(100):
                store.publish("channel", b"hello")
                await _next(heard)
            assert heard.lagged is False

    async def test_a_message_over_the_limit_is_a_mistake(self, store: Store) -> None:
        async with store.subscribe("channel") as heard:
            with pytest.raises(ValueError, match=str(MAX_PUBLISH_BYTES + 1)):
                store.publish("channel", bytes(MAX_PUBLISH_BYTES + 1))
            with pytest.raises(ValueError, match="travel"):
                store.publish("nobody", bytes(MAX_PUBLISH_BYTES + 1))
            for payload in (bytes(MAX_PUBLISH_BYTES), b""):
                store.publish("channel", payload)
                assert await _next(heard) == payload

    async def test_closing_the_store_ends_what_is_heard(self, world: StoreWorld) -> None:
        store = world.store()
        await store.open()
        async with store.subscribe("channel") as heard:
            waiting = asyncio.ensure_future(_all(heard))
            await asyncio.sleep(0)
            store.publish("channel", b"last")
            await store.close()
            assert await waiting == [b"last"]


class OpeningKit(InWorld):
    """What `open`, `close`, `ping` and `incarnation` promise."""

    async def test_a_store_that_is_not_open_says_so(self, world: StoreWorld) -> None:
        store = world.store()
        await _is_closed(store)
        await store.open()
        await store.ping()
        await store.close()
        await _is_closed(store)
        await store.close()

    async def test_opening_twice_is_like_opening_once(self, store: Store) -> None:
        await make(store)
        before = await snapshot(store)
        await store.open()
        assert await snapshot(store) == before

    async def test_a_store_can_be_opened_again_after_it_was_closed(self, store: Store) -> None:
        await make(store)
        await store.close()
        await store.open()
        await store.ping()
        async with store.subscribe("channel") as heard:
            store.publish("channel", b"hello")
            assert await _next(heard) == b"hello"

    async def test_what_was_asked_before_closing_is_finished(self, store: Store) -> None:
        await make(store)
        asked = [asyncio.ensure_future(send(store, f"m{n}")) for n in range(20)]
        await asyncio.sleep(0)
        await store.close()
        done = await asyncio.gather(*asked, return_exceptions=True)
        await store.open()
        kept = [record.seq for record in await store.read(KEY, after=1)]
        assert sorted(answer for answer in done if isinstance(answer, int)) == kept
        assert all(isinstance(answer, int | StoreUnavailable) for answer in done)

    async def test_reopening_keeps_everything(self, world: StoreWorld) -> None:
        store = world.store()
        await store.open()
        await make(store)
        seq = await send(store, "m1")
        await make(store, "due", Head("beat", due_ms=world.now_ms() - 1, body=bytes(2**20)))
        lease = (await take(store)).lease
        await store.append(lease, 1, [draft("A", b"\0")], OPEN, seq)
        await store.put("short", b"value", 10)
        await store.put("for ever", b"value")
        before = [await snapshot(store, key) for key in (KEY, "due")], await store.incarnation()
        await store.close()

        again = world.store()
        await again.open()
        assert ([await snapshot(again, key) for key in (KEY, "due")], await again.incarnation()) == before
        assert [info.key for info in await again.find(ready=True)] == ["due", KEY]
        assert (await again.offer(KEY, "m1", draft(), digest=DIGEST)).first is False
        assert await again.append(lease, 1, [], IDLE, 0) == 3, "a repeated write is known"
        assert await again.acquire(KEY, OTHER, TTL_S) is None, "the lease is alive"
        assert await write(again, lease, 2, "B") == 4
        assert await again.get("for ever") == b"value"
        await world.pass_time(9)
        assert await again.get("short") == b"value"
        await world.pass_time(1)
        assert await again.get("short") is None
        await again.close()

    async def test_after_a_restart_the_same_home_goes_on_at_once(self, world: StoreWorld) -> None:
        store = world.store()
        await store.open()
        await make(store, head=OPEN)
        await take(store, owner=ME)
        await store.close()
        again = world.store()
        await again.open()
        assert [info.key for info in await again.find(ready=True)] == [KEY]
        assert (await take(again, owner=ME_LATER)).lease.epoch == 2
        await again.close()

    async def test_all_handles_see_one_incarnation(self, store: Store, second: Store) -> None:
        assert await store.incarnation() == await second.incarnation() != ""

    async def test_what_one_handle_keeps_the_other_sees(self, store: Store, second: Store) -> None:
        await make(store)
        await send(second, "m1")
        assert await snapshot(store) == await snapshot(second)
        lease = (await take(store)).lease
        await write(second, lease, 1, "DECIDED", head=OPEN)
        assert present(await store.head(KEY)).head == OPEN


async def _next(heard: Subscription) -> bytes:
    return await anext(aiter(heard))


async def _all(heard: Subscription) -> list[bytes]:
    return [payload async for payload in heard]


async def _is_closed(store: Store) -> None:
    for call in (
        store.ping(),
        store.incarnation(),
        store.offer(KEY, "id", draft(), digest=DIGEST, create=IDLE),
        store.acquire(KEY, ME, TTL_S),
        store.read(KEY),
        store.head(KEY),
        store.find(),
        store.put("key", b""),
        store.swap("key", None, b""),
        store.get("key"),
        store.remove("key"),
    ):
        with pytest.raises(StoreUnavailable, match="not open"):
            await call
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.subscribe("channel").__aenter__()
