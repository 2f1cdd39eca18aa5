"""What was used today outlives the process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.limits.limits import Charge
from sulla.core.errors import LimitReached
from sulla.daemon.day_account import EVERY_S, KEY, Account
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


def spend(ledger: Ledger, clock: ManualClock, tokens: int) -> None:
    ledger.settle(f"call{ledger.changes}", "sulla", Charge(tokens), clock.now())


async def test_the_next_process_goes_on_with_what_is_left(store: MemoryStore) -> None:
    clock = ManualClock()
    first = Ledger(DayLimits(tokens=1_000))
    account = Account(first, store, clock, "one:1")
    await account.open()
    spend(first, clock, 900)
    await account.keep()
    second = Ledger(DayLimits(tokens=1_000))
    await Account(second, store, clock, "one:2").open()
    with pytest.raises(LimitReached, match="used 900 tokens"):
        second.reserve("x", "sulla", Charge(101), clock.now())


async def test_it_is_kept_within_a_second_and_only_when_it_has_changed(store: MemoryStore) -> None:
    clock, ledger = ManualClock(), Ledger(DayLimits())
    account = Account(ledger, store, clock, "one:1")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(account.run())
        await clock.advance(EVERY_S)
        assert await store.get(KEY) is None
        spend(ledger, clock, 5)
        await clock.advance(EVERY_S)
        kept = await store.get(KEY)
        assert kept is not None
        await store.remove(KEY)
        await clock.advance(EVERY_S)
        assert await store.get(KEY) is None
        running.cancel()


async def test_an_account_that_cannot_be_read_is_said_and_begun_anew(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    clock, ledger = ManualClock(), Ledger(DayLimits())
    await store.put(KEY, b"{nonsense")
    with caplog.at_level(logging.ERROR):
        await Account(ledger, store, clock, "one:1").open()
    assert "counting begins anew" in caplog.text
    assert ledger.used(clock.now()).tokens == 0
