"""What a worker of a cluster does for gateways and for other workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from sulla.store.memory import MemoryStore
from sulla.store.postgres.url import parse_address
from sulla.testing.provider import Gate
from sulla.work.base import Job
from sulla.work.dbos.gateway import GatewayWork
from sulla.work.dbos.judgement import DEAD_S
from sulla.work.dbos.members import Members
from sulla.work.dbos.queue import WishQueue
from sulla.work.queue import JobCaps
from tests.kits.work_kit import CLOCK, MakeWork, Shop
from tests.soon import a_pause


@pytest.fixture
async def gateway(url: str, store: MemoryStore) -> AsyncIterator[GatewayWork]:
    address = parse_address(url)
    queue = WishQueue(url, address.shown)
    made = GatewayWork(store, queue, Members(address.conninfo, address.shown, "", ""), CLOCK, JobCaps())
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


def _statuses(url: str, key: str) -> set[str]:
    with psycopg.connect(url) as line:
        found = line.execute(
            "SELECT status FROM sulla_dbos.workflow_status WHERE queue_partition_key = %s", (key,)
        ).fetchall()
    return {status for (status,) in found}
