"""Daemons on one store know of each other's people, for as long as these are there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from sulla.people.presence import HERE_S
from sulla.people.registry import TELL_S, PresenceRegistry
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock


@pytest.fixture
async def store(manual_clock: ManualClock) -> AsyncIterator[MemoryStore]:
    """A store of its own."""
    made = MemoryStore(manual_clock, lambda prefix: f"{prefix}_1")
    await made.open()
    yield made
    await made.close()


@asynccontextmanager
async def running(company: PresenceRegistry, clock: ManualClock) -> AsyncIterator[PresenceRegistry]:
    task = asyncio.create_task(company.run())
    await clock.settle()
    try:
        yield company
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def idle_s(company: PresenceRegistry, clock: ManualClock) -> list[tuple[str, tuple[str, ...], float | None]]:
    now_ms = round(clock.now() * 1000)
    return [(one.name, one.clients, one.idle_s(now_ms)) for one in await company.look()]


async def test_an_open_socket_is_no_activity_however_long_it_is_open(
    store: MemoryStore, manual_clock: ManualClock
) -> None:
    here, there = PresenceRegistry(store, manual_clock, "one:1"), PresenceRegistry(store, manual_clock, "two:1")
    async with running(here, manual_clock):
        here.connected("ses_1", "owner", "desktop")
        await manual_clock.advance(2)
        assert await idle_s(there, manual_clock) == [("owner", ("desktop",), None)]
        here.active("ses_1", "owner", "ws")
        await manual_clock.advance(3_600)
        assert await idle_s(there, manual_clock) == [("owner", ("desktop",), 3_600)]


async def test_a_client_that_leaves_is_gone_and_what_its_person_did_is_not(
    store: MemoryStore, manual_clock: ManualClock
) -> None:
    here, there = PresenceRegistry(store, manual_clock, "one:1"), PresenceRegistry(store, manual_clock, "two:1")
    async with running(here, manual_clock):
        here.connected("ses_1", "owner", "desktop")
        here.active("ses_1", "owner", "ws", ago_s=30)
        await manual_clock.advance(5)
        here.disconnected("ses_1")
        await manual_clock.advance(5)
        assert await idle_s(there, manual_clock) == await idle_s(here, manual_clock) == [("owner", (), 40)]


async def test_a_daemon_that_was_killed_takes_its_clients_with_it(
    store: MemoryStore, manual_clock: ManualClock
) -> None:
    here, there = PresenceRegistry(store, manual_clock, "one:1"), PresenceRegistry(store, manual_clock, "two:1")
    async with running(here, manual_clock):
        here.connected("ses_1", "owner", "desktop")
        here.active("ses_1", "owner", "ws")
        await manual_clock.advance(TELL_S + 2)
    assert (await idle_s(there, manual_clock))[0][1] == ("desktop",)
    await manual_clock.advance(HERE_S)
    assert (await idle_s(there, manual_clock))[0][1] == ()


async def test_two_daemons_that_speak_at_once_are_both_heard_in_the_end(
    store: MemoryStore, manual_clock: ManualClock
) -> None:
    one, two = PresenceRegistry(store, manual_clock, "one:1"), PresenceRegistry(store, manual_clock, "two:1")
    async with running(one, manual_clock), running(two, manual_clock):
        one.connected("ses_1", "owner", "desktop")
        two.connected("ses_2", "ann", "web")
        await manual_clock.advance(2 * TELL_S + 3)
        third = PresenceRegistry(store, manual_clock, "three:1")
        assert {name for name, clients, _ in await idle_s(third, manual_clock) if clients} == {"owner", "ann"}


async def test_what_a_client_says_of_its_person_is_told_until_it_says_otherwise(
    store: MemoryStore, manual_clock: ManualClock
) -> None:
    here = PresenceRegistry(store, manual_clock, "one:1")
    here.connected("ses_1", "owner", "desk\n top")
    here.report("ses_1", False, "  in a\n talk")
    here.report("ses_1", None, None)
    (owner,) = await here.look()
    assert (owner.clients, owner.available, owner.activity) == (("desk top",), False, "in a talk")
    here.report("ses_no", True, "nobody")
    here.report("ses_1", True, "")
    (owner,) = await here.look()
    assert (owner.available, owner.activity) == (True, "")


async def test_activity_never_goes_back(store: MemoryStore, manual_clock: ManualClock) -> None:
    here = PresenceRegistry(store, manual_clock, "one:1")
    here.connected("ses_1", "owner", "desktop")
    here.active("ses_1", "owner", "ws", ago_s=10)
    here.active("ses_1", "owner", "ws", ago_s=500)
    here.active("rest_1", "owner", "rest", ago_s=700)
    assert await idle_s(here, manual_clock) == [("owner", ("desktop",), 10)]


async def test_nothing_is_written_while_nobody_is_there(store: MemoryStore, manual_clock: ManualClock) -> None:
    here = PresenceRegistry(store, manual_clock, "one:1")
    async with running(here, manual_clock):
        await manual_clock.advance(10 * TELL_S)
        assert await store.get("presence") is None


async def test_damage_is_found_out_anew(store: MemoryStore, manual_clock: ManualClock) -> None:
    await store.put("presence", b"{")
    here = PresenceRegistry(store, manual_clock, "one:1")
    here.connected("ses_1", "owner", "desktop")
    assert await idle_s(here, manual_clock) == [("owner", ("desktop",), None)]
