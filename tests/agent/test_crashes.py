"""A process that dies at any write leaves a log that the next one finishes (design §4.6)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import Message, ToolCall
from sulla.core.words import ours
from sulla.models.tokens.estimate import estimate_tokens
from sulla.store.memory import MemoryStore
from sulla.store.values import Record
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.store import FaultyStore, at_record
from sulla.testing.world import World
from sulla.threads.log.codec import decode
from sulla.threads.log.fold import apply_decision
from sulla.threads.log.fold_offer import apply_offer
from sulla.threads.log.records import Answer, Decision, Offer, Suspended
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define
from tests.threads.log.kept_log import known

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


class Ledger:
    """What tools really did."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tool(self, name: str, effect: Effect) -> Tool:
        async def act(context: ToolContext, *, what: str) -> Result:
            """Do something.

            Args:
                what: what to do.
            """
            self.lines.append(f"{name}:{context.idempotency_key}")
            return Done(ours(f"did {what}"))

        act.__name__ = name
        return define(act, effect=effect)


class Model:
    """Answers by what it is shown, so that a repeated call gets the same reply; counts calls by their place."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.name = "model"

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        step = sum(message.role == "assistant" for message in request.messages)
        self.calls.append(step)
        say = (
            Say(
                "First.",
                (ToolCall(CallId("x"), "careful", {"what": "a"}), ToolCall(CallId("y"), "easy", {"what": "b"})),
            )
            if step == 0
            else Say("Then. <AGENT_CONTINUE><STATUS_REPORT>half</STATUS_REPORT></AGENT_CONTINUE>")
            if step == 1
            else Say(DONE)
        )
        inner = ScriptedProvider([say])
        async for delta in inner.stream(request):
            yield delta

    async def close(self) -> None: ...


def world_of(store: Any, model: Any, ledger: Ledger, boot: int) -> World:
    return World(store, model, tools=(ledger.tool("careful", "once"), ledger.tool("easy", "idempotent")), boot=boot)


async def live_and_die(
    store: MemoryStore, model: Model, ledger: Ledger, thread: ThreadId, boot: int, at: int, after: bool
) -> bool:
    mortal = Mortal(store, at, after=after, changes=("append",))
    try:
        await world_of(mortal, model, ledger, boot).turns.attend(thread)
    except* Killed:
        assert mortal.dead
    return mortal.dead


WRITES = 7
"""How many appends the whole turn takes; the last test keeps this honest."""


@pytest.mark.parametrize("at", range(1, WRITES + 1))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_death_at_any_write_is_survived(store: MemoryStore, at: int, after: bool) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    sent = await first.send(thread, "go")
    assert await live_and_die(store, model, ledger, thread, 2, at, after)
    recorded = await replies(first, thread)
    known = len(model.calls)

    later = world_of(store, model, ledger, 3)
    await later.turns.attend(thread)
    kinds = await later.kinds(thread)
    if kinds[-1] == "SUSPENDED":  # a `once` call was cut off: a person decides
        wait = await question(later, thread)
        assert wait.startswith("review:")
        await later.threads.answer(thread, Answer(wait, "it did", "result"))
        await later.turns.attend(thread)

    log = await later.log(thread)
    ends = [entry.origin.run_id for entry in log if entry.kind in ("RUN_FINISHED", "RUN_ERROR")]
    assert ends == [sent.run_id]
    assert log[-1].kind == "RUN_FINISHED"
    assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
    careful = [line for line in ledger.lines if line.startswith("careful")]
    assert len(careful) <= 1
    assert len({line for line in ledger.lines if line.startswith("easy")}) == 1  # repeated only under the same key
    # A reply that was recorded is not paid for again.
    assert not set(model.calls[known:]) & set(range(recorded))
    assert sorted(set(model.calls)) == [0, 1, 2]
    assert len(model.calls) <= 4


async def question(world: World, thread: ThreadId) -> str:
    """The one thing that the suspended run waits for."""
    suspended = next(entry.fact for entry in reversed(await world.log(thread)) if entry.kind == "SUSPENDED")
    assert isinstance(suspended, Suspended)
    (wait,) = suspended.waits
    return wait.wait_id


async def replies(world: World, thread: ThreadId) -> int:
    return sum(kind == "TEXT_MESSAGE_END" for kind in await world.kinds(thread))


async def test_the_third_death_of_one_run_ends_it_visibly(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    for boot in (2, 3, 4):
        assert await live_and_die(store, model, ledger, thread, boot, 2, after=False)
    await world_of(store, model, ledger, 5).turns.attend(thread)
    error = (await first.log(thread))[-1]
    assert (error.kind, error.data["code"]) == ("RUN_ERROR", "crashed_repeatedly")


async def test_a_message_that_kills_whoever_takes_it_up_is_given_up(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "poison")
    for boot in (2, 3, 4):  # dies before its first write: nothing of the run is in the log
        assert await live_and_die(store, model, ledger, thread, boot, 1, after=False)
    await world_of(store, model, ledger, 5).turns.attend(thread)
    kinds = await first.kinds(thread)
    assert kinds == ["INPUT", "RUN_STARTED", "RUN_ERROR"]


@pytest.mark.parametrize("at", [5, 30])
async def test_a_run_that_loops_stops_after_forty_rounds_whoever_takes_it_up(store: MemoryStore, at: int) -> None:
    more = "More. <AGENT_CONTINUE><STATUS_REPORT>more</STATUS_REPORT></AGENT_CONTINUE>"
    provider = ScriptedProvider([more] * 80)
    mortal: Any = Mortal(store, at, after=True, changes=("append",))
    first = World(mortal, provider)
    thread = await first.thread()
    await first.send(thread, "go on")
    try:
        await first.turns.attend(thread)
    except* Killed:
        assert mortal.dead
    later = World(store, provider, boot=2)
    assert 0 < await replies(later, thread) < 40
    await later.turns.attend(thread)
    error: Any = (await later.log(thread))[-1].data
    assert error["outcome"]["reason"] == "limit_max_repeat"
    assert await replies(later, thread) == 40


async def test_a_run_that_was_parked_is_no_crash(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    for boot in range(2, 8):
        world = world_of(store, model, ledger, boot)
        world.turns.drain()
        await world.turns.attend(thread)
    await world_of(store, model, ledger, 9).turns.attend(thread)
    assert (await first.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_turn_that_is_cut_off_by_a_stop_is_no_crash(store: MemoryStore) -> None:
    gate = Gate()
    world = World(store, ScriptedProvider([Say(("Once ", gate, "more"))]), boot=2)
    thread = await world.thread()
    await world.send(thread, "go")
    turn = asyncio.ensure_future(world.turns.attend(thread))
    await gate.reached()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    later = World(store, ScriptedProvider([DONE]), boot=3)
    await later.turns.attend(thread)
    resumed = next(entry for entry in await later.log(thread) if entry.kind == "RESUMED")
    assert resumed.data == {"reason": "drained"}
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("verdict", ["run_again", "give_up"])
async def test_a_reviewed_call_is_run_again_once_or_given_up(
    store: MemoryStore, verdict: Literal["run_again", "give_up"]
) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    assert await live_and_die(store, model, ledger, thread, 2, 3, after=False)
    before = len([line for line in ledger.lines if line.startswith("careful")])
    assert before == 1
    later = world_of(store, model, ledger, 3)
    await later.turns.attend(thread)
    await later.threads.answer(thread, Answer(await question(later, thread), "", verdict))
    await later.turns.attend(thread)
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    careful = [line for line in ledger.lines if line.startswith("careful")]
    assert len(careful) == (2 if verdict == "run_again" else 1)


async def test_what_is_loaded_is_what_the_log_folds_to(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    await first.send(thread, "and again")
    for boot, at in enumerate((2, 3, 4, 2), start=2):
        await live_and_die(store, model, ledger, thread, boot, at, after=True)
        loaded = await world_of(store, model, ledger, 99).threads.load(thread)
        assert loaded is not None
        assert shown(loaded) == shown(folded(await store.read(thread), thread))


def folded(records: list[Record], thread: ThreadId) -> ThreadState:
    state = ThreadState(thread, ModelContext(Transcript(estimate_tokens)))
    for record in records:
        entry = decode(record, thread)
        fact = entry.fact
        if entry.offered and isinstance(fact, Offer):
            apply_offer(state, fact, entry.seq, entry.origin)
        elif isinstance(fact, Decision):
            apply_decision(state, fact, entry.origin)
    return state


def shown(state: ThreadState) -> dict[str, Any]:
    walk = (
        "walk.iterations",
        "walk.consecutive_same_node",
        "walk.node",
    )  # the engine's own counters are in the head alone
    found = {name: value for name, value in known(state) if name not in (*walk, "context.transcript")}
    return found | {
        "messages": list[Message](state.context.transcript),
        "unanswered": state.context.transcript.unanswered,
    }


async def test_the_number_of_writes_is_what_these_tests_think(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    assert not await live_and_die(store, model, ledger, thread, 2, WRITES + 1, after=False)


async def test_a_permitted_second_try_that_is_cut_off_too_asks_anew(store: MemoryStore) -> None:
    model, ledger = Model(), Ledger()
    first = world_of(store, model, ledger, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    assert await live_and_die(store, model, ledger, thread, 2, 3, after=False)
    await world_of(store, model, ledger, 3).turns.attend(thread)
    asked = await question(first, thread)
    await first.threads.answer(thread, Answer(asked, "", "run_again"))
    # The second try runs, and the process dies before its result is kept.
    assert await live_and_die(store, model, ledger, thread, 4, 2, after=False)
    later = world_of(store, model, ledger, 5)
    await later.turns.attend(thread)
    again = await question(later, thread)
    assert again != asked
    await later.threads.answer(thread, Answer(again, "", "give_up"))
    await later.turns.attend(thread)
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    assert len([line for line in ledger.lines if line.startswith("careful")]) == 2


class StandingStill(ManualClock):
    """As of a process that is stopped for a while: time is over, and nobody could do anything meanwhile."""

    async def pass_by(self) -> None:
        """Longer than any lease lasts."""
        self._elapsed += 60.0


async def stands_still(store: MemoryStore, clock: StandingStill, kind: str) -> tuple[World, ThreadId, list[str]]:
    """A turn whose process stands still right after a record was kept."""
    ran: list[str] = []

    async def pay(context: ToolContext) -> Result:
        """Pay."""
        ran.append("pay")
        return Done(ours("paid"))

    call = ToolCall(CallId("c"), "pay", {})
    world = World(
        FaultyStore(store, at_record(kind, 1, "after", clock.pass_by)),
        ScriptedProvider([Say(calls=(call,)), DONE]),
        tools=(define(pay, effect="once"),),
        clock=clock,
    )
    thread = await world.thread()
    await world.ask(thread, "pay")
    return world, thread, ran


async def test_a_tool_is_not_begun_when_the_lease_ran_out_since_its_intent_was_kept() -> None:
    clock = StandingStill()
    store = MemoryStore(clock, lambda prefix: prefix)
    await store.open()
    world, thread, ran = await stands_still(store, clock, "TOOL_CALL_START")
    assert ran == []
    info = await store.head(thread)
    assert info is not None
    assert not info.held, "nobody should have to wait for the lease"
    await world.turns.attend(thread)  # whoever comes next cannot know that it was not begun
    assert (await world.kinds(thread))[-1] == "SUSPENDED"
    assert ran == []


async def test_a_model_is_not_asked_when_the_lease_ran_out_since_the_call_was_announced() -> None:
    clock = StandingStill()
    store = MemoryStore(clock, lambda prefix: prefix)
    await store.open()
    provider = ScriptedProvider(["unused"])
    world = World(FaultyStore(store, at_record("MODEL_STARTED", 1, "after", clock.pass_by)), provider, clock=clock)
    await world.ask(await world.thread(), "hi")
    assert provider.requests == []


async def test_an_answer_that_was_seen_by_a_daemon_about_to_stop_is_not_forgotten(store: MemoryStore) -> None:
    async def ask(context: ToolContext) -> Result:
        """Ask."""
        return Waiting("answer:1", "may I?")

    tools = (define(ask, effect="pure"),)
    world = World(store, ScriptedProvider([Say(calls=(ToolCall(CallId("c"), "ask", {}),))]), tools=tools)
    thread = await world.thread()
    await world.ask(thread, "go")
    await world.threads.answer(thread, Answer("answer:1", "yes"))
    world.turns.drain()
    await world.turns.attend(thread)
    assert [info.key for info in await store.find(ready=True)] == [thread]
    following = World(store, ScriptedProvider([DONE]), tools=tools, boot=2)
    await following.turns.attend(thread)
    assert (await following.kinds(thread))[-1] == "RUN_FINISHED"
