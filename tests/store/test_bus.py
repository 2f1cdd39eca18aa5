"""The bus of one process: bounded, and empty when nobody listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.store.bus import QUEUED_MESSAGES, LocalBus


@pytest.fixture
def bus() -> Iterator[LocalBus]:
    bus = LocalBus(capacity=3)
    bus.open()
    yield bus
    bus.close()


async def test_a_listener_is_never_behind_by_more_than_its_queue_holds(bus: LocalBus) -> None:
    async with bus.subscribe("channel") as heard:
        for n in range(5):
            bus.publish("channel", b"%d" % n)
        assert [await anext(aiter(heard)) for _ in range(3)] == [b"2", b"3", b"4"]
        assert heard.lagged is True


async def test_a_full_queue_is_not_yet_a_loss(bus: LocalBus) -> None:
    async with bus.subscribe("channel") as heard:
        for n in range(3):
            bus.publish("channel", b"%d" % n)
        assert heard.lagged is False


async def test_the_loss_is_remembered_until_somebody_looks(bus: LocalBus) -> None:
    async with bus.subscribe("channel") as heard:
        for _ in range(4):
            bus.publish("channel", b"x")
        for _ in range(3):
            await anext(aiter(heard))
        bus.publish("channel", b"y")
        assert [heard.lagged, heard.lagged] == [True, False]


async def test_everybody_is_told_of_what_was_lost_on_its_way_here(bus: LocalBus) -> None:
    async with bus.subscribe("a") as one, bus.subscribe("b") as two:
        bus.lag()
        assert [one.lagged, two.lagged, one.lagged] == [True, True, False]


async def test_it_is_known_whether_anybody_listens(bus: LocalBus) -> None:
    assert not bus.is_heard("a")
    async with bus.subscribe("a"), bus.subscribe("a"):
        assert (bus.is_heard("a"), bus.is_heard("b")) == (True, False)
    assert not bus.is_heard("a")


async def test_a_channel_without_listeners_costs_nothing() -> None:
    bus = LocalBus()
    bus.open()
    empty = vars(bus).copy()
    for n in range(100):
        async with bus.subscribe(f"channel-{n}"), bus.subscribe(f"channel-{n}"):
            bus.publish(f"channel-{n}", b"x")
        bus.publish(f"channel-{n}", b"x")
    assert vars(bus) == empty


async def test_what_is_queued_when_the_bus_closes_can_still_be_read(bus: LocalBus) -> None:
    async with bus.subscribe("channel") as heard:
        bus.publish("channel", b"last")
        bus.close()
        assert [payload async for payload in heard] == [b"last"]
    with pytest.raises(StoreUnavailable, match="channel"):
        await bus.subscribe("channel").__aenter__()


def test_a_queue_of_the_largest_messages_is_a_few_megabytes() -> None:
    assert QUEUED_MESSAGES * 4096 == 4 * 2**20


async def test_who_is_attached_when_it_is_over_is_told_so_once(bus: LocalBus) -> None:
    told: list[bytes | None] = []
    async with bus.subscribe("channel") as heard:
        heard.attach(told.append)
        bus.close()
        assert told == [None]
    assert told == [None]
    late: list[bytes | None] = []
    heard.attach(late.append)
    assert late == [None]


async def test_who_hears_may_stop_listening_in_the_same_step(bus: LocalBus) -> None:
    told: list[bytes | None] = []

    def hear(payload: bytes | None) -> None:
        told.append(payload)
        bus.close()

    async with AsyncExitStack() as stack:
        for _ in range(2):
            listener = await stack.enter_async_context(bus.subscribe("channel"))
            listener.attach(hear)
        bus.publish("channel", b"x")
    assert told == [b"x", None, None]
