"""Summaries beside the turns: the older part of a conversation gives way to its summary, in memory and after a reload
alike, and nothing waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from sulla.agent.limits.ledger import DayLimits
from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.model import Model
from sulla.agent.model.summarizer import Summarizer
from sulla.core.errors import ProviderTransient
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import Message, ToolCall
from sulla.models.base import ChatRequest, Delta, TextDelta, TokenUsage
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World, scripted_model
from tests.agent.turn.test_turns import Hands

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
USED = TokenUsage(input_tokens=1_000, output_tokens=100)


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
        return list(state.context.transcript)


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
    assert after.spending.day_tokens == before.spending.day_tokens + USED.total
    assert after.spending.usage.total == before.spending.usage.total + USED.total
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


async def test_one_summary_that_fails_in_an_unforeseen_way_does_not_end_the_others(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(ScriptedProvider):
        """An adapter with a bug."""

        async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
            """Fail."""
            if request.messages:
                raise ValueError("a bug")
            yield TextDelta("")

    scene = Scene(store)
    scene.summarizer = Summarizer(
        scene.world.threads, scripted_model(Broken()), scene.clock, lambda prefix: f"{prefix}_1", RunLimits()
    )
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    scene.summarizer.ask(thread)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(scene.summarizer.run())
        await scene.clock.settle(400)
        assert not running.done()
        running.cancel()
    assert "nobody foresaw" in caplog.text


async def test_many_summaries_of_one_thread_stay_within_its_day(store: MemoryStore) -> None:
    used = TokenUsage(input_tokens=26_000, output_tokens=1_000)
    scene = Scene(store, *[Say(f"part {number}", usage=used) for number in range(60)])
    thread = await scene.world.thread()
    for _ in range(150):
        scene.talker.add(Say("w" * 3_900 + DONE, usage=TokenUsage(10, 10)))
        await scene.world.ask(thread, "question " + "abc " * 900)
    limits = RunLimits(thread_day_tokens=80_000)
    numbers = iter(range(1_000))
    bounded = Summarizer(
        scene.world.threads, scene.model, scene.clock, lambda prefix: f"{prefix}_{next(numbers)}", limits
    )
    assert await bounded.sum_up(thread) > 0
    state = await scene.world.threads.load(thread)
    assert state is not None
    assert state.spending.day_tokens <= 80_000


@pytest.mark.parametrize(
    "summary",
    [Say("", usage=USED), Say("They talked.", usage=TokenUsage()), ProviderTransient("down")],
    ids=["empty", "unreported", "failed"],
)
async def test_what_a_summary_took_is_the_threads_whatever_came_of_it(store: MemoryStore, summary: Any) -> None:
    scene = Scene(store, *[summary] * 3)
    thread = await scene.world.thread()
    await scene.talk(thread, 45)
    before = await scene.world.threads.load(thread)
    for _ in range(3):
        await scene.summarizer.sum_up(thread)
    after = await scene.world.threads.load(thread)
    assert before is not None
    assert after is not None
    assert (
        after.spending.day_tokens - before.spending.day_tokens == scene.model.ledger.used(scene.clock.now()).tokens > 0
    )


async def test_what_is_evicted_within_a_run_is_summed_up_too(store: MemoryStore) -> None:
    scene = Scene(store, limits=RunLimits(history_tokens=6_000))
    thread = await scene.world.thread()
    for number in range(20):
        asked = tuple(ToolCall(CallId(f"{number}-{one}"), "look", {"what": "word " * 900}) for one in range(2))
        scene.talker.add(Say("Looking.", asked), DONE)
        await scene.world.ask(thread, f"question {number}")
    assert scene.world.summaries


async def test_nothing_lies_unseen_between_summary_and_window_without_a_word(store: MemoryStore) -> None:
    scene = Scene(store, *[Say("SUMMED", usage=USED)] * 9, limits=RunLimits(history_tokens=8_000))
    thread = await scene.world.thread()
    for number in range(45):
        scene.talker.add(f"answer {number} " + "word " * 300 + DONE)
        await scene.world.ask(thread, f"question {number} " + "word " * 100)
    await scene.summarizer.sum_up(thread)
    messages = await scene.shown(thread)
    told = "".join(request.messages[0].text for request in scene.writer.requests)
    seen = [number for number in range(45) if any(f"question {number} " in text for text in (told, _texts(messages)))]
    assert seen == list(range(45)) or "left out" in messages[1].text
    assert "SUMMED" in messages[0].text


async def test_a_summary_in_the_middle_of_a_long_run_leaves_the_question_and_what_a_reload_gives(
    store: MemoryStore,
) -> None:
    scene = Scene(store, Say("S", usage=USED), limits=RunLimits(model_calls=200))
    thread, gate = await scene.world.thread(), Gate()
    for number in range(45):
        scene.talker.add(Say(f"step {number}", (ToolCall(CallId(f"x{number}"), "look", {"what": f"w{number}"}),)))
    scene.talker.add(Say(("thinking ", gate, "on"), (ToolCall(CallId("y"), "look", {"what": "y"}),)), DONE)
    await scene.world.send(thread, "THE LONG TASK")
    async with asyncio.TaskGroup() as group:
        group.create_task(scene.world.turns.attend(thread))
        await gate.reached()
        assert await scene.summarizer.sum_up(thread) == 1
        await scene.clock.settle()
        during = await scene.reloaded(thread)
        gate.open()
    messages = list(scene.talker.requests[-1].messages)
    assert "S" in messages[0].text
    assert messages[1].text.startswith("THE LONG TASK")
    assert [message.id for message in messages[1 : len(during) + 1]] == [message.id for message in during]
    assert messages[2:] == (await scene.reloaded(thread))[: len(messages) - 2]


def _texts(messages: list[Message]) -> str:
    return "".join(message.text for message in messages)


async def test_one_that_is_cut_off_is_made_when_they_are_made_again(store: MemoryStore) -> None:
    gate = Gate()
    scene = Scene(store, Say(("Half ", gate), usage=USED), Say("They counted to forty-one.", usage=USED))
    thread = await scene.world.thread()
    await scene.talk(thread, 41)
    assert scene.summarizer.ask(thread)
    running = asyncio.ensure_future(scene.summarizer.run())
    await gate.reached()
    running.cancel()
    await asyncio.wait((running,))
    assert "SUMMARY" not in await scene.world.kinds(thread)
    again = asyncio.ensure_future(scene.summarizer.run())
    await scene.clock.settle()
    assert (await scene.world.kinds(thread)).count("SUMMARY") == 1
    again.cancel()
    await asyncio.wait((again,))
