"""What is given up first so that a conversation fits, and that a model is always told what it works on."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sulla.agent.limits.limits import RunLimits
from sulla.agent.model.fitting import CLIPPED, STEPS_LEFT_OUT, fit
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.core.errors import ContextTooLong
from sulla.core.ids import CallId, MessageId
from sulla.core.message import Message, Text, ToolCall, ToolResult
from sulla.core.words import ours
from sulla.models.catalog import ModelName
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.estimate import estimate_tokens
from sulla.models.tokens.prices import Prices
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World, scripted_model
from sulla.threads.log.transcript import Transcript
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
TASK = "THE TASK: compare all five"


def fetching(words: int, gate: Gate | None = None) -> Tool:
    async def fetch(context: ToolContext, *, what: str) -> Result:
        """Get something long.

        Args:
            what: what to get; ``slow`` waits for the gate and is short.
        """
        if what == "slow":
            if gate is not None:
                await gate.pass_through()
            return Done(ours("fine"))
        return Done(ours("word " * words))

    return define(fetch, effect="pure")


def call(what: str) -> ToolCall:
    return ToolCall(CallId(what), "fetch", {"what": what})


def shown(provider: ScriptedProvider) -> str:
    return "\n".join(message.text for message in provider.requests[-1].messages)


# ------------------------------------------------------------------------------------------------ the machine


def user(name: str, text: str = "question") -> Message:
    return Message(MessageId(name), "user", (Text(text),))


def steps(script: Transcript, count: int, words: int = 50) -> None:
    for number in range(count):
        asked = ToolCall(CallId(f"c{number}"), "look", {})
        script.push(Message(MessageId(f"a{number}"), "assistant", (Text(f"step {number}"), asked)))
        script.add_result(MessageId(f"r{number}"), ToolResult(asked.id, "word " * words), (asked,))


def test_what_lies_before_the_question_goes_before_any_step_of_its_run() -> None:
    script = Transcript(estimate_tokens)
    for number in range(20):
        script.push(user(f"old{number}", "word " * 50))
    script.push(user("q"))
    steps(script, 5)
    room = script.tokens // 2
    assert fit(script, room, MessageId("q")) > 0
    assert script.tokens <= room
    kept = [message.id for message in script]
    assert kept[kept.index(MessageId("q")) :] == ["q", *(f"{kind}{number}" for number in range(5) for kind in "ar")]


def test_then_results_and_then_the_oldest_steps_but_never_the_question_nor_the_newest_step() -> None:
    script = Transcript(estimate_tokens)
    script.push(user("q", "THE QUESTION"))
    for number in range(40):
        script.push(Message(MessageId(f"a{number}"), "assistant", (Text(f"step {number} " + "word " * 60),)))
        script.push(Message(MessageId(f"h{number}"), "user", (Text("Continue.", "operator"),), hidden=True))
    script.push(user("steered", "and quickly, please"))
    steps(script, 1)
    assert fit(script, 1_500, MessageId("q")) > 0
    assert script.tokens <= 1_500
    kept = [message.id for message in script]
    assert kept[0] == "q"
    assert kept[1] == STEPS_LEFT_OUT.id
    assert "steered" in kept
    assert kept[-2:] == ["a0", "r0"]


def test_small_results_leave_a_great_one_their_room() -> None:
    script = Transcript(estimate_tokens)
    script.push(user("q"))
    asked = tuple(ToolCall(CallId(f"c{number}"), "look", {}) for number in range(10))
    script.push(Message(MessageId("a"), "assistant", asked))
    for number, one in enumerate(asked):
        script.add_result(MessageId("r"), ToolResult(one.id, "word " * 9_000 if number == 9 else "ok"), asked)
    room = script.tokens // 2
    fit(script, room, MessageId("q"))
    assert script.tokens > room * 3 // 4
    results = [part.text for part in script[2].parts if isinstance(part, ToolResult)]
    assert results[:9] == ["ok"] * 9
    assert results[9].endswith(CLIPPED)


def test_to_clip_again_leaves_one_note() -> None:
    script = Transcript(estimate_tokens)
    script.push(user("q"))
    steps(script, 1, words=5_000)
    for room in (3_000, 2_000, 1_990):
        fit(script, room, MessageId("q"))
        assert script.tokens <= room
    assert str(script[2].parts).count("Cut here") == 1


@given(
    results=st.lists(st.lists(st.integers(0, 2_000), min_size=1, max_size=4), min_size=1, max_size=8),
    before=st.integers(0, 10),
    room=st.integers(800, 6_000),
)
def test_whatever_there_is_the_question_and_the_newest_reply_stay_and_pairs_are_whole(
    results: list[list[int]], before: int, room: int
) -> None:
    script = Transcript(estimate_tokens)
    for number in range(before):
        script.push(user(f"old{number}", "word " * 30))
    script.push(user("q"))
    for step, sizes in enumerate(results):
        asked = tuple(ToolCall(CallId(f"c{step}-{number}"), "look", {}) for number in range(len(sizes)))
        script.push(Message(MessageId(f"a{step}"), "assistant", asked))
        for one, size in zip(asked, sizes, strict=True):
            script.add_result(MessageId(f"r{step}"), ToolResult(one.id, "word " * size), asked)
    fit(script, room, MessageId("q"))
    assert script.tokens <= room
    kept = list(script)
    assert "q" in [message.id for message in kept]
    assert kept[-1].id == f"r{len(results) - 1}"
    for earlier, later in zip([None, *kept], kept, strict=False):
        if later.role == "tool":
            assert earlier is not None
            answered = [part.call_id for part in later.parts if isinstance(part, ToolResult)]
            assert [one.id for one in earlier.calls] == answered
    assert script.tokens == sum(map(estimate_tokens, kept))


# --------------------------------------------------------------------------------------------------- in a turn


async def test_one_long_file_in_a_small_window_leaves_the_question(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Looking.", (call("a"),)), DONE])
    estimator = TokenEstimator(ModelInfo(ModelName("ollama", "m"), 16_384, Prices({})), Calibrations())
    world = World(
        store, provider, tools=(fetching(9_000),), model=replace(scripted_model(provider), estimator=estimator)
    )
    thread = await world.thread()
    await world.ask(thread, TASK)
    assert TASK in shown(provider)


async def test_each_call_of_a_turn_fits_and_not_the_first_one_alone(store: MemoryStore) -> None:
    limits = RunLimits(history_tokens=6_000)
    provider = ScriptedProvider([*(Say("Looking.", (call(str(number)),)) for number in range(6)), DONE])
    world = World(store, provider, tools=(fetching(1_600),), limits=limits)
    thread = await world.thread()
    await world.ask(thread, TASK)
    sizes = [sum(map(estimate_tokens, request.messages)) for request in provider.requests]
    assert len(sizes) == 7
    assert max(sizes) <= limits.history_tokens
    assert sizes[0] < sizes[1] < sizes[2], "the conversation did not grow over the turn"
    assert TASK in shown(provider)


async def test_a_request_that_the_service_finds_too_long_is_tried_again_with_the_question(store: MemoryStore) -> None:
    provider = ScriptedProvider([Say("Looking.", (call("a"),)), ContextTooLong("too long"), DONE])
    world = World(store, provider, tools=(fetching(4_000),))
    thread = await world.thread()
    await world.ask(thread, TASK)
    assert TASK in shown(provider)
    assert len(shown(provider)) < 4_000 * 5


async def test_a_run_that_is_taken_up_again_is_still_shown_what_it_was_asked(store: MemoryStore) -> None:
    gate, limits = Gate(), RunLimits(history_tokens=6_000)
    looks = tuple(call(str(number)) for number in range(5))
    provider = ScriptedProvider([Say("Looking.", looks), Say("Once more.", (call("slow"),))])
    world = World(store, provider, tools=(fetching(1_600, gate),), limits=limits)
    thread = await world.thread()
    await world.send(thread, TASK)
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        world.turns.drain()
        gate.open()
    assert TASK in shown(provider)
    provider.add(DONE)
    await World(store, provider, tools=(fetching(1_600),), limits=limits, boot=2).turns.attend(thread)
    assert TASK in shown(provider)


async def test_the_turn_before_is_still_shown_after_a_restart(store: MemoryStore) -> None:
    limits = RunLimits(history_tokens=6_000)
    provider = ScriptedProvider([Say("Looking.", tuple(call(str(number)) for number in range(5))), DONE])
    world = World(store, provider, tools=(fetching(1_600),), limits=limits)
    thread = await world.thread()
    await world.ask(thread, TASK)
    provider.add(DONE)
    await World(store, provider, tools=(fetching(1_600),), limits=limits, boot=2).ask(thread, "and?")
    assert TASK in shown(provider)


async def test_a_message_that_joins_after_great_results_does_not_push_the_task_out(store: MemoryStore) -> None:
    gate, clock, limits = Gate(), ManualClock(), RunLimits(history_tokens=6_000)
    looks = (*(call(str(number)) for number in range(5)), call("slow"))
    provider = ScriptedProvider([Say("Looking.", looks), DONE])
    world = World(store, provider, tools=(fetching(1_600, gate),), limits=limits, clock=clock)
    thread = await world.thread()
    await world.send(thread, TASK)
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await world.send(thread, "please be quick", "steer")
        await clock.settle()
        gate.open()
    assert TASK in shown(provider)
    assert "please be quick" in shown(provider)
