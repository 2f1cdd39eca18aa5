"""Who is at work is read off the logs: nobody has to say it, so nobody who is dead can go on saying it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from sulla.agent.active import ActiveAgents
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Words
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Input, RunStarted, ThreadCreated
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore
from sulla.tools.base import Done
from tests.doubles.attacks import Hooks

DONE = "Done. <AGENT_DONE>ok</AGENT_DONE>"
TTL_S = 30.0


@dataclass(slots=True)
class Two:
    """Two homes over one store, on one clock; what each is working on stands still."""

    clock: ManualClock
    here: World
    there: World
    gate: Gate
    other_gate: Gate


@pytest.fixture
async def two() -> AsyncIterator[Two]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    gates = Gate(), Gate()
    here, there = (
        World(store, ScriptedProvider([Say((gate, DONE))]), clock=clock, boot=boot, home=home, lease_ttl_s=TTL_S)
        for gate, boot, home in zip(gates, (1, 2), ("one", "two"), strict=True)
    )
    yield Two(clock, here, there, *gates)
    await store.close()


async def begun(world: World, gate: Gate, group: asyncio.TaskGroup, project: str = "") -> ThreadId:
    """A thread whose turn is in the middle of its reply."""
    thread = await world.threads.create(ThreadCreated("sulla", project=project))
    await world.send(thread, "long work")
    group.create_task(world.turns.attend(thread))
    await gate.reached()
    return thread


async def test_each_home_sees_who_is_at_work_in_all_of_them_and_on_what_since_when(two: Two) -> None:
    assert await ActiveAgents(two.here.threads).now() == ()
    async with asyncio.TaskGroup() as group:
        mine = await begun(two.here, two.gate, group, "garden")
        two.clock.jump(2)
        theirs = await begun(two.there, two.other_gate, group)
        for world in (two.here, two.there):
            found = await ActiveAgents(world.threads).now()
            assert [(one.thread_id, one.name.text, one.project.text) for one in found] == [
                (mine, "sulla", "garden"),
                (theirs, "sulla", ""),
            ]
            assert found[1].since_ms - found[0].since_ms == 2_000
            assert [one.thread_id for one in await ActiveAgents(world.threads).now((mine,))] == [theirs]
        two.gate.open()
        two.other_gate.open()
    assert await ActiveAgents(two.here.threads).now() == ()


async def test_who_died_is_gone_when_the_lease_is_over(two: Two) -> None:
    thread = await two.here.thread()
    sent = await two.here.send(thread, "long work")
    session = await two.here.threads.attend(thread)
    assert session is not None
    await session.commit(RunStarted(sent.seq, MessageId("m"), "sulla"))
    # From here on nothing of that process runs any more: no renewal, no last words.
    await two.clock.advance(TTL_S - 1)
    assert [one.thread_id for one in await ActiveAgents(two.there.threads).now()] == [thread]
    await two.clock.advance(2)
    assert await ActiveAgents(two.there.threads).now() == ()


async def test_a_turn_that_waits_for_an_answer_is_not_at_work(two: Two) -> None:
    hooks = Hooks()
    asking = World(
        two.here.store,
        ScriptedProvider(
            [Say(calls=(ToolCall(CallId("c"), "look", {}),)), Say(calls=(ToolCall(CallId("d"), "post", {}),))]
        ),
        clock=two.clock,
        boot=3,
        tools=(hooks.source("look", Done(Words("a page"), origin="web")), hooks.tool("post")),
    )
    thread = await asking.thread()
    await asking.ask(thread, "post it")
    assert (await asking.kinds(thread))[-1] == "SUSPENDED"
    assert await ActiveAgents(asking.threads).now() == ()


async def test_a_message_that_waits_is_nobodys_work_yet(two: Two) -> None:
    thread = await two.here.thread()
    await two.here.threads.send(thread, Input(MessageId("m"), "later"))
    assert await ActiveAgents(two.here.threads).now() == ()


async def test_an_agent_is_told_who_is_at_work_in_another_home(two: Two) -> None:
    async with asyncio.TaskGroup() as group:
        await begun(two.there, two.other_gate, group, "roof")
        two.gate.open()
        thread = await two.here.thread()
        await two.here.sweep()
        await two.here.ask(thread, "hello")
        two.other_gate.open()
    (started,) = [entry for entry in await two.here.log(thread) if entry.kind == "RUN_STARTED"]
    assert "Agents at work elsewhere: sulla on roof, for 0 min\n" in str(started.data["context"])


async def test_turns_between_two_looks_are_told_of_the_agents_that_the_first_one_found(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    state_of = ThreadStore.state_of

    def counted(threads: ThreadStore, info: LogInfo) -> ThreadState | None:
        read.append(info.key)
        return state_of(threads, info)

    monkeypatch.setattr(ThreadStore, "state_of", counted)
    async with asyncio.TaskGroup() as group:
        mine = await begun(two.here, two.gate, group)
        theirs = await begun(two.there, two.other_gate, group)
        looks = [tuple(await two.here.store.find(kind="thread", status="open"))]
        agents = ActiveAgents(two.here.threads, lambda: looks[-1])
        assert {one.thread_id for one in await agents.lately()} == {mine, theirs}
        assert [one.thread_id for one in await agents.lately((mine,))] == [theirs]
        assert sorted(read) == sorted((mine, theirs))
        looks.append(())
        assert await agents.lately() == ()
        two.gate.open()
        two.other_gate.open()
