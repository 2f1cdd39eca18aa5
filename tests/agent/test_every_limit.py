"""Each limit ends a run exactly at its figure, before the step that would go over it, and the outcome and the event say
which one it was and by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from sulla.agent.limits.ledger import DayLimits
from sulla.agent.limits.limits import RunLimits
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.models.tokens.prices import read_prices
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World, scripted_model
from tests.agent.turn.test_turns import Hands

ON = "Working. <AGENT_CONTINUE><STATUS_REPORT>more</STATUS_REPORT></AGENT_CONTINUE>"
DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
USED = 120
"""What the scripted provider says that a call took."""
PRICES = read_prices({"offline": {"input": 1, "output": 1, "cache_write": 1}})
"""A token costs one millionth, so that money is counted like tokens."""


@dataclass(frozen=True, slots=True)
class Bounds:
    run: RunLimits
    day: DayLimits


BY_TOKENS: dict[str, Callable[[int], Bounds]] = {
    "tokens": lambda most: Bounds(RunLimits(tokens=most), DayLimits()),
    "cost": lambda most: Bounds(RunLimits(cost_micro=most), DayLimits()),
    "thread_day_tokens": lambda most: Bounds(RunLimits(thread_day_tokens=most), DayLimits()),
    "agent_day_tokens": lambda most: Bounds(RunLimits(), DayLimits(agent_tokens=most)),
    "day_tokens": lambda most: Bounds(RunLimits(), DayLimits(tokens=most)),
    "day_cost": lambda most: Bounds(RunLimits(), DayLimits(cost_micro=most)),
}


async def two_calls(store: MemoryStore, boot: int, bounds: Bounds) -> tuple[World, ThreadId]:
    """A run of two model calls, as far as it gets."""
    provider = ScriptedProvider([ON, DONE])
    model = scripted_model(provider, prices=PRICES, day=bounds.day)
    world = World(store, provider, limits=bounds.run, model=model, boot=boot)
    thread = await world.thread()
    await world.ask(thread, "work")
    return world, thread


async def of_kind(world: World, thread: ThreadId, kind: str) -> list[dict[str, Any]]:
    return [dict(entry.data) for entry in await world.log(thread) if entry.kind == kind]


@pytest.mark.parametrize("limit", BY_TOKENS)
async def test_what_counts_tokens_or_money_stops_one_before_the_call_that_would_go_over_it(
    store: MemoryStore, limit: str
) -> None:
    world, thread = await two_calls(store, 1, BY_TOKENS[limit](10**9))
    _, second = await of_kind(world, thread, "MODEL_STARTED")
    needed = USED + second["reserved_tokens"]

    world, thread = await two_calls(store, 2, BY_TOKENS[limit](needed))
    assert len(await of_kind(world, thread, "MODEL_STARTED")) == 2
    assert (await of_kind(world, thread, "RUN_FINISHED"))[0]["outcome"]["status"] == "done"

    world, thread = await two_calls(store, 3, BY_TOKENS[limit](needed - 1))
    assert len(await of_kind(world, thread, "MODEL_STARTED")) == 1
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["code"] == "limit_reached"
    outcome = error["outcome"]
    assert (outcome["status"], outcome["reason"]) == ("failed", f"limit_{limit}")
    hit = outcome["hit"]
    assert (hit["limit"], hit["allowed"]) == (limit, needed - 1)
    assert (hit["used"], hit["wanted"]) == (USED, second["reserved_tokens"])
    assert str(needed - 1) in error["message"] or limit.endswith("cost")


async def test_model_calls_stop_at_their_figure(store: MemoryStore) -> None:
    provider = ScriptedProvider([ON, ON, ON])
    world = World(store, provider, limits=RunLimits(model_calls=3))
    thread = await world.thread()
    await world.ask(thread, "work")
    assert len(provider.requests) == 3
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["outcome"]["hit"] == {
        "limit": "model_calls",
        "scope": "run",
        "unit": "calls",
        "allowed": 3,
        "used": 3,
        "wanted": 1,
    }


async def test_loops_of_one_node_stop_at_forty(store: MemoryStore) -> None:
    provider = ScriptedProvider([ON] * 50)
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "work")
    assert len(provider.requests) == 40
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["outcome"]["reason"] == "limit_max_repeat"
    assert (error["outcome"]["hit"]["allowed"], error["outcome"]["hit"]["used"]) == (40, 40)


async def test_the_same_call_is_made_twice_refused_four_times_and_ends_the_run_at_the_seventh(
    store: MemoryStore,
) -> None:
    hands = Hands()
    same = [Say("", (ToolCall(CallId("a"), "look", {"what": "a"}),)) for _ in range(8)]
    provider = ScriptedProvider(same)
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.ask(thread, "look")
    assert (len(hands.done), len(provider.requests)) == (2, 7)
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["outcome"]["reason"] == "repeating"
    assert (error["outcome"]["hit"]["allowed"], error["outcome"]["hit"]["used"]) == (6, 7)


async def test_a_day_of_a_thread_counts_over_its_runs_and_a_new_day_is_a_new_one(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([DONE] * 4)
    world = World(store, provider, clock=clock, limits=RunLimits(thread_day_tokens=15_000))
    thread = await world.thread()
    reserved = []
    for number in range(4):
        await world.ask(thread, f"question {number}")
        reserved.append((await of_kind(world, thread, "MODEL_STARTED"))[-1]["reserved_tokens"])
    assert not await of_kind(world, thread, "RUN_ERROR")
    world = World(store, provider, clock=clock, limits=RunLimits(thread_day_tokens=4 * USED + 100), boot=2)
    await world.ask(thread, "one more")
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["outcome"]["hit"]["used"] == 4 * USED
    clock.jump(86_400)
    provider.add(DONE)
    world = World(store, provider, clock=clock, limits=RunLimits(thread_day_tokens=reserved[0] + 2_000), boot=3)
    await world.ask(thread, "tomorrow")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_message_that_no_model_may_be_shown_is_refused_by_name_and_the_thread_goes_on(
    store: MemoryStore,
) -> None:
    provider = ScriptedProvider([DONE])
    world = World(store, provider, limits=RunLimits(history_tokens=3_000))
    thread = await world.thread()
    await world.ask(thread, "word " * 6_000)
    (error,) = await of_kind(world, thread, "RUN_ERROR")
    assert error["outcome"]["reason"] == "limit_history_tokens"
    assert error["outcome"]["hit"]["allowed"] == 3_000
    assert "send it in smaller parts" in error["message"]
    assert provider.requests == []
    await world.ask(thread, "short")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_results_that_are_too_much_together_are_shown_in_part_and_kept_whole(store: MemoryStore) -> None:
    hands = Hands()
    long = "seven " * 1_500
    calls = tuple(ToolCall(CallId(f"c{number}"), "look", {"what": f"{number} {long}"}) for number in range(4))
    provider = ScriptedProvider([Say("", calls), DONE])
    world = World(store, provider, tools=(hands.tool("look"),), limits=RunLimits(history_tokens=14_000))
    thread = await world.thread()
    await world.ask(thread, "look")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    shown = provider.requests[1].messages[-1].parts
    assert all("[Cut here" in part.text for part in shown if hasattr(part, "text"))
    assert len(shown) == 4
    kept = await of_kind(world, thread, "TOOL_CALL_RESULT")
    assert all(result["text"].endswith("seven ") for result in kept)
