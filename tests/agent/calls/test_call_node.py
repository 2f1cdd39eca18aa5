"""A call that a schedule asks for goes through the ordinary dispatcher, once, and its run says what it came to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from sulla.agent.approvals.permissions import Permissions
from sulla.agent.calls.call_node import CallNode, create_call_graph, order
from sulla.agent.calls.calls import ToolCalls
from sulla.agent.calls.guard import CallGuard
from sulla.agent.spec import AgentSpec
from sulla.agent.turn.actor import Actor, actor_key
from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import Origin
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.store import FaultyStore, at_record
from sulla.testing.world import World
from sulla.threads.log.records import Answer, Input, RunError, RunFinished, ThreadCreated
from sulla.tools.base import Done, Effect, Reach, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.registry import Toolbox


class Desk:
    """A home whose clock calls a tool."""

    def __init__(self, store: Any, *, reach: Reach = "inward", effect: Effect = "once", boot: int = 1) -> None:
        self.done: list[str] = []
        self.world = World(store, ScriptedProvider(), boot=boot)
        tools = Toolbox([self._tool(reach, effect)])
        guard = CallGuard(Permissions(store, self.world.clock))
        calls = ToolCalls(tools, Path("workspace"), lambda: 0.0, guard)
        graph = create_call_graph(CallNode(calls))
        self.world.actors[actor_key("sulla", graph="call")] = Actor(AgentSpec("sulla", "Sulla", ""), "", graph)

    def _tool(self, reach: Reach, effect: Effect) -> Tool:
        async def back_up(context: ToolContext, *, what: str) -> Result:
            """Back something up.

            Args:
                what: What.
            """
            self.done.append(what)
            return Done(ours(f"backed up {what}"), is_error=what == "moon")

        return define(back_up, effect=effect, reach=reach)

    async def fire(self, what: str, *, by: Origin = "beat", number: int = 1) -> ThreadId:
        thread = await self.world.threads.create(ThreadCreated("sulla", graph="call"), "schedule:1")
        text = order("back_up", {"what": what})
        await self.world.threads.send(thread, Input(MessageId(f"slot:{number}"), text, origin=by))
        return thread

    async def end(self, thread: ThreadId) -> tuple[str, str]:
        ends = [e.fact for e in await self.world.log(thread) if isinstance(e.fact, RunFinished | RunError)]
        return ends[-1].outcome.status, ends[-1].outcome.reason


async def test_the_call_is_made_and_what_it_came_to_is_the_runs_last_word(store: MemoryStore) -> None:
    desk = Desk(store)
    for number in (1, 2):
        thread = await desk.fire(f"disk {number}", number=number)
        await desk.world.work()
        state = await desk.world.threads.load(thread)
        assert state is not None
        assert state.context.transcript[-1].text == f"backed up disk {number}"
        assert await desk.end(thread) == ("done", "")
    assert desk.done == ["disk 1", "disk 2"]


async def test_a_call_that_fails_is_a_run_that_fails(store: MemoryStore) -> None:
    desk = Desk(store)
    thread = await desk.fire("moon")
    await desk.world.work()
    assert await desk.end(thread) == ("failed", "tool_error")


async def test_a_call_that_reaches_out_waits_for_a_person_because_nobody_is_there(store: MemoryStore) -> None:
    desk = Desk(store, reach="outward")
    thread = await desk.fire("disk")
    await desk.world.work()
    assert desk.done == []
    state = await desk.world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    (wait,) = state.run.waits.values()
    await desk.world.threads.answer(thread, Answer(wait.wait_id, "", "approve"))
    await desk.world.work()
    assert desk.done == ["disk"]
    assert await desk.end(thread) == ("done", "")


async def test_a_message_of_a_person_calls_nothing_here(store: MemoryStore) -> None:
    desk = Desk(store)
    thread = await desk.fire("disk", by="user")
    await desk.world.work()
    assert desk.done == []
    assert await desk.end(thread) == ("failed", "invalid_input")


@pytest.mark.parametrize("effect", ["once", "idempotent"])
async def test_a_crash_during_the_call_repeats_it_only_if_that_does_no_harm(
    store: MemoryStore, effect: Literal["once", "idempotent"]
) -> None:
    class Gone(BaseException):
        """The process is gone."""

    async def die() -> None:
        raise Gone

    desk = Desk(FaultyStore(store, at_record("TOOL_CALL_RESULT", 1, "before", die)), effect=effect)
    thread = await desk.fire("disk")
    with pytest.raises(BaseException) as error:  # noqa: PT011 - a task group may wrap it
        await desk.world.work()
    assert "Gone" in repr(error.value)
    assert desk.done == ["disk"]
    again = Desk(store, effect=effect, boot=2)
    await again.world.work()
    assert again.done == (["disk"] if effect == "idempotent" else [])
    if effect == "once":
        state = await again.world.threads.load(thread)
        assert state is not None
        assert state.run is not None
        assert [name.partition(":")[0] for name in state.run.waits] == ["review"]
