"""The kill switch in the middle of a turn: cut off at once, left in order, and carried on as if nothing had been."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import ChatRequest, Delta
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Answer
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.work.pauses import WorkPause

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
PAUSE = WorkPause(1_800_000_000_000, "owner", "it orders pizza")


class Hand:
    """A tool that stands still for as long as a test likes."""

    def __init__(self, effect: Effect) -> None:
        self.gate, self.effect = Gate(), effect
        self.began, self.ended = 0, 0

    @property
    def tool(self) -> Tool:
        async def act(context: ToolContext) -> Result:
            """Do something."""
            self.began += 1
            try:
                await self.gate.pass_through()
                return Done(ours("did it"))
            finally:
                self.ended += 1

        return define(act, effect=self.effect)


async def last(world: World, thread_id: ThreadId, kind: str) -> dict[str, Any]:
    return next(dict(entry.data) for entry in reversed(await world.log(thread_id)) if entry.kind == kind)


@asynccontextmanager
async def going_on(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Work beside a test; it has to end by itself."""
    task = asyncio.ensure_future(work)
    yield
    await asyncio.wait_for(task, 50)


async def test_a_reply_is_cut_off_and_made_again_and_its_reservation_is_charged(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Pizza ", gate, "for all. <AGENT_DONE/>")), DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "hello")
    async with going_on(world.turns.attend(thread)):
        await gate.reached()
        world.turns.hold(PAUSE)
    assert provider.abandoned == 1
    assert (await world.kinds(thread))[-3:] == ["MODEL_STARTED", "MODEL_ABANDONED", "RUN_PAUSED"]
    assert (await last(world, thread, "MODEL_ABANDONED"))["reason"] == "paused"
    assert await last(world, thread, "RUN_PAUSED") == {"by": "owner", "reason": "it orders pizza"}
    reserved = (await last(world, thread, "MODEL_STARTED"))["reserved_tokens"]
    used = world.model.ledger.used(world.clock.now()).tokens
    assert used == reserved > 0
    await world.turns.attend(thread)  # still held
    assert (await world.kinds(thread))[-1] == "RUN_PAUSED"
    assert world.model.ledger.used(world.clock.now()).tokens == used
    world.turns.hold(None)
    await world.work()
    assert (await last(world, thread, "RESUMED")) == {"reason": "paused"}
    assert (await last(world, thread, "MODEL_STARTED")).get("attempt", 1) == 1  # no failure of the service
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    state = await world.threads.load(thread)
    assert state is not None
    assert state.spending.day_tokens == reserved + 120
    provider.assert_done()


async def test_no_number_of_pauses_is_a_crash_nor_a_failed_attempt(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider()
    world = World(store, provider, limits=RunLimits(crashes=3))
    thread = await world.thread()
    await world.send(thread, "hello")
    for _ in range(12):
        gate = Gate()
        provider.add(Say(("Hm ", gate)))
        async with going_on(world.turns.attend(thread)):
            await gate.reached()
            world.turns.hold(PAUSE)
        world.turns.hold(None)
    provider.add(DONE)
    await world.work()
    assert (await last(world, thread, "RESUMED")).get("crashes", 0) == 0
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_the_time_of_a_pause_is_not_the_runs(store: MemoryStore) -> None:
    clock, gate = ManualClock(), Gate()
    world = World(store, ScriptedProvider([Say(("Hm ", gate)), DONE]), clock=clock, limits=RunLimits(wall_s=60))
    thread = await world.thread()
    await world.send(thread, "hello")
    async with going_on(world.turns.attend(thread)):
        await gate.reached()
        world.turns.hold(PAUSE)
    await clock.advance(86_400)
    world.turns.hold(None)
    await world.work()
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


@pytest.mark.parametrize("effect", ["pure", "idempotent"])
async def test_a_tool_that_may_be_repeated_is_cut_off_and_run_again(store: MemoryStore, effect: Effect) -> None:
    hand = Hand(effect)
    provider = ScriptedProvider([Say("", (ToolCall(CallId("c1"), "act", {}),)), DONE])
    world = World(store, provider, tools=(hand.tool,))
    thread = await world.thread()
    await world.send(thread, "go")
    async with going_on(world.turns.attend(thread)):
        await hand.gate.reached()
        world.turns.hold(PAUSE)
    assert (hand.began, hand.ended) == (1, 1)
    world.turns.hold(None)
    hand.gate.open()
    await world.work()
    assert hand.began == 2
    assert (await last(world, thread, "TOOL_CALL_RESULT"))["text"] == "did it"
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_a_once_call_that_was_cut_off_asks_a_person_each_time_anew(store: MemoryStore) -> None:
    hand = Hand("once")
    provider = ScriptedProvider([Say("", (ToolCall(CallId("c1"), "act", {}),)), DONE])
    world = World(store, provider, tools=(hand.tool,))
    thread = await world.thread()
    await world.send(thread, "go")
    asked: list[str] = []
    for began in (1, 2):
        hand.gate = Gate()
        async with going_on(world.turns.attend(thread)):
            await hand.gate.reached()
            world.turns.hold(PAUSE)
        world.turns.hold(None)
        await world.work()
        (wait,) = (await last(world, thread, "SUSPENDED"))["waits"]
        assert "was cut off, and nobody knows whether it took effect" in wait["prompt"]
        asked.append(wait["wait_id"])
        assert hand.began == began
        await world.threads.answer(thread, Answer(asked[-1], "", "run_again"))
    assert len(set(asked)) == 2
    hand.gate.open()
    await world.work()
    assert hand.began == 3
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_whoever_comes_too_late_leaves_it_as_it_was(store: MemoryStore) -> None:
    """It was paused after somebody decided to work on it, and before they had its lease."""
    gate = Gate()
    first = World(store, ScriptedProvider([Say(("Hm ", gate))]))
    thread = await first.thread()
    await first.send(thread, "hello")
    async with going_on(first.turns.attend(thread)):
        await gate.reached()
        first.turns.hold(PAUSE)
    second = World(store, ScriptedProvider([DONE]), boot=2)
    second.turns.hold(PAUSE)
    await second.turns.attend(thread)
    assert (await second.kinds(thread))[-1] == "RUN_PAUSED"
    second.turns.hold(None)
    await second.work()
    assert (await second.kinds(thread)).count("RESUMED") == 1


async def test_a_pause_that_is_over_at_once_still_leaves_the_turn_in_order(store: MemoryStore) -> None:
    gate = Gate()
    world = World(store, ScriptedProvider([Say(("Hm ", gate)), DONE]))
    thread = await world.thread()
    await world.send(thread, "hello")
    async with going_on(world.turns.attend(thread)):
        await gate.reached()
        world.turns.hold(PAUSE)
        world.turns.hold(None)
    await world.work()
    kinds = await world.kinds(thread)
    assert kinds.count("MODEL_STARTED") == kinds.count("MODEL_ABANDONED") + 1 == 2
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


class Minded(ScriptedProvider):
    """Says what fits the conversation, word by word: first a call, and after its result the end."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        over = request.messages[-1].role == "tool"
        self.add(DONE if over else Say("Looking.", (ToolCall(CallId("c1"), "act", {}),)))
        async for delta in super().stream(request):
            await asyncio.sleep(0)
            yield delta


@pytest.mark.parametrize("steps", range(60))
async def test_after_whichever_step_it_comes_the_turn_ends_as_it_would_have(store: MemoryStore, steps: int) -> None:
    hand = Hand("idempotent")
    hand.gate.open()
    world = World(store, Minded(), tools=(hand.tool,))
    thread = await world.thread()
    await world.send(thread, "go")
    async with going_on(world.turns.attend(thread)):
        for _ in range(steps):
            await asyncio.sleep(0)
        world.turns.hold(PAUSE)
    world.turns.hold(None)
    await world.work()
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    assert (await world.kinds(thread)).count("TOOL_CALL_RESULT") == 1
    assert not {"crashed", "drained"} & {entry.data.get("reason") for entry in await world.log(thread)}


async def test_a_stop_during_a_pause_is_heeded_before_anything_else(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Hm ", gate))])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "hello")
    async with going_on(world.turns.attend(thread)):
        await gate.reached()
        world.turns.hold(PAUSE)
    await world.threads.stop(thread)
    world.turns.hold(None)
    await world.work()
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"] | {"updated_at_ms": 0} == {
        "status": "cancelled",
        "reason": "stopped",
        "updated_at_ms": 0,
    }
    assert len(provider.requests) == 1


async def test_a_parent_that_waits_stays_so_and_its_child_goes_on(store: MemoryStore) -> None:
    gate = Gate()
    spawn = ToolCall(CallId("c1"), "spawn_sub_agent", {"agent": "helper", "task": "Find out."})
    found = "Found. <AGENT_DONE>found it</AGENT_DONE>"
    provider = ScriptedProvider([Say("", (spawn,)), Say(("Looking ", gate)), found, DONE])
    world: World = World(store, provider, tools=sub_agent_tools(lambda: world.family))
    parent = await world.thread()
    await world.ask(parent, "go")
    (child,) = [info.key for info in await store.find(ready=True)]
    async with going_on(world.turns.attend(ThreadId(child))):
        await gate.reached()
        world.turns.hold(PAUSE)
    assert (await world.kinds(ThreadId(child)))[-1] == "RUN_PAUSED"
    await world.turns.attend(parent)
    assert (await world.kinds(parent))[-1] != "RUN_PAUSED"
    world.turns.hold(None)
    await world.work()
    assert (await last(world, parent, "RUN_FINISHED"))["outcome"]["status"] == "done"
    assert (await world.kinds(parent)).count("ANSWER") == 1
