"""What must not wait: a message that the gate of an incident holds ends what goes on, questions included."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider, Step
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import InputsJoined, Mode, RunFinished, RunStarted
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done
from tests.agent.turn.test_turns import Hands
from tests.routes.test_node import HELP, look_up, table
from tests.routes.world import RouteWorld


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


def helped() -> Say:
    return Say("", (ToolCall(CallId("h"), "helplines", {"question": "x"}),))


def world(store: MemoryStore, *steps: Step) -> RouteWorld:
    tools = (look_up("helplines", (Done(ours(HELP)),)), Hands().asking())
    return RouteWorld(store, table(), ScriptedProvider(steps), tools)


async def order(home: RouteWorld, thread: ThreadId) -> list[str]:
    """The messages, in the order in which they had their turns."""
    said = {entry.seq: str(entry.data["text"]) for entry in await home.log(thread) if entry.kind == "INPUT"}
    return [said[entry.fact.input_seq] for entry in await home.log(thread) if isinstance(entry.fact, RunStarted)]


async def ends(home: RouteWorld, thread: ThreadId) -> list[str]:
    """How turns ended, in order: the reason, else the status."""
    found = [entry.fact.outcome for entry in await home.log(thread) if isinstance(entry.fact, RunFinished)]
    return [one.reason if one.status == "cancelled" else one.status for one in found]


async def test_an_incident_withdraws_a_question_that_is_asked(store: MemoryStore) -> None:
    asks = Say("", (ToolCall(CallId("c"), "ask_person", {"what": "may I?"}),))
    home = world(store, asks, helped(), "Call 112.")
    thread = await home.thread()
    await home.say(thread, "post it")
    assert (await home.kinds(thread))[-1] == "SUSPENDED"
    await home.say(thread, "and hurry")
    assert await order(home, thread) == ["post it"]  # it waits behind the question
    await home.say(thread, "the house is on fire")
    assert (await order(home, thread))[:2] == ["post it", "the house is on fire"]
    assert ("taken", "incident") in await home.went(thread)
    assert (await ends(home, thread))[:2] == ["interrupted", "done"]
    _, state = await home.threads.get(thread)
    assert state is not None
    assert not state.suspended


@pytest.mark.parametrize("mode", ["queue", "steer", "interrupt"])
async def test_an_incident_ends_the_turn_that_goes_on_and_comes_before_all_that_waits(
    store: MemoryStore, mode: Mode
) -> None:
    gate = Gate()
    home = world(store, Say(("Once ", gate, "upon")), helped(), "Call 112.", "Later.")
    thread = await home.thread()
    await home.offer(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(home.turns.attend(thread))
        await gate.reached()
        await home.offer(thread, "and then a song")
        await home.send(thread, "the house is on fire", mode)
    assert await order(home, thread) == ["tell me a story", "the house is on fire", "and then a song"]
    assert await ends(home, thread) == ["interrupted", "done", "done"]
    assert not any(isinstance(entry.fact, InputsJoined) for entry in await home.log(thread))
    home.provider.assert_done()


async def test_an_incident_lets_the_turn_of_another_one_be(store: MemoryStore) -> None:
    gate = Gate()
    home = world(store, helped(), Say(("Call ", gate, "112.")), helped(), "Call 112 now.")
    thread = await home.thread()
    await home.offer(thread, "the house is on fire")
    async with asyncio.TaskGroup() as group:
        group.create_task(home.turns.attend(thread))
        await gate.reached()
        await home.offer(thread, "on fire I say")
        gate.open()
    assert await ends(home, thread) == ["done", "done"]
    assert (await home.shown(thread))[-2:] == ["Call 112.", "Call 112 now."]


async def test_other_messages_wait_and_steer_as_ever(store: MemoryStore) -> None:
    gate = Gate()
    home = world(store, Say(("Once ", gate, "upon")), "Later.", "Later still.")
    thread = await home.thread()
    await home.offer(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(home.turns.attend(thread))
        await gate.reached()
        await home.offer(thread, "how many people live there")
        await home.send(thread, "it smells odd", "queue")
        gate.open()
    assert "interrupted" not in await ends(home, thread)


async def test_a_message_is_looked_at_once_and_only_where_something_is_in_its_way(store: MemoryStore) -> None:
    looked: list[str] = []
    home = world(store, "Hi.", Say(("Once ", gate := Gate(), "upon")), "Later.")
    urgent = home.turns._context.urgent
    assert urgent is not None

    def counted(state: ThreadState, item: WaitingInput) -> bool:
        looked.append(item.text)
        return urgent(state, item)

    object.__setattr__(home.turns._context, "urgent", counted)
    thread = await home.thread()
    await home.say(thread, "hello")
    assert looked == []
    await home.offer(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(home.turns.attend(thread))
        await gate.reached()
        await home.offer(thread, "hurry")
        while not looked:
            await asyncio.sleep(0)
        gate.open()
    assert looked == ["hurry"]
