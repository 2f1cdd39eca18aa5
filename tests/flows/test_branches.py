"""Branches of a flow: what they used, what people see of them, and what they come to."""

from __future__ import annotations

import pytest

from sulla.store.memory import MemoryStore
from sulla.threads.log.records import InputIgnored, RunFinished, TextMessageEnd
from tests.flows.world import FlowWorld, facts_of


@pytest.mark.parametrize("number", [2, 8, 16])
async def test_what_branches_used_counts_for_the_turn_also_where_they_report_at_the_same_time(
    store: MemoryStore, number: int
) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist"] * number, "max_concurrency": number}
    steps = [node, "simple"]
    await world.offer(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": steps}})
    await world.turns.attend(thread)
    _, state = await world.threads.get(thread)
    assert state is not None
    children = [child.thread_id for child in state.links.children.values()]
    for child in children:  # all of them report before anybody looks
        await world.turns.attend(child)
    await world.work()
    ends = [fact for fact in await facts_of(world, thread) if isinstance(fact, RunFinished)]
    spent = [(await world.threads.get(child))[1] for child in children]
    used = sum(one.spending.tokens for one in spent if one is not None)
    own = sum(fact.usage.total for fact in await facts_of(world, thread) if isinstance(fact, TextMessageEnd))
    assert used
    assert ends[-1].counted == used + own
    assert ends[-1].usage.total == used + own
    _, state = await world.threads.get(thread)
    assert state is not None
    assert state.spending.tokens == used + own
    told = {fact.reason for fact in await facts_of(world, thread) if isinstance(fact, InputIgnored)}
    assert told == {"the run has it beside another answer that it waited for"}
