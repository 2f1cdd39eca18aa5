"""All that a run sets to work uses no more than the run may itself."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.agent.limits.limits import Charge, RunLimits, check_model_call, set_aside
from sulla.agent.subagents.children import Children, ChildTask
from sulla.core.errors import LimitReached
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import Birth, ChildMode, Report, wait_of
from sulla.threads.log.records import Answer, RunStarted, ToolCallStart
from sulla.threads.session import ThreadSession


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def at_work(store: MemoryStore, limits: RunLimits) -> tuple[World, ThreadSession]:
    """A run that could set others to work now."""
    world = World(store, ScriptedProvider(), limits=limits)
    thread = await world.thread()
    await world.send(thread, "go")
    session = await world.threads.attend(thread)
    assert session is not None
    item = session.state.runnable[0]
    await session.commit(RunStarted(item.seq, item.message_id, "sulla"))
    return world, session


async def begin(world: World, session: ThreadSession, name: str, mode: ChildMode = "spawn") -> Birth:
    children: Children = world.family.children
    thread = await children.start(ChildTask(name, "sulla", ours("go"), mode), session.state)
    await session.pull()
    state = await world.threads.load(ThreadId(thread))
    assert state is not None
    assert state.identity.birth is not None
    return state.identity.birth


async def test_however_many_children_together_have_no_more_than_their_parent_had_left(store: MemoryStore) -> None:
    limits = RunLimits(tokens=100_000, reply_tokens=100, cost_micro=1_000)
    world, session = await at_work(store, limits)
    born = [await begin(world, session, f"c{number}") for number in range(9)]
    assert [birth.tokens for birth in born[:3]] == [25_000, 18_750, 14_062]
    assert [birth.cost_micro for birth in born[:3]] == [250, 187, 140]
    assert sum(birth.tokens for birth in born) < 100_000
    assert all(birth.tokens > 2_000 for birth in born)


async def test_the_calls_of_one_reply_get_equal_shares(store: MemoryStore) -> None:
    world, session = await at_work(store, RunLimits(tokens=100_000, reply_tokens=100))
    calls = [ToolCallStart(CallId(f"c{n}"), "spawn_sub_agent", {}, MessageId("m"), "idempotent") for n in range(9)]
    await session.commit(*calls)
    assert [(await begin(world, session, f"c{n}", "call")).tokens for n in range(9)] == [10_000] * 9


async def test_what_is_set_aside_for_children_their_parent_does_not_use_itself(store: MemoryStore) -> None:
    limits = RunLimits(tokens=100_000, reply_tokens=100)
    world, session = await at_work(store, limits)
    await begin(world, session, "c", "call")
    check_model_call(session.state, Charge(50_000), 0.0, limits)
    with pytest.raises(LimitReached, match="50000 tokens and the next step may need 50001 more"):
        check_model_call(session.state, Charge(50_001), 0.0, limits)


async def test_what_a_child_did_not_use_is_there_again_and_what_it_used_is_not(store: MemoryStore) -> None:
    limits = RunLimits(tokens=100_000, reply_tokens=100)
    world, session = await at_work(store, limits)
    await begin(world, session, "c", "call")
    assert set_aside(session.state).tokens == 50_000
    report = Report("done", tokens=30_000)
    await world.threads.answer(session.state.thread_id, Answer(wait_of("c"), "", origin="child", report=report))
    await session.pull()
    assert set_aside(session.state).tokens == 30_000, "it is not charged yet"
    assert (await begin(world, session, "d", "call")).tokens == 35_000


async def test_a_grandchild_has_no_more_than_its_parent_was_given(store: MemoryStore) -> None:
    limits = RunLimits(tokens=100_000, reply_tokens=100, cost_micro=1_000)
    world, session = await at_work(store, limits)
    await begin(world, session, "c", "call")
    child = await world.threads.attend(next(iter(session.state.links.children.values())).thread_id)
    assert child is not None
    item = child.state.runnable[0]
    await child.commit(RunStarted(item.seq, item.message_id, "sulla"))
    born = await begin(world, child, "g", "call")
    assert (born.tokens, born.cost_micro) == (25_000, 250)


async def test_no_child_begins_where_nothing_is_left(store: MemoryStore) -> None:
    limits = RunLimits(tokens=20_000)
    world, session = await at_work(store, limits)
    await begin(world, session, "c", "call")
    with pytest.raises(LimitReached, match="of this run's tokens 10000 are left, too few"):
        await begin(world, session, "d", "call")


async def test_the_same_child_after_a_crash_has_what_was_set_aside_for_it(store: MemoryStore) -> None:
    world, session = await at_work(store, RunLimits(tokens=100_000, reply_tokens=100))
    first = await begin(world, session, "c", "call")
    await begin(world, session, "d", "call")
    assert await begin(world, session, "c", "call") == first
