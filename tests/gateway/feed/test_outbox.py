from __future__ import annotations

import asyncio
import json

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.gateway.commands import Event
from sulla.gateway.feed.backlog import Backlog
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.outbox import LULL_S, Outbox, Shortcut, TooSlow
from sulla.gateway.rpc import event_frame
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock

STALL_S = 6.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def outbox(clock: ManualClock) -> Outbox:
    return Outbox(clock, Limits(queue_bytes=10, stall_s=STALL_S))


async def test_frames_come_out_as_they_went_in(outbox: Outbox) -> None:
    await outbox.put(b"a")
    await outbox.put(b"b")
    assert [await outbox.take(), await outbox.take()] == [b"a", b"b"]


async def test_who_takes_waits_for_something(outbox: Outbox, clock: ManualClock) -> None:
    async with asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(outbox.take())
        await clock.settle()
        assert not taking.done()
        await outbox.put(b"a")
    assert taking.result() == b"a"


async def test_who_puts_waits_while_it_is_full(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    async with asyncio.TaskGroup() as tasks:
        putting = [tasks.create_task(outbox.put(b"y" * 10)) for _ in range(3)]
        await clock.settle()
        assert not any(task.done() for task in putting)
        taken = [await outbox.take()]
        await clock.settle()
        assert sum(task.done() for task in putting) == 1
        taken += [await outbox.take() for _ in range(3)]
    assert taken == [b"x" * 10, *[b"y" * 10] * 3]


async def test_who_waits_too_long_is_told(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    putting = asyncio.ensure_future(outbox.put(b"y"))
    await clock.advance(STALL_S - 0.1)
    assert not putting.done()
    await clock.advance(0.2)
    with pytest.raises(TooSlow, match="10 bytes wait"):
        await putting


async def test_a_slow_client_that_takes_something_now_and_then_is_served(outbox: Outbox, clock: ManualClock) -> None:
    for _ in range(9):
        await outbox.put(b"x")
    await outbox.put(b"x" * 100)
    async with asyncio.TaskGroup() as tasks:
        putting = tasks.create_task(outbox.put(b"y"))
        for _ in range(9):
            await clock.advance(STALL_S * 0.9)
            assert not putting.done()
            await outbox.take()
        await outbox.take()
    assert await outbox.take() == b"y"


async def test_after_the_end_what_waits_is_still_taken_and_nothing_is_added(outbox: Outbox) -> None:
    await outbox.put(b"a")
    outbox.finish()
    await outbox.put(b"b")
    assert [await outbox.take(), await outbox.take(), await outbox.take()] == [b"a", None, None]


def piece(offset: int, text: str) -> Event:
    data: JsonObject = {"message_id": "m1", "offset": offset, "delta": text}
    return Event("thr", None, "run_1", None, "sulla", 0, TEXT, 0, data)


def said(frame: bytes | None) -> object:
    return json.loads(frame or b"null")["params"]["data"]["delta"]


@pytest.fixture
def wide(clock: ManualClock) -> Outbox:
    return Outbox(clock, Limits(queue_bytes=100_000, stall_s=STALL_S))


async def test_the_first_piece_of_text_goes_to_an_idle_client_at_once(wide: Outbox) -> None:
    assert wide.add_event(piece(0, "Hel"))
    assert said(await wide.take()) == "Hel"


async def test_text_that_follows_waits_a_moment_for_more(wide: Outbox, clock: ManualClock) -> None:
    wide.add_event(piece(0, "Hel"))
    await wide.take()
    async with asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(wide.take())
        wide.add_event(piece(3, "lo"))
        await clock.advance(LULL_S * 0.9)
        assert not taking.done()
        wide.add_event(piece(5, " you"))
        await clock.advance(LULL_S * 0.2)
    assert said(taking.result()) == "lo you"


async def test_what_is_no_text_waits_for_nothing_and_takes_the_text_along(wide: Outbox, clock: ManualClock) -> None:
    wide.add_event(piece(0, "Hel"))
    await wide.take()
    wide.add_event(piece(3, "lo"))
    async with asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(wide.take())
        await clock.settle()
        assert not taking.done()
        await wide.put(b"urgent")
        await clock.settle()
        assert taking.done()
    assert said(taking.result()) == "lo"
    assert await wide.take() == b"urgent"


async def test_the_end_hurries_text(wide: Outbox, clock: ManualClock) -> None:
    wide.add_event(piece(0, "Hel"))
    await wide.take()
    wide.add_event(piece(3, "lo"))
    wide.finish()
    assert said(await wide.take()) == "lo"
    assert await wide.take() is None


async def test_an_event_without_room_is_not_added(outbox: Outbox) -> None:
    await outbox.put(b"x" * 10)
    assert not outbox.add_event(piece(0, "Hel"))
    assert await outbox.take() == b"x" * 10
    assert outbox.add_event(piece(0, "Hel"))


async def test_the_end_wakes_everybody(outbox: Outbox, clock: ManualClock) -> None:
    await outbox.put(b"x" * 10)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.put(b"y"))
        await clock.settle()
        outbox.finish()
    assert [await outbox.take(), await outbox.take()] == [b"x" * 10, None]


async def test_what_keeps_that_which_waits_is_made_when_something_has_to_wait_and_once(clock: ManualClock) -> None:
    made: list[Backlog] = []
    way_is_free = [True, False, False]

    def begin() -> Backlog:
        made.append(Backlog())
        return made[-1]

    outbox = Outbox(clock, Limits(), begin, Shortcut(lambda frame: way_is_free.pop(0), event_frame))
    assert outbox.add(b"passes")
    assert made == []
    assert outbox.add(b"waits")
    assert outbox.add(b"waits behind it")
    assert len(made) == 1
    assert [await outbox.take(), await outbox.take()] == [b"waits", b"waits behind it"]
