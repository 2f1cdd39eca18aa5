"""One daemon has a channel; whoever lost it keeps nothing more, and the next one finds what was kept."""

from __future__ import annotations

import pytest

from sulla.channels.run.shelf import LEASE_S, Shelf
from sulla.core.errors import StaleLease
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


async def test_another_home_takes_over_when_the_lease_is_over() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, random_id)
    await store.open()
    first, second = (Shelf(store, clock, f"{home}:boot", "tg") for home in ("one", "two"))
    assert await first.open()
    first.book.cursor = "7"
    await first.keep()
    assert not await second.open()
    await clock.advance(LEASE_S + 1)
    assert await second.open()
    assert second.book.cursor == "7"
    first.book.cursor = "8"
    with pytest.raises(StaleLease):
        await first.keep()
    second.book.cursor = "9"
    await second.keep()
    await second.close()
    assert await first.open()
    assert first.book.cursor == "9"


async def test_a_channel_that_is_given_back_keeps_nothing() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, random_id)
    await store.open()
    shelf = Shelf(store, clock, "one:boot", "tg")
    assert await shelf.open()
    await shelf.close()
    with pytest.raises(StaleLease):
        await shelf.keep()
