"""A model call over failures: again only where that helps, never more often than four times, and never in the way of a
stop.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sulla.agent.limits.ledger import DayLimits
from sulla.agent.limits.limits import Charge, RunLimits
from sulla.agent.model.breaker import Admitted
from sulla.agent.model.model import CERTAIN_S, Model, ModelReply
from sulla.agent.model.request import ReplyRequest
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.core.errors import (
    LimitReached,
    ProviderError,
    ProviderKeyMissing,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnreachable,
    StoreUnavailable,
    SullaError,
)
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import Message, Text, ToolCall
from sulla.core.run import Run
from sulla.models.base import ChatRequest, TokenUsage
from sulla.models.catalog import ModelName
from sulla.models.fallback import FallbackProvider
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.prices import Prices, read_prices
from sulla.models.wire.failures import refused
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.store import FaultyStore, Touch
from sulla.testing.world import World, scripted_model
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState
from tests.agent.turn.test_turns import Hands, last
from tests.kits.provider_kit import OTHER

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


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
    used = TokenUsage(input_tokens=100, output_tokens=20)
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


FREE = (
    ProviderUnreachable("nobody"),
    ProviderKeyMissing("no key"),
    refused(ProviderTransient("overloaded"), 529, "http://there"),
    refused(ProviderRejected("no credit"), 400, "http://there"),
)


@pytest.mark.parametrize("error", FREE, ids=lambda e: e.message)
async def test_a_call_that_reached_nobody_or_was_refused_costs_nothing(
    error: ProviderError, store: MemoryStore
) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([error] * 4)
    model = scripted_model(provider, day=DayLimits())
    world = World(store, provider, clock=clock, model=model)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        for _ in range(3):
            await clock.advance(120)
    await last(world, thread, "RUN_ERROR")
    state = await world.threads.load(thread)
    assert state is not None
    assert (state.spending.tokens, model.ledger.used(clock.now()).tokens) == (0, 0)


@pytest.mark.parametrize(("status", "charged"), [(529, 0), (504, 100)])
async def test_a_call_beside_all_runs_costs_nothing_if_it_was_refused(
    status: int, charged: int, store: MemoryStore
) -> None:
    clock, provider = ManualClock(), ScriptedProvider([refused(ProviderTransient("down"), status, "http://there")])
    world = World(store, provider, clock=clock, model=scripted_model(provider, day=DayLimits()))
    request = ChatRequest("m", (), [Message(MessageId("a"), "user", (Text("hi"),))], (), 100, 10)
    reply = await world.model.once(request, "c", "sulla", clock)
    assert isinstance(reply.said, ProviderTransient)
    assert reply.charged_tokens == world.model.ledger.used(clock.now()).tokens
    assert charged <= reply.charged_tokens <= charged * 2


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
    most, of_the_reply = started["reserved_tokens"], started["reply_tokens"]
    assert isinstance(most, int)
    assert isinstance(of_the_reply, int)
    assert most - of_the_reply < state.spending.day_tokens < most  # all that was sent, and a little of the reply
    assert state.spending.day_tokens == model.ledger.used(clock.now()).tokens


async def test_a_reply_that_a_stand_in_gave_says_so(store: MemoryStore) -> None:
    first = ScriptedProvider([ProviderUnreachable("nobody is there")], name="ollama")
    second = ScriptedProvider([DONE], name="anthropic")
    provider = FallbackProvider(first, second, "claude-x")
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "hi")
    (said,) = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert said["stand_in"] == "anthropic:claude-x for ollama: unreachable"


async def open_breaker(world: World, clock: ManualClock, *, past: bool = True) -> None:
    for _ in range(5):
        admitted = world.model.breaker.admit(clock.elapsed())
        assert isinstance(admitted, Admitted)
        world.model.breaker.failed(admitted.ticket, clock.elapsed())
    if past:
        await clock.advance(31)


async def test_a_trial_that_a_limit_refused_is_given_back(store: MemoryStore) -> None:
    clock, provider = ManualClock(), ScriptedProvider([DONE])
    world = World(store, provider, clock=clock, model=scripted_model(provider, day=DayLimits(agent_tokens=20_000)))
    await open_breaker(world, clock)
    world.model.ledger.settle("x", "sulla", Charge(19_000), clock.now())
    thread = await world.thread()
    await world.ask(thread, "hi")
    assert (await world.kinds(thread))[-1] == "RUN_ERROR"
    assert isinstance(world.model.breaker.admit(clock.elapsed()), Admitted)


async def test_a_trial_beside_all_runs_that_a_limit_refused_is_given_back(store: MemoryStore) -> None:
    clock, provider = ManualClock(), ScriptedProvider()
    world = World(store, provider, clock=clock, model=scripted_model(provider, day=DayLimits(tokens=10)))
    await open_breaker(world, clock)
    request = ChatRequest("m", (), [Message(MessageId("a"), "user", (Text("hi"),))], (), 100, 10)
    with pytest.raises(LimitReached):
        await world.model.once(request, "c", "sulla", clock)
    assert isinstance(world.model.breaker.admit(clock.elapsed()), Admitted)


async def test_who_asks_during_a_trial_does_not_wait_for_its_whole_time(store: MemoryStore) -> None:
    clock, gate = ManualClock(), Gate()
    provider = ScriptedProvider([Say(("Hello ", gate, DONE)), DONE])
    world = World(store, provider, clock=clock)
    await open_breaker(world, clock)
    trying, other = await world.thread(), await world.thread()
    for thread in (trying, other):
        await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(trying))
        await gate.reached()
        waiting = group.create_task(world.turns.attend(other))
        await clock.advance(5)
        gate.open()
        await clock.advance(11)
        assert waiting.done()


async def test_who_waits_for_an_open_breaker_is_told_for_how_long(store: MemoryStore) -> None:
    clock, provider = ManualClock(), ScriptedProvider([DONE])
    world = World(store, provider, clock=clock)
    await open_breaker(world, clock, past=False)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await clock.advance(5)
        assert await last(world, thread, "RUN_WAITING") == {"reason": "left_alone", "wait_s": 30.0}
        assert (await world.kinds(thread))[-1] == "RUN_WAITING"
        await clock.advance(31)
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_who_waits_for_another_attempt_is_told_what_the_service_said(store: MemoryStore) -> None:
    clock, provider = ManualClock(), ScriptedProvider([ProviderTransient("out of memory\nof the card"), DONE])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await clock.advance(5)
        assert (await last(world, thread, "RUN_WAITING"))["said"] == "out of memory of the card"
        await clock.advance(20)


async def test_a_nudge_that_broke_after_text_that_nobody_saw_is_made_again(store: MemoryStore) -> None:
    clock = ManualClock()
    cut = ProviderTransient("cut")
    provider = ScriptedProvider(["Plain words.", Say("well", error=cut), "<AGENT_DONE>ok</AGENT_DONE>"])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    await run_out(world, thread, clock)
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_call_is_written_off_once_though_the_store_fails(store: MemoryStore) -> None:
    clock, gate = ManualClock(), Gate()
    provider = ScriptedProvider([Say(("Once ", gate, "more"))])
    model = scripted_model(provider)
    world = World(store, provider, clock=clock, model=model)
    thread = await world.thread()
    await world.send(thread, "tell")
    turn = asyncio.ensure_future(world.turns.attend(thread))
    await gate.reached()
    turn.cancel()  # the daemon is cut off; the call stays open in the log
    await asyncio.gather(turn, return_exceptions=True)
    (started,) = [entry.data for entry in await world.log(thread) if entry.kind == "MODEL_STARTED"]

    async def plan(touch: Touch) -> None:
        if touch.method == "append" and touch.phase == "before":
            raise StoreUnavailable("disk full")

    second = World(FaultyStore(store, plan), provider, clock=clock, model=model, boot=2)
    for _ in range(5):
        attending = asyncio.ensure_future(second.turns.attend(thread))
        await clock.advance(35)
        with pytest.raises(StoreUnavailable):
            await attending
    assert model.ledger.used(clock.now()).tokens == started["reserved_tokens"]


async def test_a_reply_that_could_not_be_kept_is_charged_alike_to_thread_and_day(store: MemoryStore) -> None:
    clock, down = ManualClock(), True
    provider = ScriptedProvider([DONE, DONE])
    model = scripted_model(provider)

    async def plan(touch: Touch) -> None:
        if down and touch.method == "append" and "TEXT_MESSAGE_END" in touch.kinds and touch.phase == "before":
            raise StoreUnavailable("away")

    world = World(FaultyStore(store, plan), provider, clock=clock, model=model)
    thread = await world.thread()
    await world.send(thread, "hi")
    attending = asyncio.ensure_future(world.turns.attend(thread))
    await clock.advance(40)
    with pytest.raises(StoreUnavailable):
        await attending
    down = False
    await world.turns.attend(thread)
    state = await world.threads.load(thread)
    assert state is not None
    assert model.ledger.used(clock.now()).tokens == state.spending.day_tokens


async def test_orderly_stops_in_the_middle_of_a_reply_are_no_failed_attempts(store: MemoryStore) -> None:
    clock, provider = ManualClock(), ScriptedProvider()
    thread = await World(store, provider, clock=clock).thread()
    await World(store, provider, clock=clock).send(thread, "a long story")
    for boot in range(2, 7):
        gate = Gate()
        provider.add(Say((gate, "never")))
        world = World(store, provider, clock=clock, boot=boot)
        turn = asyncio.ensure_future(world.turns.attend(thread))
        await gate.reached()
        world.turns.drain()
        turn.cancel()  # the time to drain is over
        await asyncio.gather(turn, return_exceptions=True)
    provider.add(DONE)
    last = World(store, provider, clock=clock, boot=7)
    await last.turns.attend(thread)
    assert (await last.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_run_that_waited_while_the_model_was_changed_asks_the_new_one(store: MemoryStore) -> None:
    hands, provider = Hands(), ScriptedProvider([Say("I ask.", (ToolCall(CallId("a"), "ask_person", {"what": "x"}),))])
    world = World(store, provider, tools=(hands.asking(),))
    thread = await world.thread()
    await world.ask(thread, "go")
    state = await world.threads.load(thread)
    assert state is not None
    assert state.run is not None
    (wait,) = state.run.waits
    provider.add(DONE)
    estimator = TokenEstimator(ModelInfo(ModelName("anthropic", "new"), 200_000, Prices({})), Calibrations())
    changed = replace(scripted_model(provider), estimator=estimator)
    after = World(store, provider, tools=(hands.asking(),), model=changed, boot=2)
    await after.threads.answer(thread, Answer(wait, "yes"))
    await after.turns.attend(thread)
    assert provider.requests[-1].model == "new"


async def test_a_stand_in_that_is_dearer_is_reserved_at_its_own_price(store: MemoryStore) -> None:
    provider = ScriptedProvider([DONE])
    prices = read_prices({"anthropic:x": {"input": 10, "output": 1_000}})
    estimator = TokenEstimator(
        ModelInfo(ModelName("offline"), 200_000, prices, ModelName("anthropic", "x")), Calibrations()
    )
    model = replace(scripted_model(provider, day=DayLimits(cost_micro=100_000)), estimator=estimator)
    world = World(store, provider, model=model)
    thread = await world.thread()
    await world.ask(thread, "hi")
    assert provider.requests == []
    error = [dict(entry.data) for entry in await world.log(thread) if entry.kind == "RUN_ERROR"][-1]
    assert "(limits.day_cost)" in str(error["message"])


async def test_a_tool_that_a_run_has_to_be_answered_by_is_forced_in_each_attempt(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([ProviderTransient("busy"), DONE])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    ask = Model.ask

    async def forced(
        model: Model, state: ThreadState, run: Run, wanted: ReplyRequest, limits: RunLimits
    ) -> ModelReply | None:
        return await ask(model, state, run, replace(wanted, force="choose", tools=(OTHER,)), limits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "ask", forced)
        await world.send(thread, "hi")
        await run_out(world, thread, clock)
    assert [request.force for request in provider.requests] == ["choose", "choose"]


async def test_what_has_to_come_at_once_is_asked_for_once_and_for_a_bounded_time(store: MemoryStore) -> None:
    provider = ScriptedProvider([ProviderTransient("busy"), DONE])
    world = World(store, provider)
    thread = await world.thread()
    ask = Model.ask

    async def certain(
        model: Model, state: ThreadState, run: Run, wanted: ReplyRequest, limits: RunLimits
    ) -> ModelReply | None:
        return await ask(model, state, run, replace(wanted, certain=True), limits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "ask", certain)
        await world.ask(thread, "hi")
    assert [(request.certain, request.timeout_s) for request in provider.requests] == [(True, CERTAIN_S)]
    assert [entry.kind for entry in await world.log(thread)][-1] == "RUN_ERROR"
