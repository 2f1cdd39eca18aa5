"""Summaries beside the turns: the older part of a conversation gives way to its summary, in memory and after a reload
alike, and nothing waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.agent import DayLimits, Model, RunLimits, Summarizer
from sulla.core.errors import ProviderTransient
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import Message, ToolCall
from sulla.providers import Usage
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World, scripted_model
from tests.agent.test_turns import Hands

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
USED = Usage(input_tokens=1_000, output_tokens=100)


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


class Scene:
    """A world whose summaries are made by a provider of their own."""

    def __init__(self, store: MemoryStore, *summaries: Any, limits: RunLimits | None = None) -> None:
        self.clock = ManualClock()
        self.talker, self.writer = ScriptedProvider(), ScriptedProvider(summaries)
        self.hands = Hands()
        limits = limits if limits is not None else RunLimits()
        self.world = World(store, self.talker, clock=self.clock, limits=limits, tools=(self.hands.tool("look"),))
        self.model: Model = scripted_model(self.writer, day=DayLimits())
        numbers = iter(range(1_000))
        self.summarizer = Summarizer(
            self.world.threads, self.model, self.clock, lambda prefix: f"{prefix}_{next(numbers)}", limits
        )

    async def talk(self, thread: ThreadId, turns: int) -> None:
        for number in range(turns):
            self.talker.add(DONE)
            await self.world.ask(thread, f"question {number}")

    async def shown(self, thread: ThreadId) -> list[Message]:
        """What the model is shown in the next turn."""
        self.talker.add(DONE)
        await self.world.ask(thread, "and now?")
        return list(self.talker.requests[-1].messages)

    async def reloaded(self, thread: ThreadId) -> list[Message]:
        state = await self.world.threads.load(thread)
        assert state is not None
        return list(state.transcript)


async def test_over_eighty_messages_a_summary_is_asked_for_and_said_in_the_diagnostics(store: MemoryStore) -> None:
    scene = Scene(store)
    thread = await scene.world.thread()
    await scene.talk(thread, 40)
    assert scene.world.summaries == []
    await scene.talk(thread, 1)
    assert scene.world.summaries == [thread]  # the forty-first question is message 81
    handled = [entry.data for entry in await scene.world.log(thread) if entry.kind == "INPUT_HANDLED"]
    assert [one["diagnostics"] for one in handled] == [{"summary_triggered": True}]


async def test_the_summary_takes_the_place_of_what_it_covers(store: MemoryStore) -> None:
    scene = Scene(store, Say("They asked many questions.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    assert await scene.summarizer.sum_up(thread) == 1
    messages = await scene.shown(thread)
    assert "They asked many questions." in messages[0].text
    assert (messages[0].role, messages[0].hidden) == ("user", True)
    assert messages[0].parts[0].origin == "memory"  # type: ignore[union-attr]  # a text
    assert len(messages) == 1 + 40 + 1
    assert messages[1].text.startswith("question 25")
    # What is in memory is what a fresh process would load.
    assert messages[1:] == (await scene.reloaded(thread))[:-1]


async def test_what_it_took_is_on_the_account_of_thread_and_day(store: MemoryStore) -> None:
    scene = Scene(store, Say("They talked.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    before = await scene.world.threads.load(thread)
    await scene.summarizer.sum_up(thread)
    after = await scene.world.threads.load(thread)
    assert before is not None
    assert after is not None
    assert after.day_tokens == before.day_tokens + USED.total
    assert after.usage.total == before.usage.total + USED.total
    assert scene.model.ledger.used(scene.clock.now()).tokens == USED.total


async def test_the_next_summary_is_made_of_the_first_and_of_what_came_since(store: MemoryStore) -> None:
    scene = Scene(store, Say("Part one.", usage=USED), Say("Both parts.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    await scene.summarizer.sum_up(thread)
    await scene.talk(thread, 25)
    await scene.summarizer.sum_up(thread)
    told = scene.writer.requests[1].messages[0].text
    assert "Part one." in told
    assert "user: question 24" not in told
    messages = await scene.shown(thread)
    assert "Both parts." in messages[0].text
    assert messages[1:] == (await scene.reloaded(thread))[:-1]


async def test_a_summary_that_comes_in_the_middle_of_a_turn_breaks_no_pair(store: MemoryStore) -> None:
    scene = Scene(store, Say("They talked.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    scene.hands.gate = Gate()
    scene.talker.add(Say("Looking.", (ToolCall(CallId("a"), "look", {"what": "a"}),)), DONE)
    await scene.world.send(thread, "look")
    async with asyncio.TaskGroup() as group:
        group.create_task(scene.world.turns.attend(thread))
        await scene.hands.gate.reached()
        assert await scene.summarizer.sum_up(thread) == 1
        await scene.clock.settle()
        scene.hands.gate.open()
    assert (await scene.world.kinds(thread))[-1] == "RUN_FINISHED"
    messages = list(scene.talker.requests[-1].messages)
    assert "They talked." in messages[0].text
    assert [message.role for message in messages[-2:]] == ["assistant", "tool"]
    assert messages[1:] == (await scene.reloaded(thread))[: len(messages) - 1]


async def test_a_failure_costs_the_conversation_nothing_and_is_tried_with_the_next_message(store: MemoryStore) -> None:
    scene = Scene(store, ProviderTransient("down"), Say("", usage=USED), Say("They talked.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    assert await scene.summarizer.sum_up(thread) == 0
    assert await scene.summarizer.sum_up(thread) == 0
    assert len(await scene.shown(thread)) == 91
    assert await scene.summarizer.sum_up(thread) == 1


async def test_a_thread_that_has_used_up_its_day_is_not_summed_up(store: MemoryStore) -> None:
    scene = Scene(store, limits=RunLimits(thread_day_tokens=45 * 120 + 9_000))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    scene.summarizer = Summarizer(
        scene.world.threads, scene.model, scene.clock, lambda prefix: prefix, RunLimits(thread_day_tokens=45 * 120 + 10)
    )
    assert await scene.summarizer.sum_up(thread) == 0
    assert scene.writer.requests == []


async def test_asked_twice_it_is_made_once_and_a_deleted_thread_is_left_alone(store: MemoryStore) -> None:
    scene = Scene(store, Say("They talked.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    gone = await scene.world.thread()
    await scene.world.threads.delete(gone)
    assert scene.summarizer.ask(gone)
    assert scene.summarizer.ask(thread)
    assert not scene.summarizer.ask(thread)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(scene.summarizer.run())
        await scene.clock.settle()
        running.cancel()
    scene.writer.assert_done()
    assert "SUMMARY" in await scene.world.kinds(thread)
