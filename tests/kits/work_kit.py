"""What every kind of worker promises, tried in real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from sulla.core.control import Control
from sulla.host.system import SystemClock
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.provider import Gate
from sulla.work.base import Group, GroupOf, Handler, Job, Work
from sulla.work.local import LocalWork
from sulla.work.queue import JobCaps
from tests.soon import a_pause

PATIENCE_S = 50.0
CLOCK = SystemClock()

MakeWork = Callable[[MemoryStore, Handler, GroupOf, JobCaps], Work]
"""Makes a worker over a store that nobody else uses."""


class Shop:
    """A worker that runs, and what its handler did; the work is over when the block ends.

    Args:
        store: where its logs are.
        make: makes the worker.
        caps: how much it does at once.
    """

    def __init__(self, store: MemoryStore, make: MakeWork, caps: JobCaps) -> None:
        self.store = store
        self.seen: list[str] = []
        self.gates: dict[str, Gate] = {}
        self.fails: set[str] = set()
        self.agents: dict[str, str] = {}
        self.work = make(store, self.handle, self.group_of, caps)
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Shop:
        await self.work.open()
        self._running = asyncio.create_task(self.work.run())
        return self

    async def __aexit__(self, *error: object) -> None:
        for gate in self.gates.values():
            gate.open()
        await self.end(PATIENCE_S)

    async def end(self, patience_s: float) -> None:
        """Stop the worker."""
        running, self._running = self._running, None
        if running is not None:
            await self.work.stop(patience_s)
            await running

    @property
    def looked_at(self) -> list[str]:
        """The logs that were looked at, in order; to look twice costs nothing."""
        return list(dict.fromkeys(self.seen))

    async def handle(self, job: Job) -> None:
        self.seen.append(job.key)
        if job.key in self.gates:
            await self.gates[job.key].pass_through()
        if job.key in self.fails:
            raise RuntimeError("boom")
        grant = await self.store.acquire(job.key, "home:1", 30.0)
        if grant is not None:
            await self.store.append(grant.lease, 1, [], Head("thread"), grant.last_seq, release=True)

    async def group_of(self, key: str) -> Group:
        return Group(self.agents.get(key, "agent"))

    async def offer(self, key: str, dedupe_id: str = "1") -> None:
        """Give a log something to do."""
        await self.store.offer(key, dedupe_id, Draft("INPUT", b""), digest=b"", create=Head("thread"))

    async def ask(self, *keys: str) -> None:
        """Give logs something to do, and say so."""
        for key in keys:
            await self.offer(key)
            self.work.enqueue(Job(key))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        async with CLOCK.timeout(PATIENCE_S):
            while not holds():
                await a_pause()


class WorkKit:
    """The promises; a subclass has the fixtures `make` and `store`."""

    async def test_a_log_that_nobody_told_of_is_found(self, make: MakeWork, store: MemoryStore) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            await shop.offer("a")
            await shop.until(lambda: shop.looked_at == ["a"])

    async def test_a_wish_that_comes_while_the_log_is_worked_on_is_not_lost(
        self, make: MakeWork, store: MemoryStore
    ) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            gate = shop.gates["a"] = Gate()
            await shop.ask("a")
            await gate.reached()
            shop.work.enqueue(Job("a"))
            gate.open()
            await shop.until(lambda: shop.seen.count("a") > 1)

    async def test_a_log_is_worked_on_by_one_job_at_a_time(self, make: MakeWork, store: MemoryStore) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            gate = shop.gates["a"] = Gate()
            await shop.ask("a")
            await gate.reached()
            await shop.offer("a", "2")
            await shop.ask("a", "b")
            await shop.until(lambda: "b" in shop.seen)
            assert shop.seen == ["a", "b"]

    async def test_the_caps_hold(self, make: MakeWork, store: MemoryStore) -> None:
        async with Shop(store, make, JobCaps(total=2)) as shop:
            shop.gates = {key: Gate() for key in "abc"}
            await shop.ask("a", "b")
            await shop.until(lambda: len(shop.seen) == 2)
            await shop.ask("c")
            await shop.until(lambda: shop.work.inspect().queued == ("c",))
            shop.gates["a"].open()
            await shop.until(lambda: shop.seen[2:] == ["c"])

    async def test_what_waits_is_the_same_figure_at_all_who_look(self, make: MakeWork, store: MemoryStore) -> None:
        async with Shop(store, make, JobCaps(total=1)) as shop:
            gate = shop.gates["a"] = Gate()
            await shop.ask("a")
            await gate.reached()
            await store.acquire("a", "home:1", PATIENCE_S)
            await shop.ask("b", "c", "d")
            other = LocalWork(store, shop.handle, shop.group_of, CLOCK, JobCaps())
            other.hold(True)  # it is another daemon, which has heard of none of them
            looking = asyncio.create_task(other.run())
            for one in (shop.work, other):
                await shop.until(lambda: one.inspect().waiting == 3)  # noqa: B023 - waited for here
            await other.stop(0.0)
            await looking
            gate.open()
            await shop.until(lambda: shop.work.inspect().waiting == 0)

    async def test_a_turn_that_another_agent_goes_on_with_waits_for_a_place_of_that_agent(
        self, make: MakeWork, store: MemoryStore
    ) -> None:
        async with Shop(store, make, JobCaps(per_agent=1)) as shop:
            shop.agents, shop.gates = {"a": "router", "b": "clerk"}, {"a": Gate(), "b": Gate()}
            await shop.ask("a", "b")
            await shop.until(lambda: sorted(shop.seen) == ["a", "b"])
            passing = asyncio.create_task(shop.work.pass_to("a", "clerk", Control()))
            await a_pause()
            assert not passing.done()
            shop.gates["b"].open()
            await passing

    async def test_a_job_that_fails_is_tried_again_after_a_second(
        self, make: MakeWork, store: MemoryStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            shop.fails.add("a")
            await shop.ask("a")
            await shop.until(lambda: shop.work.inspect().failing == ("a",))
            failed_s = CLOCK.elapsed()
            shop.fails.clear()
            await shop.until(lambda: shop.work.inspect().failing == ())
            assert CLOCK.elapsed() - failed_s > 0.9
            assert "boom" in caplog.text

    async def test_while_held_nothing_starts_but_what_is_heeded(self, make: MakeWork, store: MemoryStore) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            await shop.ask("first")
            await shop.until(lambda: shop.looked_at == ["first"])
            shop.work.hold(True)
            await shop.ask("a")
            await shop.work.heed(Job("b"))
            assert shop.looked_at == ["first", "b"]
            shop.work.hold(False)
            await shop.until(lambda: shop.looked_at == ["first", "b", "a"])

    async def test_a_stop_waits_for_what_runs_and_then_cuts_it_off(
        self, make: MakeWork, store: MemoryStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with Shop(store, make, JobCaps()) as shop:
            gate = shop.gates["a"] = Gate()
            await shop.ask("a")
            await gate.reached()
            await shop.end(0.1)
            assert "cut off" in caplog.text
            await shop.ask("b")
            assert shop.seen == ["a"]
