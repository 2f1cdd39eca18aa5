"""What people do to threads that wait for others, or are waited for: nobody waits for ever, or works for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall, ToolResult
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say
from sulla.testing.world import World
from tests.agent.subagents.test_children import DONE, FOUND, Home, Plays, calls, home_of, spawn, sub_of
from tests.simulation.history import History, Kept, ThreadHistory, breaches


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """A store in memory, open."""
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def broken(world: World) -> list[str]:
    """What of the promises is broken, over all logs."""
    threads = []
    for info, state in await world.threads.list():
        assert state is not None
        kept = Kept(state.spending.usage, state.spending.day, state.spending.day_tokens)
        threads.append(ThreadHistory(info.key, tuple(await world.log(state.thread_id)), kept=kept))
    return [str(breach) for breach in breaches(History(tuple(threads)))]


async def waiting(store: MemoryStore, *steps: Say | str) -> tuple[Home, ThreadId, ThreadId]:
    """A parent that waits for a child, which has not begun."""
    home = home_of(store, calls(spawn("a", "look")), *steps)
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    return home, thread, await home.child(thread)


async def test_a_child_whose_thread_is_removed_has_come_to_nothing_and_its_parent_goes_on(store: MemoryStore) -> None:
    home, thread, child = await waiting(store, DONE)
    await home.world.threads.delete(child)
    await home.world.work()
    (result,) = home.results()
    assert "was cancelled" in result.text
    assert [o.status for o in await home.ends(thread)] == ["done"]
    assert await broken(home.world) == []


async def test_a_removed_thread_leaves_no_children_at_work(store: MemoryStore) -> None:
    home, thread, child = await waiting(store)
    await home.world.threads.delete(thread)
    await home.world.work()
    assert [(o.status, o.reason) for o in await home.ends(child)] == [("cancelled", "stopped")]
    home.provider.assert_done()  # nobody was asked anything for nobody


async def test_a_child_that_a_person_stops_is_told_of_as_cancelled(store: MemoryStore) -> None:
    home, thread, child = await waiting(store, DONE)
    await home.world.threads.stop(child, "s")
    await home.world.work()
    (result,) = home.results()
    assert "was cancelled" in result.text
    assert [o.status for o in await home.ends(thread)] == ["done"]
    assert await broken(home.world) == []


async def test_a_child_that_a_person_gives_other_words_reports_what_those_come_to(store: MemoryStore) -> None:
    gate = Gate()
    home, _, child = await waiting(store, Say(("Hm", gate)), "It is green. <AGENT_DONE>green</AGENT_DONE>", DONE)
    world = home.world
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(child))
        await gate.reached()
        await world.send(child, "Look at the sea instead.", "interrupt")
    await world.work()
    assert [(o.status, o.reason) for o in await home.ends(child)] == [("cancelled", "interrupted"), ("done", "")]
    (result,) = home.results()
    assert "It is green." in result.text
    assert await broken(world) == []


def told(asked: str, results: list[ToolResult]) -> Say:
    """Waits for a child, and when a message comes instead, deals with that and waits again."""
    if asked.startswith("look"):
        return Say(FOUND)
    if not results:
        return calls(spawn("a", "look"))
    if len(results) == 1 and "A message came" in results[0].text:
        return calls(ToolCall(CallId("w"), "wait_sub_agents", {"ids": [sub_of(results[0])]}))
    return Say(f"{results[-1].text} <AGENT_DONE>ok</AGENT_DONE>")


async def test_a_message_that_steers_does_not_wait_until_a_sub_agent_is_done(store: MemoryStore) -> None:
    home = Home(store, Plays(told))
    world = home.world
    thread = await world.thread()
    await world.ask(thread, "go")
    await world.send(thread, "Tell me also about the sea.", "steer")
    await world.turns.attend(thread)  # the child has not begun, and still the message is seen
    log = await world.log(thread)
    assert [entry.data["reason"] for entry in log if entry.kind == "RESUMED"] == ["steered"]
    assert "INPUTS_JOINED" in [entry.kind for entry in log]
    info = await store.head(thread)
    assert info is not None
    assert info.head.status == "suspended"
    await world.work()
    state = await world.threads.load(thread)
    assert state is not None
    assert "It is blue." in state.context.transcript[-1].text
    assert await broken(world) == []


async def test_a_message_that_interrupts_ends_the_wait_and_the_child(store: MemoryStore) -> None:
    home, thread, child = await waiting(store, DONE)
    await home.world.send(thread, "Never mind.", "interrupt")
    await home.world.turns.attend(thread)
    assert [(o.status, o.reason) for o in await home.ends(thread)] == [("cancelled", "interrupted"), ("done", "")]
    await home.world.work()
    assert [o.status for o in await home.ends(child)] == ["cancelled"]
    assert await broken(home.world) == []


async def test_a_message_that_queues_waits_for_the_turn_to_end(store: MemoryStore) -> None:
    home, thread, _ = await waiting(store, FOUND, DONE, DONE)
    await home.world.send(thread, "And then?")
    await home.world.work()
    assert [o.status for o in await home.ends(thread)] == ["done", "done"]
    home.provider.assert_done()
    assert await broken(home.world) == []


async def test_children_of_another_turn_are_not_waited_for(store: MemoryStore) -> None:
    home, thread, _ = await waiting(store, FOUND, DONE)
    await home.world.work()
    (old,) = [entry.data["id"] for entry in await home.world.log(thread) if entry.kind == "CHILD_STARTED"]
    for name, args in (
        ("wait_sub_agents", {"ids": [old]}),
        ("poll_sub_agent", {"id": old}),
        ("cancel_sub_agent", {"id": old}),
    ):
        home.provider.add(Say("", (ToolCall(CallId("x"), name, args),)), DONE)
        await home.world.ask(thread, "What of it?")
        (result,) = home.results()
        assert result.is_error, name
        assert "Known: none." in result.text
    assert await broken(home.world) == []
