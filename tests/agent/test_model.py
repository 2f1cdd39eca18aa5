"""A model call over failures: again only where that helps, never more often than four times, and never in the way of a
stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.agent import DayLimits
from sulla.core.errors import ProviderProtocol, ProviderRejected, ProviderTransient, ProviderUnreachable, SullaError
from sulla.core.ids import ThreadId
from sulla.providers import Usage, read_prices
from sulla.providers.fallback import FallbackProvider
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World, scripted_model

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


async def run_out(world: World, thread: ThreadId, clock: ManualClock, seconds: float = 400) -> None:
    """Work on a thread while time passes."""
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await clock.advance(seconds)


async def test_a_stop_does_not_wait_for_the_next_attempt_and_the_next_boot_makes_it(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([ProviderTransient("overloaded"), DONE])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        turn = group.create_task(world.turns.attend(thread))
        await clock.settle()
        assert len(provider.requests) == 1
        world.turns.drain()
        await clock.settle()
        assert turn.done()  # though the wait has nine more seconds
    await World(store, provider, clock=clock, boot=2).turns.attend(thread)
    kinds = await world.kinds(thread)
    assert kinds[-1] == "RUN_FINISHED"
    resumed = [entry.data for entry in await world.log(thread) if entry.kind == "RESUMED"]
    assert [(resume["reason"], resume.get("crashes", 0)) for resume in resumed] == [("drained", 0)]
    provider.assert_done()


async def test_attempts_are_counted_over_restarts(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([ProviderTransient("overloaded") for _ in range(4)])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    for boot in (1, 2):
        world = world if boot == 1 else World(store, provider, clock=clock, boot=boot)
        async with asyncio.TaskGroup() as group:
            group.create_task(world.turns.attend(thread))
            await clock.settle()
            world.turns.drain()
    assert len(provider.requests) == 2
    await run_out(World(store, provider, clock=clock, boot=3), thread, clock)
    provider.assert_done()
    started = [entry.data.get("attempt", 1) for entry in await world.log(thread) if entry.kind == "MODEL_STARTED"]
    assert started == [1, 2, 3, 4]
    assert (await world.kinds(thread))[-1] == "RUN_ERROR"


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (ProviderTransient("down"), 4),
        (ProviderProtocol("nonsense"), 2),
        (ProviderRejected("no"), 1),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_each_class_of_failure_has_its_number_of_attempts(
    store: MemoryStore, error: SullaError, asked: int
) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([error] * asked)
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    await run_out(world, thread, clock)
    provider.assert_done()
    assert (await world.kinds(thread))[-1] == "RUN_ERROR"


async def test_a_service_that_keeps_failing_is_left_alone_by_all_and_tried_once_later(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([ProviderTransient("down") for _ in range(5)])
    world = World(store, provider, clock=clock)
    first, second, third = [await world.thread() for _ in range(3)]
    await world.send(first, "hi")
    await run_out(world, first, clock)
    assert len(provider.requests) == 4
    await world.send(second, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(second))
        await clock.settle()  # the fifth failure in a row opens the breaker
        assert len(provider.requests) == 5
        await world.send(third, "hi")
        waiting = group.create_task(world.turns.attend(third))
        await clock.settle()
        assert "MODEL_STARTED" not in await world.kinds(third)
        provider.add(DONE, DONE)
        await clock.advance(29)
        assert len(provider.requests) == 5
        await clock.advance(60)
        assert waiting.done()
    assert (await world.kinds(third))[-1] == "RUN_FINISHED"
    assert (await world.kinds(second))[-1] == "RUN_FINISHED"


async def test_what_a_call_took_is_charged_and_what_came_to_nothing_at_what_was_set_aside(store: MemoryStore) -> None:
    clock = ManualClock()
    used = Usage(input_tokens=100, output_tokens=20)
    provider = ScriptedProvider([Say("Once", usage=used, error=ProviderTransient("cut")), Say(DONE, usage=used)])
    prices = read_prices({"offline": {"input": 1, "output": 2, "cache_write": 1}})
    model = scripted_model(provider, prices=prices)
    world = World(store, provider, clock=clock, model=model)
    thread = await world.thread()
    await world.ask(thread, "hi")
    (started,) = [entry.data for entry in await world.log(thread) if entry.kind == "MODEL_STARTED"]
    spent = model.ledger.used(clock.now())
    assert (spent.tokens, spent.cost_micro) == (started["reserved_tokens"], started["reserved_micro"])
    await world.ask(thread, "again")
    after = model.ledger.used(clock.now())
    assert after.tokens == spent.tokens + used.total
    assert after.cost_micro == (spent.cost_micro or 0) + 140
    finished = [entry.data for entry in await world.log(thread) if entry.kind == "RUN_FINISHED"]
    assert finished[-1]["usage"] == {"input_tokens": 100, "output_tokens": 20, "cost_micro": 140}


async def test_a_turn_that_a_person_stops_is_charged_once_for_the_call_that_was_cut(store: MemoryStore) -> None:
    clock, gate = ManualClock(), Gate()
    provider = ScriptedProvider([Say(("Once upon a time ", gate, "never"))])
    model = scripted_model(provider, day=DayLimits())
    world = World(store, provider, clock=clock, model=model)
    thread = await world.thread()
    await world.send(thread, "tell")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await world.threads.stop(thread)
        await clock.settle()
    state = await world.threads.load(thread)
    (started,) = [entry.data for entry in await world.log(thread) if entry.kind == "MODEL_STARTED"]
    assert state is not None
    assert state.day_tokens == started["reserved_tokens"] == model.ledger.used(clock.now()).tokens


async def test_a_reply_that_a_stand_in_gave_says_so(store: MemoryStore) -> None:
    first = ScriptedProvider([ProviderUnreachable("nobody is there")], name="ollama")
    second = ScriptedProvider([DONE], name="anthropic")
    provider = FallbackProvider(first, second, "claude-x")
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "hi")
    (said,) = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert said["stand_in"] == "anthropic:claude-x for ollama: unreachable"
