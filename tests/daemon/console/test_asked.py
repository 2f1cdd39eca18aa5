"""What people are asked comes by itself to whoever watches, and goes when it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall
from sulla.daemon.console.asked import AskedBoard
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.records import Answer, Input, RunStarted, Suspended, ThreadCreated
from sulla.threads.log.waits import Wait
from sulla.threads.pulse import PULSE_S, ThreadPulse
from tests.doubles.attacks import Hooks


class Desk:
    """Agents that ask, and who watches."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.clock = clock
        self.pulse = ThreadPulse(store, clock)
        self.provider = ScriptedProvider()
        tools = (Hooks().tool("post", "url", "body"),)
        self.world = World(store, self.provider, tools=tools, clock=clock, watcher=self.pulse)
        self.asked = AskedBoard(store, self.world.threads, self.pulse, clock)

    async def asks(self, number: int) -> ThreadId:
        """An agent that nobody woke wants to post."""
        call = ToolCall(CallId(f"call_{number}"), "post", {"url": f"https://{number}.ex/", "body": "Hello\nAnn"})
        self.provider.add(Say("", (call,)))
        thread = await self.world.thread()
        await self.world.threads.send(thread, Input(MessageId(f"m{number}"), "go on", origin="beat"))
        await self.world.turns.attend(thread)
        return thread

    async def next(self, news: Any) -> Any:
        """What is told next."""
        waits = asyncio.ensure_future(anext(news))
        await self.clock.advance(4 * PULSE_S)
        return await waits


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    one = Desk(store, clock)
    tasks = [asyncio.create_task(task()) for task in (one.pulse.run, one.asked.board.run)]
    yield one
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await store.close()


async def test_a_question_is_told_with_what_the_call_would_do_and_why_it_is_asked(desk: Desk) -> None:
    told = await desk.asked.now()
    assert told == {"questions": [], "more": False}
    news = desk.asked.follow(told)
    thread = await desk.asks(1)
    found = await desk.next(news)
    (row,) = found["added"]
    assert (row["thread_id"], row["tool"], found["gone"]) == (thread, "post", [])
    assert row["arguments"] == "body: Hello\n      Ann\nurl: https://1.ex/"
    assert row["why"]
    assert row["why"] in row["prompt"]
    await news.aclose()


async def test_an_answered_question_is_gone_before_anybody_takes_the_answer_up(desk: Desk) -> None:
    thread = await desk.asks(1)
    other = await desk.asks(2)
    told: Any = await desk.asked.now()
    assert {row["thread_id"] for row in told["questions"]} == {thread, other}
    news = desk.asked.follow(told)
    asked = next(row["id"] for row in told["questions"] if row["thread_id"] == thread)
    await desk.world.threads.answer(thread, Answer(asked, "", "reject", by="ann"))
    gone = {"thread_id": thread, "id": asked, "verdict": "reject", "text": "", "by": "ann"}
    assert await desk.next(news) == {"added": [], "gone": [gone], "more": False}
    await news.aclose()


async def test_a_playbook_of_which_other_steps_are_at_work_asks_too(desk: Desk) -> None:
    created = ThreadCreated("sulla", graph=PLAYBOOK, play=Play("triage", "d1", "name: triage"))
    thread = await desk.world.threads.create(created, "request:1")
    await desk.world.threads.send(thread, Input(MessageId("m"), "go"))
    session = await desk.world.threads.attend(thread)
    assert session is not None
    session.note(RunStarted(2, MessageId("m"), "sulla"), Suspended((Wait("human:1", CallId(""), "Shall I?"),), False))
    await session.release()
    told: Any = await desk.asked.now()
    assert [(row["thread_id"], row["id"]) for row in told["questions"]] == [(thread, "human:1")]
