"""By which agent a conversation is counted among those that run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.ids import ThreadId
from sulla.handoffs.groups import TurnGroups
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.work.base import Group
from tests.handoffs.team import TeamWorld, call

DONE = "Found. <AGENT_DONE>found</AGENT_DONE>"


@pytest.fixture
async def world() -> AsyncIterator[TeamWorld]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield TeamWorld(store, ScriptedProvider([Say("", (call(1, "transfer_to_writer"),)), DONE, DONE]))
    await store.close()


async def test_a_turn_counts_for_whoever_speaks_before_that_one_is_asked(world: TeamWorld) -> None:
    thread = await world.thread()
    await world.ask(thread, "write it")
    await world.ask(thread, "and again")
    assert world.passed == [(thread, "sulla"), (thread, "writer"), (thread, "writer")]


async def test_a_conversation_is_counted_by_the_agent_that_has_it(world: TeamWorld) -> None:
    thread = await world.thread()
    assert await TurnGroups(world.threads)(thread) == Group("sulla")
    await world.ask(thread, "write it")
    assert await TurnGroups(world.threads)(thread) == Group("writer")  # as after a restart


async def test_who_goes_on_with_a_conversation_has_its_next_turn(world: TeamWorld) -> None:
    thread, groups = await world.thread(), TurnGroups(world.threads)
    assert await groups(thread) == Group("sulla")
    groups.passed(thread, "writer")
    assert await groups(thread) == Group("writer")


async def test_what_is_no_thread_counts_for_nobody(world: TeamWorld) -> None:
    assert await TurnGroups(world.threads)(ThreadId("thr_gone")) == Group("")
