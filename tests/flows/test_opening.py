"""What takes up a message in the place of a flow may have a tool called, which is made as any call is."""

from __future__ import annotations

from sulla.agent.turn.node import Opened
from sulla.core.ids import CallId, MessageId
from sulla.core.message import ToolCall
from sulla.core.run import Run
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.log.records import TextMessageEnd, ToolCallStart
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.flows.world import FlowWorld


async def opened_by_a_call(state: ThreadState, run: Run) -> Opened:
    """An opening that has a tool called in the place of the agent, as an intent does."""
    call = ToolCall(CallId("ring1"), "ring", {})
    reply = TextMessageEnd(CallId("intent"), MessageId("msg_intent"), "", (call,))
    return reply, ToolCallStart(call.id, call.name, call.args, MessageId("msg_intent"), "once")


async def test_a_call_in_the_place_of_a_flow_is_made_once_and_nobody_is_asked_about_it() -> None:
    rung: list[str] = []

    async def ring(context: ToolContext) -> Result:
        """Ring the bell."""
        rung.append(context.agent)
        return Done(ours("It rings."))

    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    world = FlowWorld(store, opening=opened_by_a_call, tools=(define(ring, effect="once", reach="inward"),))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi")
    assert rung == ["sulla"]
    assert await world.moved(thread) == [("left", "default", None)]
    assert (await world.status(thread))[0] == "done"
    await store.close()
