from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable, SullaError
from sulla.gateway.commands import Advanced, Event
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.follower import EventFollower
from sulla.gateway.feed.outbox import LULL_S, Outbox
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from tests.doubles.commands import MemoryCommands

LIMITS = Limits(page=3)
THREAD = "thr_1"


class Subscriber:
    """A follower on a clock that stands still, and what it has put out."""

    def __init__(self, commands: MemoryCommands) -> None:
        self.commands = commands
        self.clock = ManualClock()
        self.outbox = Outbox(self.clock, Limits())
        self.task: asyncio.Future[SullaError] | None = None

    async def follow(self, after: int = 0, limits: Limits = LIMITS) -> None:
        follower = EventFollower(self.commands, self.outbox, self.clock, limits, THREAD, after)
        self.task = asyncio.ensure_future(follower.run())
        await self.clock.settle()

    async def events(self) -> list[dict[str, Any]]:
        await self.clock.settle()
        found = []
        while self.outbox._backlog:
            found.append(json.loads(self.outbox._backlog.take())["params"])
        return found

    async def seqs(self) -> list[int]:
        return [event["seq"] for event in await self.events()]

    async def ended(self) -> SullaError:
        assert self.task is not None
        await self.clock.settle()
        assert self.task.done()
        return await self.task


@pytest.fixture
def commands() -> MemoryCommands:
    made = MemoryCommands()
    made.make(THREAD)
    return made


@pytest.fixture
async def subscriber(commands: MemoryCommands) -> AsyncIterator[Subscriber]:
    made = Subscriber(commands)
    yield made
    if made.task is not None and not made.task.done():
        made.task.cancel()
        await asyncio.wait((made.task,))


def add(commands: MemoryCommands, count: int) -> None:
    for _ in range(count):
        commands.add(THREAD, "INPUT")


async def test_it_listens_before_it_reads(subscriber: Subscriber, commands: MemoryCommands) -> None:
    await subscriber.follow()
    names = [call[0] for call in commands.calls]
    assert names.index("listen") < names.index("history")


async def test_what_happens_while_it_reads_is_not_missed(subscriber: Subscriber, commands: MemoryCommands) -> None:
    add(commands, 2)
    gate = commands.gates["history"] = asyncio.Event()
    await subscriber.follow()
    add(commands, 2)
    gate.set()
    assert await subscriber.seqs() == [1, 2, 3, 4]


async def test_it_begins_behind_what_the_client_has(subscriber: Subscriber, commands: MemoryCommands) -> None:
    add(commands, 20)
    await subscriber.follow(after=11)
    assert await subscriber.seqs() == list(range(12, 21))


async def test_what_the_log_no_longer_has_is_told_before_what_comes_next(
    subscriber: Subscriber, commands: MemoryCommands
) -> None:
    add(commands, 6)
    commands.lose(THREAD, 3, 4)
    await subscriber.follow(after=1)
    found = await subscriber.events()
    assert [event.get("seq", "gap") for event in found] == [2, "gap", 5, 6]
    assert found[1] == {"thread_id": THREAD, "after": 2, "next": 5}


async def test_lost_wake_ups_are_healed(subscriber: Subscriber, commands: MemoryCommands) -> None:
    await subscriber.follow()
    commands.deaf = True
    add(commands, 7)
    assert await subscriber.seqs() == []
    await subscriber.clock.advance(LIMITS.heal_s)
    assert await subscriber.seqs() == [1, 2, 3, 4, 5, 6, 7]


async def test_text_that_found_no_room_is_not_overtaken_by_what_is_read_meanwhile(commands: MemoryCommands) -> None:
    commands.add(THREAD, "MODEL_STARTED", "run_1", message_id="msg_1")
    clock = ManualClock()
    outbox = Outbox(clock, Limits(queue_bytes=1, stall_s=60.0))
    follower = EventFollower(commands, outbox, clock, LIMITS, THREAD, 1)
    following = asyncio.ensure_future(follower.run())
    await clock.settle()
    commands.show(THREAD, TEXT, "run_1", message_id="msg_1", offset=0, delta="Hel")
    commands.deaf = True
    commands.add(THREAD, "TEXT_MESSAGE_END", "run_1", message_id="msg_1", text="Hello")
    commands.deaf = False
    settling = asyncio.ensure_future(follower.settle())  # has its turn before whoever is told of the next piece
    commands.show(THREAD, TEXT, "run_1", message_id="msg_1", offset=3, delta="lo")
    found: list[dict[str, Any]] = []
    while len(found) < 3:
        taking = asyncio.ensure_future(outbox.take())
        await clock.advance(LULL_S)
        found.append(json.loads(await taking or b"")["params"])
    assert [event["data"].get("delta", event["type"]) for event in found] == ["Hel", "lo", "TEXT_MESSAGE_END"]
    await settling
    following.cancel()
    await asyncio.wait((following,))


async def test_it_asks_for_the_text_so_far_when_it_comes_in_the_middle(
    subscriber: Subscriber, commands: MemoryCommands
) -> None:
    commands.add(THREAD, "MODEL_STARTED", message_id="m1")
    commands.retell = lambda thread_id: commands.show(thread_id, TEXT, message_id="m1", offset=0, delta="Hel")
    await subscriber.follow(after=1)
    commands.show(THREAD, TEXT, message_id="m1", offset=3, delta="lo")
    (event,) = await subscriber.events()
    assert event["data"] == {"message_id": "m1", "offset": 0, "delta": "Hello"}


async def test_a_store_that_fails_for_a_while_is_waited_for(subscriber: Subscriber, commands: MemoryCommands) -> None:
    commands.failures["history"] = StoreUnavailable("away")
    add(commands, 2)
    await subscriber.follow()
    await subscriber.clock.advance(3 * LIMITS.heal_s)
    del commands.failures["history"]
    add(commands, 1)
    await subscriber.clock.advance(LIMITS.heal_s)
    assert await subscriber.seqs() == [1, 2, 3]
    commands.failures["history"] = StoreUnavailable("away again")
    add(commands, 1)
    await subscriber.clock.advance(LIMITS.heal_s)
    del commands.failures["history"]
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    add(commands, 1)
    assert await subscriber.seqs() == [4, 5]


async def test_a_bus_that_stays_away_while_the_log_is_read_is_told_once(
    subscriber: Subscriber, commands: MemoryCommands, caplog: pytest.LogCaptureFixture
) -> None:
    commands.failures["listen"] = StoreUnavailable("away")
    await subscriber.follow()
    add(commands, 1)
    await subscriber.clock.advance(5 * LIMITS.heal_s)
    assert await subscriber.seqs() == [1]
    assert len(caplog.records) == 1
    del commands.failures["listen"]
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    commands.failures["history"] = StoreUnavailable("another outage")
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    assert [vars(record)["reason"] for record in caplog.records] == ["away", "another outage"]


async def test_a_bus_that_fails_is_listened_to_again(subscriber: Subscriber, commands: MemoryCommands) -> None:
    commands.failures["listen"] = StoreUnavailable("away")
    await subscriber.follow()
    del commands.failures["listen"]
    await subscriber.clock.advance(LIMITS.heal_s)
    assert commands.listeners(THREAD) == 1
    add(commands, 1)
    assert await subscriber.seqs() == [1]


async def test_a_store_that_does_not_answer_is_asked_again(subscriber: Subscriber, commands: MemoryCommands) -> None:
    commands.gates["history"] = asyncio.Event()
    add(commands, 1)
    await subscriber.follow()
    await subscriber.clock.advance(LIMITS.call_s)
    del commands.gates["history"]
    await subscriber.clock.advance(LIMITS.call_s + LIMITS.heal_s)  # the next look was stuck too
    assert await subscriber.seqs() == [1]


async def test_it_ends_when_the_thread_is_gone(subscriber: Subscriber, commands: MemoryCommands) -> None:
    await subscriber.follow()
    commands.forget(THREAD)
    await subscriber.clock.advance(LIMITS.heal_s)
    assert isinstance(await subscriber.ended(), NotFound)


async def test_it_ends_with_a_record_that_cannot_be_read(subscriber: Subscriber, commands: MemoryCommands) -> None:
    await subscriber.follow()
    commands.failures["history"] = CorruptRecord("bad checksum")
    commands.carried = False
    add(commands, 1)
    assert isinstance(await subscriber.ended(), CorruptRecord)
    assert commands.listeners(THREAD) == 0


# -------------------------------------------------------------------------------------------------------- large events

LARGE = "x" * 300_000


def asked(commands: MemoryCommands) -> list[tuple[int, int]]:
    """Behind which event each page began, and how many it could hold."""
    found = []
    for call in commands.calls:
        match call:
            case ("history", _, int(after), _, int(limit)):
                found.append((after, limit))
    return found


async def test_for_a_client_that_reads_nothing_little_is_held(subscriber: Subscriber, commands: MemoryCommands) -> None:
    for _ in range(100):
        commands.add(THREAD, "INPUT", text=LARGE)
    await subscriber.follow(limits=Limits())
    assert asked(commands) == [(0, 8), (3, 6)]  # 900 KB of the first page; the second is kept until there is room


class _Events(list[Event]):
    """Events that know whether they are held."""


async def test_what_waits_to_be_shown_is_let_go_and_read_when_its_turn_comes(
    subscriber: Subscriber, commands: MemoryCommands
) -> None:
    gate = commands.gates["history"] = asyncio.Event()
    commands.carried = False
    await subscriber.follow()
    event = commands.add(THREAD, "INPUT")
    events = _Events([event])
    held = weakref.ref(events)
    commands.tell(THREAD, Advanced(1, events))
    del events
    gc.collect()
    assert held() is None
    gate.set()
    assert await subscriber.seqs() == [1]


async def test_large_events_come_whole_and_in_order(subscriber: Subscriber, commands: MemoryCommands) -> None:
    for size in (300_000, 1, 1, 900_000, 300_000, 1, 900_000, 900_000, 1):
        commands.add(THREAD, "INPUT", text="x" * size)
    await subscriber.follow(limits=Limits())
    found: list[int] = []
    while seqs := await subscriber.seqs():
        found += seqs
        subscriber.outbox._make_room()
    assert found == list(range(1, 10))


async def test_small_events_come_in_ever_larger_pages(subscriber: Subscriber, commands: MemoryCommands) -> None:
    add(commands, 300)
    await subscriber.follow(limits=Limits())
    assert await subscriber.seqs() == list(range(1, 301))
    assert [limit for _, limit in asked(commands)] == [8, 16, 32, 64, 128, 128]
