"""A queue is for one store, whoever comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from sulla.core.errors import StoreReplaced
from sulla.store.memory import MemoryStore
from sulla.store.postgres.url import parse_address
from sulla.work.dbos.gateway import GatewayWork
from sulla.work.dbos.line import Line
from sulla.work.dbos.queue_store import QueueStore
from sulla.work.queue import JobCaps
from tests.kits.work_kit import CLOCK, MakeWork, Shop
from tests.work.dbos.conftest import cluster

Noted = Callable[..., QueueStore]


@pytest.fixture
async def noted(url: str) -> AsyncIterator[Noted]:
    """Looks at the note as a daemon does whose store is there."""
    address = parse_address(url)
    made = cluster(url)
    await made.make(CLOCK)
    await made.close()
    async with AsyncExitStack() as stack:

        def look(place: str, *, accept: bool = False) -> QueueStore:
            line = Line(address.conninfo, address.shown)
            stack.push_async_callback(line.close)
            return QueueStore(line, place, accept=accept)

        yield look


async def test_the_first_daemon_says_which_store_it_is_and_another_one_is_refused(noted: Noted) -> None:
    await noted("postgresql://a/b").check("store_1")
    with pytest.raises(StoreReplaced, match=r"is for the store postgresql://a/b, and this daemon's store is redis://c"):
        await noted("redis://c").check("store_2")
    await noted("postgresql://a.example/b").check("store_1")


async def test_an_emptied_store_is_another_one_until_that_was_meant(noted: Noted) -> None:
    await noted("redis://c").check("store_1")
    with pytest.raises(StoreReplaced, match=r"before it was emptied or replaced, .*--accept-store"):
        await noted("redis://c").check("store_2")
    await noted("redis://c", accept=True).check("store_2")
    await noted("redis://c").check("store_2")
    with pytest.raises(StoreReplaced):
        await noted("redis://c").check("store_1")


async def test_a_gateway_and_a_worker_of_another_store_are_refused_before_they_do_anything(
    make: MakeWork, store: MemoryStore, url: str
) -> None:
    async with Shop(store, make, JobCaps()):
        other = MemoryStore(CLOCK, lambda prefix: f"{prefix}_other")
        await other.open()
        with pytest.raises(StoreReplaced):
            await GatewayWork(other, cluster(url, "front"), CLOCK).open()
        with pytest.raises(StoreReplaced):
            await Shop(other, make, JobCaps()).__aenter__()
        await other.close()
