"""A condition of a package works beside all else, and is given up where it takes too long."""

from __future__ import annotations

import asyncio
from threading import Event

from sulla.flows.conditions import ConditionRegistry, SessionContext
from sulla.flows.node import CONDITION_S
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.threads.log.records import RunError
from tests.flows.world import FlowWorld, facts_of


async def test_a_condition_that_takes_long_holds_nothing_up_and_fails_its_turn_by_name(store: MemoryStore) -> None:
    begun, over, loop = asyncio.Event(), Event(), asyncio.get_running_loop()

    @ConditionRegistry.register("slow")
    def slow(session_context: SessionContext, session: object = None) -> bool:
        loop.call_soon_threadsafe(begun.set)
        return over.wait()

    world = FlowWorld(store, conditions=[slow])
    thread = await world.thread()
    root = {"type": "if", "condition": "slow", "true_body": "simple"}
    await world.offer(thread, custom_flow={"name": "x", "root": root})
    turn = asyncio.ensure_future(world.turns.attend(thread))
    await begun.wait()  # the loop works on meanwhile
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(CONDITION_S)
    await turn
    over.set()
    (error,) = (fact for fact in await facts_of(world, thread) if isinstance(fact, RunError))
    assert error.message == "the flow's condition 'slow' took longer than 10 s, the most that one may"
