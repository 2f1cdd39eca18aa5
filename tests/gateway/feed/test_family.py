"""A thread and all that it sets to work, followed for one client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.core.errors import NotFound, StoreUnavailable, SullaError
from sulla.gateway.feed.family import MOST_FOLLOWED, MOST_KNOWN, FamilyFollower, FollowMeans
from sulla.gateway.feed.feed import TEXT
from sulla.gateway.feed.outbox import Outbox
from sulla.gateway.rpc import event_frame
from sulla.rpc.family_place import FamilyPlace
from sulla.rpc.limits import Limits
from sulla.testing.clock import ManualClock
from sulla.threads.log.family import child_thread
from tests.doubles.commands import MemoryCommands

LIMITS = Limits(page=3)
ROOT = "thr_root"
Told = tuple[str, int]


class Family:
    """A thread with sub-agents, of which a test says what they do."""

    def __init__(self) -> None:
        self.commands = MemoryCommands()
        self.commands.make(ROOT)

    def starts(self, child: str, parent: str = ROOT, *, made: bool = True) -> str:
        """A thread sets one to work; its thread."""
        thread_id = child_thread(child)
        self.commands.add(parent, "CHILD_STARTED", "run_1", id=child, thread_id=thread_id)
        if made:
            self.is_made(thread_id)
        return thread_id

    def is_made(self, thread_id: str) -> None:
        self.commands.make(thread_id)
        self.commands.add(thread_id, "THREAD_CREATED")

    def works(self, thread_id: str, events: int = 1) -> None:
        for _ in range(events):
            self.commands.add(thread_id, "INPUT")

    def reports(self, child: str, parent: str = ROOT) -> None:
        """One is done, and whoever asked is told so."""
        thread_id = child_thread(child)
        self.commands.add(thread_id, "RUN_FINISHED", "run_c")
        self.commands.add(parent, "ANSWER", wait_id=f"child:{child}")
        self.commands.add(thread_id, "CHILD_REPORTED", id=child)

    def log(self, *threads: str) -> list[Told]:
        """All that is kept."""
        logs = self.commands._threads
        return [(one, event.seq or 0) for one in threads or logs for event in logs[one].log]


class Subscriber:
    """Somebody who follows it, on a clock that stands still."""

    def __init__(self, family: Family, limits: Limits = LIMITS) -> None:
        self.family = family
        self.clock = ManualClock()
        self.outbox = Outbox(self.clock, Limits(queue_bytes=2**30))
        self.means = FollowMeans(family.commands, self.clock, limits)
        self.frames: list[dict[str, Any]] = []
        self.task: asyncio.Future[SullaError] | None = None

    async def follow(self, after: int = 0, children: dict[str, int] | None = None) -> None:
        place = FamilyPlace(ROOT, after, children)
        self.place = place
        self.follower = FamilyFollower(self.means, place, self.outbox, self.outbox)
        self.task = asyncio.ensure_future(self.follower.run())
        await self.clock.settle()

    async def leave(self) -> None:
        if self.task is not None and not self.task.done():
            self.task.cancel()
            await asyncio.wait((self.task,))

    async def events(self) -> list[dict[str, Any]]:
        """What came since this was asked last."""
        await self.clock.settle()
        found = []
        while self.outbox._backlog:
            found.append(json.loads(self.outbox._backlog.take()))
        self.frames += found
        return [frame["params"] for frame in found if frame["method"] == "event"]

    async def told(self) -> list[Told]:
        return [(event["thread_id"], event["seq"]) for event in await self.events()]


@pytest.fixture
def family() -> Family:
    return Family()


@pytest.fixture
async def subscriber(family: Family) -> AsyncIterator[Subscriber]:
    made = Subscriber(family)
    yield made
    await made.leave()


def check_order(told: list[Told], family: Family) -> None:
    """Each thread's events come in order; a sub-agent's behind its beginning, its end before its report."""
    for thread_id in {thread for thread, _ in told}:
        seqs = [seq for thread, seq in told if thread == thread_id]
        assert seqs == sorted(set(seqs)), thread_id
    places = {one: number for number, one in enumerate(told)}
    for thread in family.commands._threads.values():
        for event in thread.log:
            here = places.get((event.thread_id, event.seq or 0))
            if here is None:
                continue
            if event.type == "CHILD_STARTED":
                child = [place for (one, _), place in places.items() if one == event.data["thread_id"]]
                assert all(here < place for place in child)
            if event.type == "ANSWER":
                child_id = child_thread(str(event.data["wait_id"]).partition(":")[2])
                ends = [one for one in family.commands._threads[child_id].log if one.type == "RUN_FINISHED"]
                assert all(places.get((child_id, one.seq or 0), -1) < here for one in ends)


async def test_what_sub_agents_do_comes_with_what_the_thread_does(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c")
    family.works(child, 2)
    deep = family.starts("d", parent=child)
    family.works(deep)
    family.reports("d", parent=child)
    family.reports("c")
    family.works(ROOT)
    told = await subscriber.told()
    assert sorted(told) == sorted(family.log())
    check_order(told, family)


async def test_a_history_comes_with_that_of_sub_agents_in_its_place(subscriber: Subscriber, family: Family) -> None:
    for number in range(5):
        child = family.starts(f"c{number}")
        deep = family.starts(f"d{number}", parent=child)
        family.works(deep, 5)
        family.reports(f"d{number}", parent=child)
        family.works(child, 5)
        family.reports(f"c{number}")
    await subscriber.follow()
    told = await subscriber.told()
    assert sorted(told) == sorted(family.log())
    check_order(told, family)


async def test_text_of_a_sub_agent_is_live(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c")
    family.commands.add(child, "MODEL_STARTED", "run_c", message_id="m")
    await subscriber.events()
    family.commands.show(child, TEXT, "run_c", message_id="m", offset=0, delta="Hel")
    (event,) = await subscriber.events()
    assert (event["thread_id"], event["data"]["delta"]) == (child, "Hel")


async def test_questions_of_a_sub_agent_are_told(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c")
    family.commands.add(child, "SUSPENDED", "run_c", waits=[{"wait_id": "approval:x"}])
    event = (await subscriber.events())[-1]
    assert (event["thread_id"], event["data"]["waits"]) == (child, [{"wait_id": "approval:x"}])


async def test_a_sub_agent_that_is_made_later_than_it_was_asked_for_is_followed(
    subscriber: Subscriber, family: Family
) -> None:
    await subscriber.follow()
    child = family.starts("c", made=False)
    assert await subscriber.told() == [(ROOT, 1)]
    family.is_made(child)
    assert await subscriber.told() == [(child, 1)]


async def test_one_that_is_made_while_signals_are_lost_is_found(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    family.commands.deaf = True
    child = family.starts("c")
    family.works(child, 4)
    assert await subscriber.told() == []
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    assert await subscriber.told() == family.log(ROOT, child)


async def test_one_that_was_never_made_is_let_go_when_it_is_cancelled(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c", made=False)
    await subscriber.clock.settle()
    assert family.commands.listeners(child) == 1
    family.commands.add(ROOT, "CHILD_CANCELLED", id="c")
    assert await subscriber.told() == [(ROOT, 1), (ROOT, 2)]
    assert (family.commands.listeners(child), subscriber.place.children) == (0, {})


async def test_those_that_are_done_are_let_go(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    threads = [family.starts(f"c{number}") for number in range(3)]
    await subscriber.events()
    assert [family.commands.listeners(one) for one in threads] == [1, 1, 1]
    family.reports("c0")
    await subscriber.events()
    assert [family.commands.listeners(one) for one in threads] == [0, 1, 1]


async def test_one_that_waits_for_a_person_is_followed_beyond_its_report(
    subscriber: Subscriber, family: Family
) -> None:
    await subscriber.follow()
    child = family.starts("c")
    family.commands.add(child, "SUSPENDED", "run_c", waits=[])
    family.commands.add(ROOT, "ANSWER", wait_id="child:c")
    family.commands.add(child, "CHILD_REPORTED", id="c")
    family.commands.add(child, "RESUMED", "run_c")
    family.commands.add(child, "RUN_FINISHED", "run_c")
    family.works(child)
    told = await subscriber.told()
    assert [seq for thread, seq in told if thread == child] == [1, 2, 3, 4, 5]


async def test_all_that_a_sub_agent_did_comes_before_its_report_also_when_its_signals_are_lost(
    subscriber: Subscriber, family: Family
) -> None:
    await subscriber.follow()
    child = family.starts("c")
    await subscriber.events()
    family.commands.deaf = True
    family.works(child, 7)
    family.commands.add(child, "RUN_FINISHED", "run_c")
    family.commands.deaf = False
    family.commands.add(ROOT, "ANSWER", wait_id="child:c")
    assert await subscriber.told() == [*((child, seq) for seq in range(2, 10)), (ROOT, 2)]


async def test_a_store_that_is_away_when_a_report_comes_loses_nothing(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c")
    await subscriber.events()
    family.commands.failures["history"] = StoreUnavailable("away")
    family.works(child, 3)
    family.reports("c")
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    del family.commands.failures["history"]
    await subscriber.clock.advance(2 * LIMITS.heal_s)
    told = [(event["thread_id"], event["seq"]) for event in (*await subscriber.events(),)]
    assert sorted(told) == sorted(set(family.log()) - {(ROOT, 1), (child, 1)})


async def test_one_that_is_deleted_while_it_is_followed_is_told_to_have_ended(
    subscriber: Subscriber, family: Family
) -> None:
    await subscriber.follow()
    child = family.starts("c")
    await subscriber.events()
    family.commands.forget(child)
    await subscriber.clock.advance(LIMITS.heal_s)
    await subscriber.events()
    last = subscriber.frames[-1]
    assert (last["method"], last["params"]["thread_id"]) == ("events.ended", child)
    family.works(ROOT)
    assert await subscriber.told() == [(ROOT, 2)]


async def test_the_end_of_the_thread_is_the_end_of_all(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    child = family.starts("c")
    await subscriber.events()
    family.commands.forget(ROOT)
    await subscriber.clock.advance(LIMITS.heal_s)
    assert subscriber.task is not None
    assert isinstance(await subscriber.task, NotFound)
    assert family.commands.listeners(child) == 0


async def test_threads_that_name_each_other_are_followed_once(subscriber: Subscriber, family: Family) -> None:
    child = family.starts("c")
    family.commands.add(child, "CHILD_STARTED", id="x", thread_id=ROOT)
    family.commands.add(child, "CHILD_STARTED", id="c", thread_id=child)
    await subscriber.follow()
    assert await subscriber.told() == family.log()


# ------------------------------------------------------------------------------------------------------------ bounds


async def test_thirty_two_at_once_are_all_told(subscriber: Subscriber, family: Family) -> None:
    await subscriber.follow()
    threads = [family.starts(f"c{number}") for number in range(32)]
    for round_ in range(4):
        for thread_id in threads[round_:]:
            family.works(thread_id)
    for number in range(32):
        family.reports(f"c{number}")
    told = await subscriber.told()
    assert sorted(told) == sorted(family.log())
    check_order(told, family)


async def test_of_those_that_are_too_many_each_is_told_when_another_is_done(
    subscriber: Subscriber, family: Family
) -> None:
    count = MOST_FOLLOWED + 9
    threads = [family.starts(f"c{number}") for number in range(count)]
    await subscriber.follow()
    await subscriber.events()
    assert sum(family.commands.listeners(one) for one in threads) == MOST_FOLLOWED
    family.works(threads[-1], 3)
    family.reports("c0")
    await subscriber.events()
    assert sum(family.commands.listeners(one) for one in threads) == MOST_FOLLOWED
    for number in range(1, count):
        family.reports(f"c{number}")
    await subscriber.events()
    events = [frame["params"] for frame in subscriber.frames]
    told = [(event["thread_id"], event["seq"]) for event in events]
    assert sorted(told) == sorted(family.log())
    check_order(told, family)


async def test_one_more_than_can_be_known_is_told_to_be_left_out(subscriber: Subscriber, family: Family) -> None:
    *_, last = [family.starts(f"c{number}", made=False) for number in range(MOST_KNOWN + 1)]
    subscriber.means = FollowMeans(family.commands, subscriber.clock, Limits())
    await subscriber.follow()
    await subscriber.events()
    ended = [frame["params"] for frame in subscriber.frames if frame["method"] == "events.ended"]
    assert [(one["thread_id"], one["error"]["data"]["code"]) for one in ended] == [(last, "busy")]


async def test_for_a_client_that_reads_nothing_little_is_held(family: Family) -> None:
    subscriber = Subscriber(family, Limits())
    subscriber.outbox = Outbox(subscriber.clock, Limits(stall_s=60.0))
    threads = [family.starts(f"c{number}") for number in range(32)]
    for thread_id in threads:
        for _ in range(40):
            family.commands.add(thread_id, "INPUT", text="x" * 30_000)
    await subscriber.follow()
    largest = len(event_frame(family.commands._threads[threads[0]].log[-1]))
    assert subscriber.outbox._size <= Limits().queue_bytes + largest
    told = [(event["thread_id"], event["seq"]) for event in await all_of(subscriber)]
    assert sorted(told) == sorted(family.log())
    await subscriber.leave()


async def all_of(subscriber: Subscriber) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while events := await subscriber.events():
        found += events
        subscriber.outbox._make_room()
    return found


# ------------------------------------------------------------------------------------------------------- coming back


async def played(family: Family, subscriber: Subscriber) -> None:
    """Two sub-agents at once, one of which has one of its own; then a third, which is not done in the end."""
    family.works(ROOT)
    one = family.starts("one")
    two = family.starts("two")
    deep = family.starts("deep", parent=one)
    family.works(two)
    family.works(deep, 2)
    await subscriber.clock.settle()
    family.reports("two")
    family.reports("deep", parent=one)
    family.works(one)
    family.reports("one")
    three = family.starts("three")
    family.works(three, 2)
    family.works(ROOT)


async def test_whoever_comes_back_at_any_event_gets_each_once(family: Family) -> None:
    first = Subscriber(family)
    await first.follow()
    await played(family, first)
    events = await first.events()
    await first.leave()
    whole = sorted(family.log())
    assert sorted((event["thread_id"], event["seq"]) for event in events) == whole
    for cut in range(len(events) + 1):
        place = FamilyPlace(ROOT)
        for event in events[:cut]:
            place.take(event["thread_id"], event["seq"], event["type"], event["data"])
        again = Subscriber(family)
        await again.follow(place.after, place.children)
        rest = await again.told()
        await again.leave()
        told = [*((event["thread_id"], event["seq"]) for event in events[:cut]), *rest]
        assert sorted(told) == whole, cut
        check_order(told, family)


async def test_whoever_comes_back_with_a_number_alone_gets_open_sub_agents_from_their_beginning(
    subscriber: Subscriber, family: Family
) -> None:
    done, open_ = family.starts("done"), family.starts("open")
    deep = family.starts("deep", parent=open_)
    family.works(done)
    family.reports("done")
    family.works(open_)
    family.works(ROOT)
    await subscriber.follow(after=3)
    told = await subscriber.told()
    assert sorted(told) == sorted([(ROOT, 4), *family.log(open_, deep)])
    check_order(told, family)


async def test_one_that_was_named_and_is_gone_is_told_to_have_ended(subscriber: Subscriber, family: Family) -> None:
    child = family.starts("c")
    family.works(ROOT)
    family.commands.forget(child)
    await subscriber.follow(1, {child: 1})
    await subscriber.events()
    assert sorted(frame["method"] for frame in subscriber.frames) == ["event", "events.ended"]


async def test_one_that_begins_between_a_look_at_the_thread_and_its_log_comes_behind_its_beginning(
    subscriber: Subscriber, family: Family
) -> None:
    family.works(ROOT, 2)
    gate = family.commands.gates["history"] = asyncio.Event()
    child = family.starts("c")
    await subscriber.follow(after=1)
    family.works(child)
    gate.set()
    assert await subscriber.told() == [(ROOT, 2), (ROOT, 3), (child, 1), (child, 2)]
