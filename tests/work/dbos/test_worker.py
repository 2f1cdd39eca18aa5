"""What a worker of a cluster does for gateways and for other workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from functools import partial
from typing import Any

import psycopg
import pytest

from sulla.core.control import Control
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.provider import Gate
from sulla.work.base import Group, Job
from sulla.work.dbos import worker
from sulla.work.dbos.executor import Executor
from sulla.work.dbos.gateway import GatewayWork
from sulla.work.dbos.hints import CHANNEL, Hint
from sulla.work.dbos.judgement import DEAD_S
from sulla.work.dbos.wishes import Wish
from sulla.work.queue import JobCaps
from tests.kits.in_turn import in_turn
from tests.kits.work_kit import CLOCK, PATIENCE_S, MakeWork, Shop
from tests.soon import a_pause
from tests.work.dbos.conftest import cluster, making

pytestmark = in_turn(3)


@pytest.fixture
async def gateway(url: str, store: MemoryStore) -> AsyncIterator[GatewayWork]:
    made = GatewayWork(store, cluster(url, ""), CLOCK)
    await made.open()
    running = asyncio.create_task(made.run())
    yield made
    await made.stop(0.0)
    await running


async def test_what_a_gateway_wants_is_done_by_a_worker(
    make: MakeWork, store: MemoryStore, gateway: GatewayWork
) -> None:
    async with Shop(store, make, JobCaps()) as shop:
        gateway.enqueue(Job("quiet"))  # nothing is ready in it, so no sweep finds it
        await shop.until(lambda: shop.looked_at == ["quiet"])
        assert gateway.inspect().running == ()


async def test_a_worker_with_a_place_begins_what_it_is_told_of_before_it_looks_into_the_queue(
    url: str, store: MemoryStore
) -> None:
    async with Shop(store, making(url, poll_s=PATIENCE_S * 2), JobCaps()) as shop:
        while not store.is_heard(CHANNEL):
            await a_pause()
        for number in range(3):
            shop.work.enqueue(Job("quiet"))
            await shop.until(lambda: len(shop.seen) == number + 1)  # noqa: B023 - waited for here
        assert _statuses(url, "quiet") == {"CANCELLED"}


async def test_what_nobody_was_told_of_is_found_in_the_queue(make: MakeWork, store: MemoryStore, url: str) -> None:
    deaf = cluster(url, "front")
    await deaf.make(CLOCK)
    async with Shop(store, make, JobCaps()) as shop:
        await deaf.queue.send(Wish("quiet", 0))
        await shop.until(lambda: shop.looked_at == ["quiet"])
    await deaf.close()


async def test_a_gateway_says_that_nobody_is_at_work_and_what_waits_for_that(
    make: MakeWork, store: MemoryStore, gateway: GatewayWork, url: str
) -> None:
    async def seen(workers: int, waiting: int) -> None:
        async with CLOCK.timeout(PATIENCE_S):
            while (found := gateway.inspect()) and (found.workers, found.waiting) != (workers, waiting):
                await a_pause()

    assert gateway.inspect().workers is None, "it has not looked yet"
    for key in ("a", "b"):
        await store.offer(key, "1", Draft("INPUT", b""), digest=b"", create=Head("thread"))
    await seen(0, 2)
    with psycopg.connect(url, autocommit=True) as line:
        line.execute("INSERT INTO sulla_work.members VALUES ('two', 'h', now() + make_interval(secs => 60))")
        line.execute(
            "INSERT INTO sulla_work.members VALUES ('dead', 'h', now() - make_interval(secs => %s))", (DEAD_S,)
        )
    await seen(1, 2)
    async with Shop(store, make, JobCaps()):
        await seen(2, 0)
    await seen(1, 0)


async def test_what_another_worker_does_is_left_to_it_and_looked_at_again_by_it(
    make: MakeWork, store: MemoryStore, url: str, gateway: GatewayWork
) -> None:
    async with Shop(store, make, JobCaps()) as shop:
        other = cluster(url, "other")
        await other.members.join(CLOCK)
        await other.claims.take("quiet", "")
        gateway.enqueue(Job("quiet"))
        while not _wanted_again(url):
            await a_pause()
        assert shop.seen == []
        assert await other.claims.end("quiet")
        await other.close()


async def test_a_job_waits_while_another_worker_has_the_last_place_and_others_go_on_meanwhile(
    make: MakeWork, store: MemoryStore, url: str
) -> None:
    async with Shop(store, make, JobCaps(per_agent=1)) as shop:
        shop.agents = {"b": "clerk"}
        other = cluster(url, "other")
        await other.members.join(CLOCK)
        await other.claims.take("c", "", Group("agent"))
        await shop.ask("a")
        await shop.until(lambda: shop.work.inspect().queued == ("a",))
        await shop.ask("b")
        await shop.until(lambda: "b" in shop.seen)
        assert shop.looked_at == ["b"]
        await other.claims.end("c")
        await shop.until(lambda: shop.looked_at == ["b", "a"])
        await other.close()


async def test_a_turn_waits_for_a_place_of_its_next_agent_that_another_worker_has(
    make: MakeWork, store: MemoryStore, url: str
) -> None:
    async with Shop(store, make, JobCaps(per_agent=1)) as shop:
        gate = shop.gates["a"] = Gate()
        other = cluster(url, "other", caps=JobCaps(per_agent=1))
        await other.members.join(CLOCK)
        await other.claims.take("c", "", Group("clerk"))
        await shop.ask("a")
        await gate.reached()
        passing = asyncio.create_task(shop.work.pass_to("a", "clerk", Control()))
        while await other.claims.take("d", "", Group("agent")) != "":
            await a_pause()  # the first agent's place is given back meanwhile
        assert not passing.done()
        await other.claims.end("c")
        await passing
        await other.close()


async def test_what_is_to_be_heeded_at_a_gateway_while_all_stands_still_is_done_by_a_worker(
    make: MakeWork, store: MemoryStore, gateway: GatewayWork
) -> None:
    async with Shop(store, make, JobCaps()) as shop:
        for work in (shop.work, gateway):
            work.hold(True)
        gateway.enqueue(Job("not now"))
        await gateway.heed(Job("ended"))
        await shop.until(lambda: shop.looked_at == ["ended"])


async def test_a_worker_that_stops_gives_back_what_waits_for_a_place(
    make: MakeWork, store: MemoryStore, url: str
) -> None:
    async with Shop(store, make, JobCaps(total=1)) as shop:
        gate = shop.gates["a"] = Gate()
        await shop.ask("a")
        await gate.reached()
        await shop.ask("b")
        await shop.until(lambda: shop.work.inspect().queued == ("b",))
        stopping = asyncio.create_task(shop.end(30.0))
        await shop.until(lambda: _statuses(url, "b") == {"ENQUEUED"})
        assert not stopping.done(), "it waits for what runs"
        gate.open()
        await stopping
        assert shop.seen == ["a"]


class _LateExecutor(Executor):
    """One that takes a last wish when nothing is under way any more, as DBOS may before it has stopped taking."""

    def __init__(self, wish: Hint, *how: Any) -> None:
        super().__init__(*how)
        self._wish = wish
        self._rests = asyncio.Event()

    def let_go(self, but_for: Collection[str] = ()) -> list[Hint]:
        found = super().let_go(but_for)
        if not but_for:
            self._rests.set()
        return found

    async def close(self, patience_s: float) -> None:
        if patience_s:
            await self._rests.wait()
            await a_pause()  # whoever stops lets go of all at once, and this comes behind that
            begun = asyncio.run_coroutine_threadsafe(self._one(self._wish), asyncio.get_running_loop())
            self._begun[begun] = self._wish
            with suppress(asyncio.CancelledError):
                await asyncio.wrap_future(begun)
            del self._begun[begun]
        await super().close(0.0)


async def test_a_worker_that_stops_does_not_wait_for_a_wish_that_it_took_last(
    make: MakeWork, store: MemoryStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    front = cluster(url, "front")
    await front.make(CLOCK)
    mark = await front.queue.send(Wish("late", 0, delay_s=PATIENCE_S))
    monkeypatch.setattr(worker, "Executor", partial(_LateExecutor, Hint("late", mark)))
    async with Shop(store, make, JobCaps()) as shop:
        await shop.ask("first")
        await shop.until(lambda: shop.seen == ["first"])
        async with CLOCK.timeout(PATIENCE_S / 2):
            await shop.end(PATIENCE_S)
        assert shop.seen == ["first"]
        assert _statuses(url, "late") == {"ENQUEUED"}, "it was given back"
    await front.close()


async def test_what_a_dead_worker_had_taken_is_done_by_another_one(
    make: MakeWork, store: MemoryStore, url: str, gateway: GatewayWork
) -> None:
    gateway.enqueue(Job("lost"))
    while not _statuses(url, "lost"):
        await a_pause()
    with psycopg.connect(url, autocommit=True) as line:
        line.execute("UPDATE sulla_dbos.workflow_status SET status = 'PENDING', executor_id = 'dead'")
        line.execute(
            "INSERT INTO sulla_work.members VALUES ('dead', 'h', now() - make_interval(secs => %s))", (DEAD_S,)
        )
    async with Shop(store, make, JobCaps()) as shop:
        await shop.until(lambda: shop.looked_at == ["lost"])


def _wanted_again(url: str) -> bool:
    with psycopg.connect(url) as line:
        return line.execute("SELECT 1 FROM sulla_work.claims WHERE again").fetchone() is not None


def _statuses(url: str, key: str) -> set[str]:
    with psycopg.connect(url) as line:
        found = line.execute(
            "SELECT status FROM sulla_dbos.workflow_status WHERE queue_partition_key = %s", (key,)
        ).fetchall()
    return {status for (status,) in found}
