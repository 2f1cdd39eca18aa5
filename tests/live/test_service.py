"""What goes on in threads, as it is seen by their heads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.live.rpc import MOST_ROWS
from sulla.live.service import Live
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.records import Answer, Input, ThreadCreated
from sulla.threads.pulse import PULSE_S, ThreadPulse
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.work.switch import WorkSwitch
from tests.doubles.attacks import Hooks

DONE = "Yes.<AGENT_DONE/>"
LIMITS = RunLimits(tokens=10_000, model_calls=9, cost_micro=2_000_000)


def call(name: str, **args: str) -> Say:
    """The agent calls a tool."""
    return Say("", (ToolCall(CallId("call_1"), name, {**args}),))


class Hall:
    """Agents at work, and who watches them."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.pulse = ThreadPulse(store, clock)
        self.provider = ScriptedProvider()
        hooks, self.gate = Hooks(), Gate()
        tools = (hooks.tool("post", "url", "body"), slow(self.gate))
        self.world = World(store, self.provider, tools=tools, clock=clock, watcher=self.pulse, limits=LIMITS)
        self.switch = WorkSwitch(store, clock)
        self.live = Live(store, self.world.threads, self.pulse, clock, self.switch, LIMITS, lambda agent: 5)

    async def row(self, thread_id: ThreadId) -> dict[str, Any]:
        """The row of a thread; empty for none."""
        found: Any = await self.live.now()
        return next((row for row in found["rows"] if row["thread_id"] == thread_id), {})


def slow(gate: Gate) -> Tool:
    """A tool that takes until a test says so."""

    async def dig(context: ToolContext) -> Result:
        """Dig."""
        await gate.pass_through()
        return Done(ours("dug"))

    return define(dig, effect="idempotent", reach="inward", category="test", timeout_s=100.0)


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    one = Hall(store, clock)
    await one.switch.open()
    tasks = [asyncio.create_task(task()) for task in (one.pulse.run, one.live.board.run, one.switch.run)]
    yield one
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await store.close()


async def test_a_message_that_waits_for_its_turn_is_queued(hall: Hall) -> None:
    thread = await hall.world.thread()
    assert await hall.row(thread) == {}
    await hall.world.send(thread, "Find me a train")
    row = await hall.row(thread)
    assert row["doing"] == {"what": "queued", "name": "", "since": "2027-01-15T08:00:00.000Z"}
    assert not row["at_work"]
    assert (row["title"], row["kind"], row["run_id"], row["waiting"]) == ("Find me a train", "chat", "", 1)
    assert row["budget"] == {"tokens_left": 10_000, "money_left_usd": 2.0, "calls_left": 5}


async def test_a_turn_is_shown_with_its_model_and_then_with_its_tool_and_what_both_took(hall: Hall) -> None:
    gate = Gate()
    hall.provider.add(Say(("I dig.", gate), (ToolCall(CallId("call_1"), "dig", {}),)), DONE)
    thread = await hall.world.thread()
    await hall.world.send(thread, "Dig")
    turn = asyncio.create_task(hall.world.turns.attend(thread))
    await gate.reached()
    row = await hall.row(thread)
    assert (row["doing"]["what"], row["doing"]["name"], row["agent"]) == ("model", "scripted", "sulla")
    assert row["budget"]["calls_left"] == 4
    gate.open()
    await hall.gate.reached()
    row = await hall.row(thread)
    assert (row["doing"]["what"], row["doing"]["name"], row["at_work"]) == ("tool", "dig", True)
    assert (row["tokens_in"], row["tokens_out"], row["tokens"]) == (100, 20, 120)
    assert row["budget"]["tokens_left"] == 10_000 - 120
    assert row["run_id"]
    hall.gate.open()
    await turn
    assert await hall.row(thread) == {}


async def test_who_asks_a_person_waits_and_the_answer_takes_the_question_away(hall: Hall) -> None:
    hall.provider.add(call("post", url="https://b.ex/", body="x" * 900))
    thread = await hall.world.thread()
    await hall.world.threads.send(thread, Input(MessageId("m1"), "Post it", origin="beat"))
    await hall.world.turns.attend(thread)
    row = await hall.row(thread)
    assert (row["doing"]["what"], row["doing"]["name"], row["at_work"]) == ("waits", "post", False)
    assert row["question"]["id"].startswith("approval:")
    assert row["question"]["prompt"].startswith("May post be called with")
    assert len(row["question"]["prompt"]) == 300
    await hall.world.threads.answer(thread, Answer(row["question"]["id"], "", "reject", by="ann"))
    assert (await hall.row(thread))["question"] is None


async def test_a_child_names_its_parent(hall: Hall) -> None:
    parent = await hall.world.thread()
    birth = Birth("c1", "spawn", parent, RunId("run_1"), parent, 1)
    child = await hall.world.threads.create(ThreadCreated("helper", birth=birth), "request:1")
    await hall.world.send(child, "Help")
    row = await hall.row(child)
    assert (row["parent_thread_id"], row["kind"], row["agent"]) == (parent, "child", "helper")


async def test_who_watches_is_told_what_is_another_and_nothing_else(hall: Hall) -> None:
    first = await hall.world.thread()
    await hall.world.send(first, "one")
    told = await hall.live.now()
    news = hall.live.follow(told)
    waits = asyncio.ensure_future(anext(news))
    await hall.clock.advance(4 * PULSE_S)
    assert not waits.done()  # nothing has changed
    second = await hall.world.thread()
    await hall.world.send(second, "two")
    await hall.clock.advance(2 * PULSE_S)
    found: Any = await waits
    assert ([row["thread_id"] for row in found["changed"]], found["gone"]) == ([second], [])
    hall.provider.add(DONE)
    await hall.world.turns.attend(first)
    waits = asyncio.ensure_future(anext(news))
    await hall.clock.advance(4 * PULSE_S)
    found = await waits
    assert (found["changed"], found["gone"]) == ([], [first])
    await news.aclose()


async def test_the_switch_is_told_on_every_page(hall: Hall) -> None:
    news = hall.live.follow(await hall.live.now())
    waits = asyncio.ensure_future(anext(news))
    await hall.switch.pause("ann", "it orders pizza")
    await hall.clock.advance(1.0)
    found: Any = await waits
    since = "2027-01-15T08:00:00.000Z"
    assert found["switch"] == {"paused": True, "by": "ann", "since": since, "reason": "it orders pizza"}
    await news.aclose()


async def test_at_most_four_are_told_in_a_second_however_much_happens(hall: Hall) -> None:
    news, told = hall.live.follow(await hall.live.now()), list[Any]()

    async def listen() -> None:
        async for one in news:
            told.append(one)

    listening = asyncio.create_task(listen())
    for _ in range(40):
        await hall.world.send(await hall.world.thread(), "hello")
        await hall.clock.advance(0.05)
    assert 2 <= len(told) <= 9
    await hall.clock.advance(1.0)
    assert len({row["thread_id"] for one in told for row in one["changed"]}) == 40
    listening.cancel()
    await asyncio.wait((listening,))


async def test_there_are_no_more_rows_than_may_be(hall: Hall) -> None:
    for number in range(MOST_ROWS + 1):
        thread = await hall.world.threads.create(ThreadCreated("sulla"), f"request:{number}")
        await hall.world.send(thread, "hello")
    found = await hall.live.now()
    rows = found["rows"]
    assert isinstance(rows, list)
    assert (len(rows), found["more"]) == (MOST_ROWS, True)
