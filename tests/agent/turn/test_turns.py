"""A turn from its message to its end: what is recorded, in which order, and what a model is asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.agent.subagents.children import Children
from sulla.agent.turn.ambient_context import TurnContext
from sulla.agent.turn.speakers import Answerer
from sulla.agent.turn.turns import TurnDriver
from sulla.core.errors import ContextTooLong, MessageIdReused, ProviderRejected, ProviderTransient, StoreUnavailable
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import ToolCall, ToolResult
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.inputs import WaitingInput
from sulla.threads.log.records import Answer, Input, RunFinished
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done, Effect, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


class Hands:
    """Tools that write down what they did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.gate: Gate | None = None

    def tool(self, name: str, effect: Effect = "pure", *, parallel: bool = True) -> Tool:
        async def act(context: ToolContext, *, what: str) -> Result:
            """Do something.

            Args:
                what: what to do.
            """
            self.done.append(what)
            if self.gate is not None:
                await self.gate.pass_through()
            return Done(ours(f"did {what}"))

        act.__name__ = name
        return define(act, effect=effect, parallel=parallel)

    def asking(self) -> Tool:
        async def ask_person(context: ToolContext, *, what: str) -> Result:
            """Ask a person.

            Args:
                what: what to ask.
            """
            self.done.append(what)
            return Waiting(f"answer:{context.call_id}", what)

        return define(ask_person, effect="pure")


def call(name: str, what: str) -> ToolCall:
    return ToolCall(CallId(what), name, {"what": what})


async def last(world: World, thread_id: ThreadId, kind: str) -> dict[str, Any]:
    return next(dict(entry.data) for entry in reversed(await world.log(thread_id)) if entry.kind == kind)


async def test_who_answers_a_message_is_asked_once(store: MemoryStore) -> None:
    asked: list[str] = []

    def answerer(state: ThreadState, item: WaitingInput) -> Answerer:
        asked.append(item.text)
        return Answerer("helper")

    world, limits = World(store, ScriptedProvider([Say(DONE)])), RunLimits()
    children = Children(world.threads, lambda thread_id: None, limits)
    told = TurnContext(world.clock, answerer=answerer)
    turns = TurnDriver(world.threads, store, world.clock, world.actors, limits, world.model.ledger, children, told)
    thread = await world.thread()
    await world.send(thread, "hello")
    await turns.attend(thread)
    assert asked == ["hello"]
    assert (await last(world, thread, "RUN_STARTED"))["agent"] == "helper"


async def test_a_plain_turn_takes_two_appends_and_says_everything(store: MemoryStore) -> None:
    provider = ScriptedProvider([DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "hello")
    assert await world.kinds(thread) == [
        "INPUT",
        "RUN_STARTED",
        "MODEL_STARTED",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ]
    assert (await last(world, thread, "TEXT_MESSAGE_END"))["text"] == "All right."
    outcome = (await last(world, thread, "RUN_FINISHED"))["outcome"]
    assert outcome["status"] == "done"
    assert outcome["response"] == "ok"
    provider.assert_done()


async def test_the_next_turn_sees_the_one_before(store: MemoryStore) -> None:
    provider = ScriptedProvider([DONE, DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "first")
    await world.ask(thread, "second")
    assert [message.role for message in provider.requests[1].messages] == ["user", "assistant", "user"]
    assert provider.requests[1].messages[0].text.startswith("first")


def damage(store: MemoryStore, thread_id: ThreadId, kind: str) -> None:
    """Put noise into the first record of a kind."""
    log = store._logs[thread_id]
    at = next(number for number, record in enumerate(log.records) if record.kind == kind)
    log.records[at] = replace(log.records[at], body=b"noise")


@pytest.mark.parametrize("kind", ["TEXT_MESSAGE_END", "INPUT", "RUN_STARTED"])
async def test_a_turn_in_a_thread_with_a_damaged_record_ends_with_an_error_and_others_go_on(
    store: MemoryStore, kind: str
) -> None:
    before = World(store, ScriptedProvider([DONE]))
    damaged = await before.thread()
    await before.ask(damaged, "first")
    damage(store, damaged, kind)
    provider = ScriptedProvider([DONE])
    world = World(store, provider, boot=2)
    other = await world.thread()
    for _ in range(2):
        told = len(store._logs[damaged].records)
        await world.ask(damaged, "second")
        entries = await world.threads.entries(damaged, after=told)
        assert [entry.kind for entry in entries] == ["INPUT", "RUN_STARTED", "RUN_ERROR"]
        assert entries[-1].data["code"] == "corrupt_record"
        assert "sulla doctor" in str(entries[-1].data["message"])
    assert world.threads.damage().startswith(f"{damaged}: the conversation cannot be read on (")
    await world.ask(other, "hello")
    assert (await last(world, other, "RUN_FINISHED"))["outcome"]["status"] == "done"
    provider.assert_done()
    await world.threads.delete(damaged)
    assert not world.threads.damage()


async def test_a_turn_in_a_thread_with_a_damaged_head_ends_with_an_error_and_the_next_one_goes_on(
    store: MemoryStore,
) -> None:
    world = World(store, ScriptedProvider([DONE]))
    thread = await world.thread()
    await world.ask(thread, "first")
    log = store._logs[thread]
    log.log = replace(log.log, head=replace(log.log.head, body=b"noise"))
    provider = ScriptedProvider([DONE])
    later = World(store, provider, boot=2)
    await later.ask(thread, "second")
    assert [record.kind for record in log.records][-3:] == ["INPUT", "RUN_STARTED", "RUN_ERROR"]
    assert "head" in later.threads.damage()
    await later.ask(thread, "third")
    assert log.records[-1].kind == "RUN_FINISHED"
    assert not later.threads.damage()
    assert provider.requests[0].messages[0].text.startswith("first")


@pytest.mark.parametrize("before_a_head", [True, False])
async def test_a_waiting_message_that_cannot_be_read_is_put_away_and_not_tried_for_ever(
    store: MemoryStore, before_a_head: bool
) -> None:
    world = World(store, ScriptedProvider([DONE, DONE]))
    thread = await world.thread()
    if before_a_head:
        await world.ask(thread, "first")
    await world.send(thread, "lost")
    log = store._logs[thread]
    assert log.records[-1].kind == "INPUT"
    log.records[-1] = replace(log.records[-1], body=b"noise")
    later = World(store, ScriptedProvider([DONE]), boot=2)
    await later.turns.attend(thread)
    assert [record.kind for record in log.records][-2:] == ["INPUT", "INPUT_IGNORED"]
    assert "cannot be read on" in later.threads.damage()
    await later.sweep()
    assert log.records[-1].kind == "INPUT_IGNORED"
    await later.ask(thread, "again")
    assert [record.kind for record in log.records][-2:] == ["RUN_STARTED", "RUN_ERROR"]


async def test_tool_calls_run_and_their_results_come_back_in_the_models_order(store: MemoryStore) -> None:
    hands = Hands()
    asked = Say("Looking.", (call("look", "a"), call("look", "b")))
    provider = ScriptedProvider([asked, DONE])
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.ask(thread, "look")
    assert sorted(hands.done) == ["a", "b"]
    results = [part.text for part in provider.requests[1].messages[-1].parts if isinstance(part, ToolResult)]
    assert results == ["did a", "did b"]
    kinds = await world.kinds(thread)
    # The intents are in the log before any result, and the results before the next call of the model.
    assert (
        kinds.index("TOOL_CALL_START")
        < kinds.index("TOOL_CALL_RESULT")
        < len(kinds) - kinds[::-1].index("MODEL_STARTED")
    )
    assert kinds.count("TOOL_CALL_START") == kinds.count("TOOL_CALL_RESULT") == 2


async def test_continue_goes_round_with_a_reminder_that_people_do_not_see(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Half. <AGENT_CONTINUE><STATUS_REPORT>half</STATUS_REPORT></AGENT_CONTINUE>", DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "do it")
    reminder = provider.requests[1].messages[-1]
    assert (reminder.role, reminder.text, reminder.hidden) == ("user", "Continue.", True)
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_a_reply_without_a_wrapper_is_nudged_once(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Here you are.", "<AGENT_DONE>given</AGENT_DONE>"])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "give")
    nudge = provider.requests[1]
    assert nudge.max_tokens == 200
    assert nudge.messages[-1].role == "user"
    assert nudge.messages[-1].hidden
    shown = [entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END"]
    assert [entry.get("hidden", False) for entry in shown] == [False, True]
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"


async def test_a_plain_agent_is_done_when_it_calls_no_tool_and_is_told_of_no_wrapper(store: MemoryStore) -> None:
    provider = ScriptedProvider(["Just this."])
    world = World(store, provider, completion="plain")
    thread = await world.thread()
    await world.ask(thread, "hi")
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "done"
    assert not any("AGENT_DONE" in section.text for section in provider.requests[0].system)


async def test_blocked_says_why_and_what_is_needed(store: MemoryStore) -> None:
    text = (
        "<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>"
        "<UNBLOCK_REQUIREMENTS>a key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
    )
    world = World(store, ScriptedProvider([text]))
    thread = await world.thread()
    await world.ask(thread, "open")
    outcome = (await last(world, thread, "RUN_FINISHED"))["outcome"]
    assert (outcome["status"], outcome["blocker_reason"], outcome["unblock_requirements"]) == (
        "blocked",
        "no key",
        "a key",
    )


async def test_a_failing_provider_is_an_error_and_never_silence(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider([ProviderRejected("not allowed")]))
    thread = await world.thread()
    await world.ask(thread, "hi")
    assert (await world.kinds(thread))[-2:] == ["MODEL_ABANDONED", "RUN_ERROR"]
    error = await last(world, thread, "RUN_ERROR")
    assert error["code"] == "provider_rejected"
    assert error["outcome"]["status"] == "failed"


async def test_a_failure_that_passes_is_tried_again_and_says_so(store: MemoryStore) -> None:
    clock = ManualClock()
    overloaded = ProviderTransient("overloaded")
    provider = ScriptedProvider([overloaded, ProviderTransient("slow down", retry_after_s=3.0), DONE])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        turn = group.create_task(world.turns.attend(thread))
        await clock.advance(9.9)
        assert len(provider.requests) == 1
        await clock.advance(0.2)  # seed 001: ten seconds after the first failure
        assert len(provider.requests) == 2
        await clock.advance(2.8)
        assert not turn.done()
        await clock.advance(0.5)  # the service asked for three
    waits = [entry.data.get("retry_in_s") for entry in await world.log(thread) if entry.kind == "MODEL_ABANDONED"]
    assert waits == [10.0, 3.0]
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    provider.assert_done()


async def test_four_attempts_are_all_there_are(store: MemoryStore) -> None:
    clock = ManualClock()
    provider = ScriptedProvider([ProviderTransient("overloaded") for _ in range(4)])
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await clock.advance(200)
    error = await last(world, thread, "RUN_ERROR")
    assert (error["code"], error["retryable"]) == ("provider_transient", True)
    provider.assert_done()


async def test_nothing_is_tried_again_once_text_was_shown(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Once upon a time there", error=ProviderTransient("cut"))])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "tell")
    assert (await world.kinds(thread))[-2:] == ["MODEL_ABANDONED", "RUN_ERROR"]
    provider.assert_done()


async def test_a_context_that_is_too_long_is_shortened_and_tried_once(store: MemoryStore) -> None:
    provider = ScriptedProvider([DONE] * 6 + [ContextTooLong("too long"), DONE])
    world = World(store, provider)
    thread = await world.thread()
    for number in range(7):
        await world.ask(thread, f"question {number} " + "x" * 400)
    assert len(provider.requests[7].messages) < len(provider.requests[6].messages)
    assert provider.requests[7].messages[-1].text.startswith("question 6")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    provider.assert_done()


async def test_the_same_call_for_the_third_time_is_refused_with_a_hint(store: MemoryStore) -> None:
    hands = Hands()
    same = [Say("", (call("look", "a"),)) for _ in range(3)]
    provider = ScriptedProvider([*same, DONE])
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.ask(thread, "look")
    assert hands.done == ["a", "a"]
    results = [entry.data for entry in await world.log(thread) if entry.kind == "TOOL_CALL_RESULT"]
    assert [result.get("is_error", False) for result in results] == [False, False, True]
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_the_same_call_for_the_seventh_time_ends_the_run(store: MemoryStore) -> None:
    hands = Hands()
    provider = ScriptedProvider([Say("", (call("look", "a"),)) for _ in range(7)])
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.ask(thread, "look")
    assert (await last(world, thread, "RUN_ERROR"))["outcome"]["reason"] == "repeating"
    assert hands.done == ["a", "a"]
    provider.assert_done()


async def test_a_bug_is_an_error_that_keeps_its_secrets(store: MemoryStore, caplog: pytest.LogCaptureFixture) -> None:
    world = World(store, ScriptedProvider([]))  # the first call is one too many: an AssertionError
    thread = await world.thread()
    await world.ask(thread, "hi")
    error = await last(world, thread, "RUN_ERROR")
    assert error["code"] == "internal"
    assert "script" not in error["message"]
    assert "unexpected call" in caplog.text


async def test_model_calls_stop_at_their_limit(store: MemoryStore) -> None:
    hands = Hands()
    provider = ScriptedProvider([Say("", (call("look", str(n)),)) for n in range(3)])
    world = World(store, provider, tools=(hands.tool("look"),), limits=RunLimits(model_calls=3))
    thread = await world.thread()
    await world.ask(thread, "look for ever")
    error = await last(world, thread, "RUN_ERROR")
    assert error["outcome"]["reason"] == "limit_model_calls"
    provider.assert_done()


async def test_a_run_that_loops_stops_after_forty_rounds(store: MemoryStore) -> None:
    more = "More. <AGENT_CONTINUE><STATUS_REPORT>more</STATUS_REPORT></AGENT_CONTINUE>"
    provider = ScriptedProvider([more] * 40)
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "go on")
    assert (await last(world, thread, "RUN_ERROR"))["outcome"]["reason"] == "limit_max_repeat"
    provider.assert_done()


async def test_messages_queue_and_get_their_own_runs_in_order(store: MemoryStore) -> None:
    provider = ScriptedProvider([DONE, DONE, DONE])
    world = World(store, provider)
    thread = await world.thread()
    sent = [await world.send(thread, text) for text in ("one", "two", "three")]
    await world.turns.attend(thread)
    finished = [entry.origin.run_id for entry in await world.log(thread) if entry.kind == "RUN_FINISHED"]
    assert finished == [item.run_id for item in sent]


async def test_the_same_message_id_gets_the_same_run(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider([DONE]))
    thread = await world.thread()
    first = await world.threads.send(thread, Input(MessageId("m"), "hi"))
    again = await world.threads.send(thread, Input(MessageId("m"), "hi"))
    assert (first.run_id, first.seq, first.first, again.first) == (again.run_id, again.seq, True, False)
    with pytest.raises(MessageIdReused):
        await world.threads.send(thread, Input(MessageId("m"), "other"))
    await world.turns.attend(thread)
    assert (await world.kinds(thread)).count("RUN_FINISHED") == 1


async def test_a_steering_message_joins_at_the_tool_boundary(store: MemoryStore) -> None:
    hands = Hands()
    hands.gate = Gate()
    provider = ScriptedProvider([Say("", (call("look", "a"),)), DONE])
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.send(thread, "look")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await hands.gate.reached()
        joined = await world.send(thread, "and hurry", "steer")
        hands.gate.open()
    seen = provider.requests[1].messages
    # Behind the tool's result, never between a call and its result.
    assert [message.role for message in seen] == ["user", "assistant", "tool", "user"]
    assert seen[-1].text == "and hurry"
    ends = {entry.origin.run_id: entry.data for entry in await world.log(thread) if entry.kind == "RUN_FINISHED"}
    assert ends[joined.run_id]["joined"] in ends
    provider.assert_done()


@pytest.mark.parametrize("mode", ["interrupt", "stop"])
async def test_a_turn_that_is_ended_keeps_what_was_shown(store: MemoryStore, mode: str) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Once upon a ", gate, "time")), DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        if mode == "stop":
            await world.send(thread, "later")
            await world.threads.stop(thread)
        else:
            await world.send(thread, "later", "interrupt")
    cut = next(entry.data for entry in await world.log(thread) if entry.kind == "TEXT_MESSAGE_END")
    assert (cut["text"], cut["cut"]) == ("Once upon a", True)  # trailing blanks are held back while a reply streams
    kinds = await world.kinds(thread)
    if mode == "interrupt":
        assert kinds.count("RUN_FINISHED") == 2
        return
    assert kinds.count("RUN_FINISHED") == 1
    assert kinds[-1] == "STOPPED"
    await world.threads.resume(thread)
    await world.turns.attend(thread)
    assert (await world.kinds(thread)).count("RUN_FINISHED") == 2


async def test_a_stop_may_drop_what_waits_and_no_model_reads_it(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("Once upon a ", gate, "time")), DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        waiting = [await world.send(thread, text) for text in ("never mind", "forget it")]
        await world.threads.stop(thread, drop=True)
    await world.send(thread, "hello")
    await world.turns.attend(thread)
    log = await world.log(thread)
    ends = {entry.fact.run_id: entry.fact.outcome.reason for entry in log if isinstance(entry.fact, RunFinished)}
    assert [ends[one.run_id] for one in waiting] == ["dropped", "dropped"]
    said = [message.text for message in provider.requests[-1].messages if message.role == "user"]
    assert [text.partition("<")[0] for text in said] == ["tell me a story", "hello"]
    provider.assert_done()


async def test_a_stop_is_heeded_although_somebody_has_asked_to_continue_before(store: MemoryStore) -> None:
    gate = Gate()
    world = World(store, ScriptedProvider([Say(("Once ", gate, "more"))]))
    thread = await world.thread()
    await world.send(thread, "tell me a story")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await world.threads.resume(thread)
        await world.threads.stop(thread)
    assert (await world.kinds(thread))[-2:] == ["CONTINUED", "STOPPED"]


async def test_a_suspended_run_holds_nothing_and_its_answer_lets_it_go_on(store: MemoryStore) -> None:
    hands = Hands()
    calls = (call("ask_person", "may I?"), call("look", "a"))
    provider = ScriptedProvider([Say("", calls), DONE])
    world = World(store, provider, tools=(hands.asking(), hands.tool("look")))
    thread = await world.thread()
    await world.ask(thread, "do it")
    assert (await world.kinds(thread))[-1] == "SUSPENDED"
    info = await store.head(thread)
    assert info is not None
    assert (info.held, info.ready, info.head.status) == (False, False, "suspended")
    wait_id = (await last(world, thread, "SUSPENDED"))["waits"][0]["wait_id"]
    await world.threads.answer(thread, Answer(wait_id, "yes"))
    later = World(store, provider, tools=(hands.asking(), hands.tool("look")), boot=2)
    await later.turns.attend(thread)
    results = [part.text for part in provider.requests[1].messages[-1].parts if isinstance(part, ToolResult)]
    assert results == ["yes", "did a"]
    assert hands.done == ["may I?", "a"]
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    provider.assert_done()


async def test_a_turn_costs_four_round_trips(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider([DONE, DONE]))
    thread = await world.thread()
    await world.ask(thread, "warm up")
    trips: list[str] = []
    for name in ("offer", "acquire", "append", "read", "head", "renew", "release"):
        _count(store, name, trips)
    await world.ask(thread, "hello")
    assert trips == ["offer", "acquire", "append", "append"]


def _count(store: MemoryStore, name: str, trips: list[str]) -> None:
    original = getattr(store, name)

    async def counted(*args: Any, **kwargs: Any) -> Any:
        trips.append(name)
        return await original(*args, **kwargs)

    setattr(store, name, counted)


# ----------------------------------------------------------------------------------- what a review found, each pinned


async def test_a_stop_that_a_write_of_the_turn_brings_in_is_heeded(store: MemoryStore) -> None:
    gate = Gate()
    provider = ScriptedProvider([Say(("a ", gate, "b"))])
    clock = ManualClock()
    world = World(store, provider, clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    original = store.acquire

    async def acquire(*args: Any, **kwargs: Any) -> Any:
        grant = await original(*args, **kwargs)
        await world.threads.stop(thread)  # after the lease is taken, before anybody listens
        return grant

    store.acquire = acquire  # type: ignore[method-assign]  # this order of events is the point
    async with asyncio.TaskGroup() as group:
        turn = group.create_task(world.turns.attend(thread))
        await gate.reached()
        await clock.advance(3)
        assert turn.done()
    assert (await world.kinds(thread))[-2:] == ["RUN_FINISHED", "STOPPED"]


async def test_a_run_that_fails_leaves_a_conversation_that_can_go_on(store: MemoryStore) -> None:
    hands = Hands()
    provider = ScriptedProvider([*(Say("", (call("look", "a"),)) for _ in range(7)), DONE])
    world = World(store, provider, tools=(hands.tool("look"),))
    thread = await world.thread()
    await world.ask(thread, "look")
    await world.ask(thread, "and now?")
    roles = [message.role for message in provider.requests[-1].messages]
    assert roles == ["user", *["assistant", "tool"] * 7, "user"]  # every call has its result, behind it


async def test_a_run_out_of_time_keeps_what_was_shown(store: MemoryStore) -> None:
    gate, clock = Gate(), ManualClock()
    provider = ScriptedProvider([Say(("shown text ", gate, "x"))])
    world = World(store, provider, clock=clock, limits=RunLimits(wall_s=5))
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await clock.advance(10)
    assert (await world.kinds(thread))[-2:] == ["TEXT_MESSAGE_END", "RUN_ERROR"]
    assert (await last(world, thread, "TEXT_MESSAGE_END"))["cut"] is True
    assert (await last(world, thread, "RUN_ERROR"))["outcome"]["reason"] == "limit_wall_s"


@pytest.mark.parametrize("completion", ["plain", "wrapper"])
async def test_an_empty_reply_is_a_reply(store: MemoryStore, completion: Literal["plain", "wrapper"]) -> None:
    hands = Hands()
    rest = [Say("")] if completion == "plain" else [Say(""), "<AGENT_DONE>ok</AGENT_DONE>"]
    provider = ScriptedProvider([Say("", (call("look", "a"),)), *rest])
    world = World(store, provider, tools=(hands.tool("look"),), completion=completion)
    thread = await world.thread()
    await world.ask(thread, "look")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    provider.assert_done()


async def test_a_nudge_answered_with_continue_is_followed_by_continue(store: MemoryStore) -> None:
    more = "<AGENT_CONTINUE><STATUS_REPORT>x</STATUS_REPORT></AGENT_CONTINUE>"
    provider = ScriptedProvider(["no wrapper", more, DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.ask(thread, "do it")
    assert provider.requests[2].messages[-1].text == "Continue."
    assert provider.requests[2].max_tokens > 200


async def test_one_interrupt_ends_one_turn(store: MemoryStore) -> None:
    first, second = Gate(), Gate()
    provider = ScriptedProvider([Say(("one ", first, "x")), Say(("two ", second, DONE)), DONE, DONE])
    world = World(store, provider)
    thread = await world.thread()
    await world.send(thread, "r1")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await first.reached()
        queued = await world.send(thread, "q1")
        await world.send(thread, "now!", "interrupt")
        await second.reached()
        await world.send(thread, "unrelated")
        second.open()
    ends = {entry.origin.run_id: entry.data for entry in await world.log(thread) if entry.kind == "RUN_FINISHED"}
    assert len(ends) == 4
    outcome = ends[queued.run_id]["outcome"]
    assert isinstance(outcome, dict)
    assert outcome["status"] == "done"


async def test_tools_side_by_side_that_are_stopped_make_a_cancelled_run(store: MemoryStore) -> None:
    gate = Gate()

    async def look(context: ToolContext, *, what: str) -> Result:
        """Look.

        Args:
            what: at what.
        """
        try:
            await gate.pass_through()
        except asyncio.CancelledError:
            context.control.check()
            raise
        return Done(ours("seen"))

    provider = ScriptedProvider([Say("", (call("look", "a"), call("look", "b")))])
    world = World(store, provider, tools=(define(look, effect="pure"),))
    thread = await world.thread()
    await world.send(thread, "look")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await world.threads.stop(thread)
    assert (await last(world, thread, "RUN_FINISHED"))["outcome"]["status"] == "cancelled"


async def test_time_spent_waiting_does_not_count_whatever_happens_meanwhile(store: MemoryStore) -> None:
    hands, clock = Hands(), ManualClock()
    provider = ScriptedProvider([Say("", (call("ask_person", "may I?"),)), DONE])
    world = World(store, provider, tools=(hands.asking(),), clock=clock)
    thread = await world.thread()
    await world.ask(thread, "do it")
    await clock.advance(3600)
    await world.threads.resume(thread)
    await world.turns.attend(thread)
    await clock.advance(1)
    wait_id = (await last(world, thread, "SUSPENDED"))["waits"][0]["wait_id"]
    await world.threads.answer(thread, Answer(wait_id, "yes"))
    await world.turns.attend(thread)
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_store_that_fails_to_be_read_for_a_moment_costs_nothing(store: MemoryStore) -> None:
    gate, clock = Gate(), ManualClock()
    world = World(store, ScriptedProvider([Say(("a ", gate, DONE))]), clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    original = store.read

    async def fail(*args: Any, **kwargs: Any) -> Any:
        raise StoreUnavailable("blip")

    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        store.read = fail  # type: ignore[method-assign]  # an outage
        await clock.advance(3.5)
        store.read = original  # type: ignore[method-assign]  # its end
        gate.open()
    assert "RESUMED" not in await world.kinds(thread)
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_thread_that_cannot_be_read_for_a_while_is_no_crash(store: MemoryStore) -> None:
    world = World(store, ScriptedProvider([DONE]))
    thread = await world.thread()
    await world.send(thread, "hi")
    original = store.read

    async def fail(*args: Any, **kwargs: Any) -> Any:
        raise StoreUnavailable("down")

    store.read = fail  # type: ignore[method-assign]  # an outage
    for _ in range(4):
        with pytest.raises(StoreUnavailable):
            await world.turns.attend(thread)
    store.read = original  # type: ignore[method-assign]  # its end
    await world.turns.attend(thread)
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("seconds", [3_600, -3_600])
async def test_a_clock_that_is_set_in_the_middle_of_a_turn_does_not_end_it(store: MemoryStore, seconds: int) -> None:
    clock, gate = ManualClock(), Gate()
    world = World(store, ScriptedProvider([Say((gate, DONE))]), clock=clock)
    thread = await world.thread()
    await world.send(thread, "hi")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        clock.jump(seconds)
        await clock.advance(5)
        gate.open()
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"


async def test_a_message_that_would_join_a_turn_without_room_for_it_keeps_a_run_of_its_own(store: MemoryStore) -> None:
    clock, hands = ManualClock(), Hands()
    hands.gate = Gate()
    probe = World(store, ScriptedProvider([DONE]), clock=clock, tools=(hands.tool("look"),))
    other = await probe.thread()
    await probe.ask(other, "go")
    (started,) = [dict(entry.data) for entry in await probe.log(other) if entry.kind == "MODEL_STARTED"]
    # Room for one call: it takes little, but the next one may take as much again.
    limits = RunLimits(tokens=int(str(started["reserved_tokens"])) + 60)
    provider = ScriptedProvider([Say("Looking.", (call("look", "a"),)), DONE])
    world = World(store, provider, clock=clock, tools=(hands.tool("look"),), limits=limits, boot=2)
    thread = await world.thread()
    await world.send(thread, "go")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await hands.gate.reached()
        await world.send(thread, "no, stop!", "steer")
        await clock.settle()
        hands.gate.open()
    kinds = await world.kinds(thread)
    assert "INPUTS_JOINED" not in kinds
    assert kinds[-1] == "RUN_FINISHED"
    assert provider.requests[-1].messages[-1].text.startswith("no, stop!")
