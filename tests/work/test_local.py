"""The worker in the process: finds what there is to do, never loses a wake-up, and ends in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import pytest

from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate
from sulla.work.base import Group, Job
from sulla.work.local import SWEEP_S, LocalWork
from sulla.work.queue import JobCaps


class Shop:
    """A worker over a store, and what its handler did."""

    def __init__(self, clock: ManualClock, store: MemoryStore, caps: JobCaps | None = None) -> None:
        self.clock, self.store = clock, store
        self.seen: list[str] = []
        self.gates: dict[str, Gate] = {}
        self.fails: set[str] = set()
        self.failure: Exception = RuntimeError("boom")
        self.agents: dict[str, str] = {}
        self.work = LocalWork(store, self.handle, self.group_of, clock, caps or JobCaps())

    async def handle(self, job: Job) -> None:
        self.seen.append(job.key)
        if job.key in self.gates:
            await self.gates[job.key].pass_through()
        if job.key in self.fails:
            raise self.failure
        grant = await self.store.acquire(job.key, "home:1", 30.0)
        if grant is not None:
            await self.store.append(grant.lease, 1, [], Head("thread"), grant.last_seq, release=True)

    async def group_of(self, key: str) -> Group:
        return Group(self.agents.get(key, "agent"))

    async def offer(self, key: str, dedupe_id: str = "1") -> None:
        await self.store.offer(key, dedupe_id, Draft("INPUT", b""), digest=b"", create=Head("thread"))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let things happen, without time passing, until something holds."""
        for _ in range(100):
            if holds():
                return
            await self.clock.settle()
        raise AssertionError("it did not come to pass")


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    yield Shop(clock, store)
    await store.close()


@pytest.fixture
async def open_shop(shop: Shop) -> AsyncIterator[Shop]:
    running = asyncio.ensure_future(shop.work.run())
    await shop.clock.settle()
    yield shop
    stopping = asyncio.ensure_future(shop.work.stop(5))
    await shop.clock.advance(6)
    await stopping
    await running


async def test_what_the_store_says_is_unfinished_is_taken_over_at_the_start(shop: Shop) -> None:
    await shop.offer("a")
    grant = await shop.store.acquire("a", "home:0", 30.0)  # an earlier boot of this home held it when it died
    assert grant is not None
    running = asyncio.ensure_future(shop.work.run())
    await shop.until(lambda: shop.seen == ["a"])
    await shop.work.stop(5)
    await running


async def test_a_log_that_nobody_told_of_is_found_within_a_second(open_shop: Shop) -> None:
    await open_shop.offer("a")
    await open_shop.clock.advance(1)
    await open_shop.until(lambda: open_shop.seen == ["a"])


async def test_a_log_that_somebody_else_works_on_is_left_alone(open_shop: Shop) -> None:
    await open_shop.offer("a")
    assert await open_shop.store.acquire("a", "other:1", 30.0) is not None
    await open_shop.clock.advance(5)
    assert open_shop.seen == []
    await open_shop.clock.advance(27)  # its lease runs out
    await open_shop.until(lambda: open_shop.seen == ["a"])


async def test_a_job_is_done_at_once(open_shop: Shop) -> None:
    await open_shop.offer("a")
    open_shop.work.enqueue(Job("a"))
    await open_shop.until(lambda: open_shop.seen == ["a"])


async def test_a_wish_that_comes_while_the_log_is_worked_on_is_not_lost(open_shop: Shop) -> None:
    gate = open_shop.gates["a"] = Gate()
    await open_shop.offer("a")
    open_shop.work.enqueue(Job("a"))
    await gate.reached()
    open_shop.work.enqueue(Job("a"))
    await open_shop.clock.settle()
    assert open_shop.seen == ["a"]
    gate.open()
    await open_shop.until(lambda: open_shop.seen == ["a", "a"])


async def test_a_turn_that_another_agent_goes_on_with_waits_for_a_place_of_that_agent(shop: Shop) -> None:
    shop.work = LocalWork(shop.store, shop.handle, shop.group_of, shop.clock, JobCaps(per_agent=1))
    shop.agents = {"a": "router", "b": "clerk", "c": "router"}
    for key in "abc":
        shop.gates[key] = Gate()
        await shop.offer(key)
        shop.work.enqueue(Job(key))
    running = asyncio.ensure_future(shop.work.run())
    await shop.until(lambda: shop.seen == ["a", "b"])
    passing = asyncio.ensure_future(shop.work.pass_to("a", "clerk", Control()))
    await shop.until(lambda: shop.seen == ["a", "b", "c"])  # it has given back the router's place
    assert not passing.done()
    shop.gates["b"].open()
    await passing
    for key in "ac":
        shop.gates[key].open()
    await shop.work.stop(5)
    await running


async def test_a_turn_that_is_to_be_put_down_waits_for_no_place(shop: Shop) -> None:
    shop.work = LocalWork(shop.store, shop.handle, shop.group_of, shop.clock, JobCaps(per_agent=1))
    shop.agents, control = {"a": "router", "b": "clerk"}, Control()
    for key in "ab":
        shop.gates[key] = Gate()
        await shop.offer(key)
        shop.work.enqueue(Job(key))
    running = asyncio.ensure_future(shop.work.run())
    await shop.until(lambda: shop.seen == ["a", "b"])
    passing = asyncio.ensure_future(shop.work.pass_to("a", "clerk", control))
    await shop.clock.settle()
    assert not passing.done()
    control.drain()
    await passing
    for key in "ab":
        shop.gates[key].open()
    await shop.work.stop(5)
    await running


async def test_a_job_that_fails_is_tried_again_later_and_later(
    open_shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    open_shop.fails.add("a")
    await open_shop.offer("a")
    await open_shop.clock.advance(60)
    # After 1, 5 and 30 seconds, each at the next sweep; the fourth failure waits five minutes.
    assert 3 <= len(open_shop.seen) <= 5
    assert open_shop.work.inspect().failing == ("a",)
    assert "boom" in caplog.text
    open_shop.fails.clear()
    open_shop.work.enqueue(Job("a"))  # a person's new message tries at once
    await open_shop.until(lambda: open_shop.work.inspect().failing == ())


async def test_what_fails_in_an_outage_of_the_store_is_one_line_without_a_traceback(
    open_shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    open_shop.fails.add("a")
    open_shop.failure = StoreUnavailable("the server is away: start it")
    await open_shop.offer("a")
    await open_shop.clock.advance(60)
    told = [record for record in caplog.records if "a job failed" in record.getMessage()]
    assert told
    for record in told:
        assert (record.levelno, record.exc_info) == (logging.WARNING, None)
        assert "the server is away: start it" in record.getMessage()
    assert open_shop.work.inspect().failing == ("a",)


async def test_a_stop_waits_for_what_runs_and_then_cuts_it_off(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    running = asyncio.ensure_future(shop.work.run())
    gate = shop.gates["a"] = Gate()
    shop.work.enqueue(Job("a"))
    await gate.reached()
    stopping = asyncio.ensure_future(shop.work.stop(10))
    await shop.clock.advance(9)
    assert not stopping.done()
    await shop.clock.advance(2)
    await stopping
    await running
    assert "cut off" in caplog.text
    shop.work.enqueue(Job("b"))
    assert shop.work.inspect().queued == ()


async def test_the_caps_hold(shop: Shop) -> None:
    small = Shop(shop.clock, shop.store, JobCaps(total=2))
    running = asyncio.ensure_future(small.work.run())
    for name in "abc":
        small.gates[name] = Gate()
        small.work.enqueue(Job(name))
    await small.until(lambda: small.seen == ["a", "b"])
    assert small.work.inspect().queued == ("c",)
    small.gates["a"].open()
    await small.until(lambda: small.seen == ["a", "b", "c"])
    for gate in small.gates.values():
        gate.open()
    await small.work.stop(5)
    await running


async def test_while_held_nothing_starts_and_what_waits_is_counted(open_shop: Shop) -> None:
    gate = open_shop.gates["a"] = Gate()
    await open_shop.offer("a")
    open_shop.work.enqueue(Job("a"))
    await gate.reached()
    open_shop.work.hold(True)
    await open_shop.offer("b")
    open_shop.work.enqueue(Job("b"))
    open_shop.work.enqueue(Job("a"))
    gate.open()
    for _ in range(10):
        await open_shop.clock.advance(SWEEP_S)
    doing = open_shop.work.inspect()
    assert (open_shop.seen, doing.queued, doing.waiting) == (["a"], (), 1)
    open_shop.work.hold(False)
    await open_shop.clock.advance(SWEEP_S)
    await open_shop.until(lambda: open_shop.seen == ["a", "b"])


async def test_what_was_queued_before_starts_when_it_is_held_no_more(shop: Shop) -> None:
    shop.work = LocalWork(shop.store, shop.handle, shop.group_of, shop.clock, JobCaps(total=1))
    running = asyncio.ensure_future(shop.work.run())
    gate = shop.gates["a"] = Gate()
    shop.work.enqueue(Job("a"))
    shop.work.enqueue(Job("b"))  # nothing is ready in it, so no sweep would find it
    await gate.reached()
    shop.work.hold(True)
    gate.open()
    await shop.clock.settle()
    assert (shop.seen, shop.work.inspect().queued) == (["a"], ("b",))
    shop.work.hold(False)
    await shop.until(lambda: shop.seen == ["a", "b"])
    await shop.work.stop(5)
    await running


async def test_a_worker_that_is_held_from_the_start_takes_over_when_it_is_held_no_more(shop: Shop) -> None:
    await shop.offer("a")
    assert await shop.store.acquire("a", "home:0", 30.0) is not None  # left behind by the boot before
    shop.work.hold(True)
    running = asyncio.ensure_future(shop.work.run())
    await shop.clock.advance(10)
    assert shop.seen == []
    shop.work.hold(False)
    await shop.clock.advance(SWEEP_S)
    await shop.until(lambda: shop.seen == ["a"])
    await shop.work.stop(5)
    await running
