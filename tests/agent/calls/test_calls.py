"""A tool that fails for a reason that may pass is run again, if a repeat does no harm, and never past a stop."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sulla.agent.calls.calls import MOST_AT_ONCE
from sulla.core.errors import SullaError, Unavailable
from sulla.core.ids import CallId, ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import ToolCall, ToolResult
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.agent.turn.test_turns import Hands

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


class Moody:
    """A tool that fails as a test says, and then works."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.keys: list[str] = []

    def tool(self, effect: Effect) -> Tool:
        async def fetch(context: ToolContext) -> Result:
            """Get something."""
            self.keys.append(context.idempotency_key)
            if self.failures:
                raise self.failures.pop(0)
            return Done(ours("got it"))

        return define(fetch, effect=effect)


def scene(store: MemoryStore, moody: Moody, effect: Effect = "pure", boot: int = 1) -> tuple[World, ScriptedProvider]:
    asked = Say("", (ToolCall(CallId("a"), "fetch", {}),))
    provider = ScriptedProvider([asked, DONE] if boot == 1 else [DONE])
    return World(store, provider, clock=ManualClock(), tools=(moody.tool(effect),), boot=boot), provider


async def result_of(provider: ScriptedProvider) -> ToolResult:
    part = provider.requests[-1].messages[-1].parts[0]
    assert isinstance(part, ToolResult)
    return part


async def run_out(world: World, thread: ThreadId, seconds: float) -> None:
    assert isinstance(world.clock, ManualClock)
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await world.clock.advance(seconds)


@pytest.mark.parametrize(
    ("failure", "effect", "made"),
    [
        (Unavailable("away"), "pure", 3),
        (Unavailable("away"), "idempotent", 3),
        (ConnectionResetError("cut"), "pure", 3),
        (Unavailable("away"), "once", 1),
        (SullaError("no such thing"), "pure", 1),
        (ValueError("a bug"), "pure", 1),
    ],
    ids=lambda value: getattr(value, "code", "") or str(value) or type(value).__name__,
)
async def test_only_what_may_pass_and_does_no_harm_is_tried_again_and_twice_at_the_most(
    store: MemoryStore, failure: Exception, effect: Effect, made: int
) -> None:
    moody = Moody(failure, failure, failure)
    world, provider = scene(store, moody, effect)
    thread = await world.thread()
    await world.send(thread, "get it")
    await run_out(world, thread, 60)
    assert len(moody.keys) == made
    assert len(set(moody.keys)) == 1  # the same key each time
    assert (await result_of(provider)).is_error


async def test_the_waits_are_ten_and_thirty_seconds_and_success_is_the_result(store: MemoryStore) -> None:
    moody = Moody(Unavailable("away"), Unavailable("away"))
    world, provider = scene(store, moody)
    thread = await world.thread()
    await world.send(thread, "get it")
    assert isinstance(world.clock, ManualClock)
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        for seconds, made in ((9.9, 1), (0.2, 2), (29.8, 2), (0.2, 3)):
            await world.clock.advance(seconds)
            assert len(moody.keys) == made
    assert (await result_of(provider)).text == "got it"


async def test_a_service_that_says_when_is_asked_then(store: MemoryStore) -> None:
    moody = Moody(Unavailable("away", retry_after_s=2.0))
    world, _ = scene(store, moody)
    thread = await world.thread()
    await world.send(thread, "get it")
    await run_out(world, thread, 3)
    assert len(moody.keys) == 2


async def test_a_stop_does_not_wait_for_the_next_attempt_and_the_next_boot_makes_it(store: MemoryStore) -> None:
    moody = Moody(Unavailable("away"))
    world, _ = scene(store, moody)
    thread = await world.thread()
    await world.send(thread, "get it")
    assert isinstance(world.clock, ManualClock)
    async with asyncio.TaskGroup() as group:
        turn = group.create_task(world.turns.attend(thread))
        await world.clock.settle()
        world.turns.drain()
        await world.clock.settle()
        assert turn.done()
    assert len(moody.keys) == 1
    after, provider = scene(store, moody, boot=2)
    await after.turns.attend(thread)
    assert len(moody.keys) == 2
    assert (await result_of(provider)).text == "got it"
    assert (await after.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_call_that_a_stop_put_off_does_not_wait_for_a_person_who_is_asked_beside_it(store: MemoryStore) -> None:
    moody, hands = Moody(Unavailable("away")), Hands()
    asked = (ToolCall(CallId("p"), "ask_person", {"what": "may I?"}), ToolCall(CallId("f"), "fetch", {}))
    provider, clock = ScriptedProvider([Say("Both.", asked)]), ManualClock()
    tools = (hands.asking(), moody.tool("pure"))
    world = World(store, provider, clock=clock, tools=tools)
    thread = await world.thread()
    await world.send(thread, "go")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await clock.settle()
        world.turns.drain()
    assert len(moody.keys) == 1
    after = World(store, provider, clock=clock, tools=tools, boot=2)
    await after.turns.attend(thread)
    assert len(moody.keys) == 2
    (info,) = [info for info, _ in await after.threads.list(status="suspended")]
    assert info.key == thread


async def test_only_so_many_calls_of_a_reply_run_side_by_side_and_all_of_them_do(store: MemoryStore) -> None:
    at_work: list[str] = []
    most: list[int] = []

    async def fetch(context: ToolContext, *, number: int) -> Result:
        """Get something.

        Args:
            number: Which one.
        """
        at_work.append(context.call_id)
        most.append(len(at_work))
        for _ in range(3):
            await asyncio.sleep(0)
        at_work.remove(context.call_id)
        return Done(ours(f"got {number}"))

    calls = tuple(ToolCall(CallId(f"c{number}"), "fetch", {"number": number}) for number in range(3 * MOST_AT_ONCE))
    provider = ScriptedProvider([Say("", calls), DONE])
    world = World(store, provider, tools=(define(fetch, effect="pure", reach="inward"),))
    await world.ask(await world.thread(), "go on")
    assert max(most) == MOST_AT_ONCE
    results = [part for part in provider.requests[-1].messages[-1].parts if isinstance(part, ToolResult)]
    assert [result.text for result in results] == [f"got {number}" for number in range(3 * MOST_AT_ONCE)]


async def test_nobody_is_asked_for_a_call_that_would_be_refused_all_the_same(store: MemoryStore) -> None:
    async def fetch(context: ToolContext, *, url: str) -> Result:
        """Send something.

        Args:
            url: where to.
        """
        raise AssertionError("it is made")

    def asks(args: FrozenJson, context: ToolContext) -> str:
        return "May it?"

    tool = replace(
        define(fetch, effect="once", reach="outward"),
        asks=asks,
        refuses=lambda args: "port 18399 is not one of 80, 443",
    )
    asked = Say("", (ToolCall(CallId("a"), "fetch", {"url": "http://127.0.0.1:18399/"}),))
    provider = ScriptedProvider([asked, DONE])
    world = World(store, provider, tools=(tool,))
    thread = await world.thread()
    await world.ask(thread, "send it")
    result = await result_of(provider)
    assert (result.is_error, result.text) == (True, "Not run: port 18399 is not one of 80, 443")
