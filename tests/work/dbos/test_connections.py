"""How many connections a process has to the queue's PostgreSQL: so many, whatever is asked of it at once."""

from __future__ import annotations

import asyncio

import psycopg

from sulla.store.memory import MemoryStore
from sulla.work.base import GroupOf, Handler
from sulla.work.dbos.connections import GATEWAY, WORKER
from sulla.work.dbos.gateway import GatewayWork
from sulla.work.dbos.worker import DbosWork
from sulla.work.queue import JobCaps
from tests.kits.work_kit import CLOCK, PATIENCE_S, Shop
from tests.work.dbos.conftest import cluster, no_lease

_COUNT = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name <> current_setting('application_name')"""


def _counted(url: str) -> int:
    with psycopg.connect(url, autocommit=True, application_name="who counts") as line:
        found = line.execute(_COUNT).fetchone()
    assert found is not None
    return int(found[0])


async def test_a_gateway_has_at_most_those_that_are_said(store: MemoryStore, url: str) -> None:
    front = cluster(url, "front")
    work = GatewayWork(store, front, CLOCK)
    await work.open()
    for _ in range(5):
        await asyncio.gather(*(front.queue.wanted() for _ in range(40)), front.members.alive())
    assert await asyncio.to_thread(_counted, url) == GATEWAY
    await front.close()


async def test_a_worker_has_at_most_those_that_are_said(store: MemoryStore, url: str) -> None:
    member, most = cluster(url, poll_s=0.05), 0

    def make(store: MemoryStore, handler: Handler, group_of: GroupOf, caps: JobCaps) -> DbosWork:
        return DbosWork(store, handler, group_of, member, no_lease, CLOCK, caps)

    async with Shop(store, make, JobCaps()) as shop:
        keys = [f"log-{number}" for number in range(60)]
        await shop.ask(*keys)
        async with CLOCK.timeout(PATIENCE_S):
            while len(shop.looked_at) < len(keys):
                await asyncio.gather(*(member.queue.wanted() for _ in range(20)))
                most = max(most, await asyncio.to_thread(_counted, url))
    assert GATEWAY < most <= WORKER
