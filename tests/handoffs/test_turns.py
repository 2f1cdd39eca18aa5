"""A conversation is handed between agents in one turn, and stays with the one that has it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from sulla.agent.spec import AgentSpec
from sulla.core.ids import MessageId, ThreadId
from sulla.core.message import Text, ToolCall
from sulla.handoffs.slice import AgentRouted
from sulla.handoffs.tools import handoff_tools
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import Input, RunError, ToolCallResult
from tests.handoffs.team import SPECS, TeamWorld, call

DONE = "Found. <AGENT_DONE>found</AGENT_DONE>"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def world(store: MemoryStore) -> TeamWorld:
    return TeamWorld(store, ScriptedProvider())


def script(world: TeamWorld, *steps: Say | str) -> None:
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    provider.add(*steps)


def hand(number: int, agent: str) -> Say:
    return Say("", (call(number, f"transfer_to_{agent}", reason="it is yours"),))


def requests(world: TeamWorld) -> list[tuple[str, list[str]]]:
    """What was asked of the model: its first section and its tools, for each call."""
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    return [(one.system[0].text, [tool.name for tool in one.tools]) for one in provider.requests]


async def test_who_is_handed_a_conversation_answers_in_the_same_turn_and_has_the_next_one(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, hand(1, "researcher"), DONE, DONE)
    await world.ask(thread, "look it up")
    assert await world.speaker(thread) == ["sulla", "researcher"]
    assert await world.routed(thread) == [("researcher", "handoff")]
    kinds = await world.kinds(thread)
    assert kinds.count("RUN_STARTED") == kinds.count("RUN_FINISHED") == 1
    await world.ask(thread, "and now?")
    assert await world.speaker(thread) == ["sulla", "researcher", "researcher"]


async def test_who_speaks_has_its_own_prompt_and_tools_and_knows_whom_it_works_for(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, hand(1, "researcher"), hand(2, "archivist"), "Filed.")
    await world.ask(thread, "file it")
    first, second, third = requests(world)
    where = ["get_current_active_agent", "get_supervisor_agent"]
    assert first == ("You are Sulla.", [*where, "transfer_to_researcher", "transfer_to_writer"])
    assert "You work for Sulla here" in second[0]
    assert second[1] == [*where, "request_help", "transfer_to_archivist"]
    assert "You work for Rosa here" in third[0]
    assert third[1] == [*where, "request_help"]


async def test_no_model_is_called_with_its_own_words_last(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, hand(1, "researcher"), DONE)
    await world.ask(thread, "look it up")
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    last = provider.requests[-1].messages[-1]
    assert (last.role, last.hidden) == ("user", True)
    assert isinstance(last.parts[0], Text)
    assert last.parts[0].text.startswith("[Sulla has handed this conversation to you")


async def test_who_asks_for_help_gives_the_conversation_back(world: TeamWorld) -> None:
    thread = await world.thread()
    help_ = Say("", (ToolCall(call(3, "").id, "request_help", {"reason": "not mine"}),))
    script(world, hand(1, "researcher"), help_, DONE, DONE)
    await world.ask(thread, "look it up")
    await world.ask(thread, "and now?")
    assert await world.speaker(thread) == ["sulla", "researcher", "sulla", "sulla"]
    assert await world.routed(thread) == [("researcher", "handoff"), ("sulla", "help")]


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("@researcher look it up", "researcher"),
        ("  @Rosa, look it up", "researcher"),
        ("@old_writer: a poem", "writer"),
        ("@nobody look it up", "sulla"),
        ("@archivist is not near", "sulla"),
        ("ask @researcher", "sulla"),
        ("mail rosa@researcher.example", "sulla"),
        ("@researcher@mastodon.example says", "sulla"),
    ],
)
async def test_a_message_that_begins_with_the_name_of_an_agent_near_is_for_it(
    world: TeamWorld, text: str, speaker: str
) -> None:
    thread = await world.thread()
    script(world, DONE, DONE)
    await world.ask(thread, text)
    await world.ask(thread, "and now?")
    assert await world.speaker(thread) == [speaker, speaker]


async def test_a_name_in_any_letters_can_be_said(store: MemoryStore) -> None:
    specs = (
        AgentSpec("sulla", "Sulla", "You are Sulla.", hands_to=("gardener",)),
        AgentSpec("gardener", "Gärtner & Söhne", "You garden."),
    )
    world = TeamWorld(store, ScriptedProvider([DONE]), specs=specs)
    thread = await world.thread()
    await world.ask(thread, "@gärtner_&_söhne, prune it")
    assert await world.routed(thread) == [("gardener", "mention")]


async def test_who_is_told_to_ask_for_help_can_though_nobody_names_it_any_more(store: MemoryStore) -> None:
    first = TeamWorld(store, ScriptedProvider([hand(1, "writer"), DONE]))
    thread = await first.thread()
    await first.ask(thread, "write")
    edited = tuple(replace(spec, hands_to=()) for spec in SPECS)
    later = TeamWorld(store, ScriptedProvider([DONE]), specs=edited, boot=2)
    await later.ask(thread, "and now?")
    (said, tools) = requests(later)[0]
    assert "call `request_help`" in said
    assert "request_help" in tools


async def test_naming_the_conversations_own_agent_releases_the_others(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, hand(1, "researcher"), DONE, DONE, DONE)
    await world.ask(thread, "look it up")
    await world.ask(thread, "@sulla what now?")
    await world.ask(thread, "and then?")
    assert await world.speaker(thread) == ["sulla", "researcher", "sulla", "sulla"]
    assert await world.routed(thread) == [("researcher", "handoff"), ("sulla", "mention")]


async def test_who_is_sent_one_message_does_not_get_the_conversation(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, "Filed.", DONE)
    await world.threads.send(thread, Input(MessageId("m"), "file it", agent="archivist"))
    await world.turns.attend(thread)
    await world.ask(thread, "and now?")
    assert await world.speaker(thread) == ["archivist", "sulla"]


async def test_two_that_hand_to_each_other_end_at_a_limit_that_is_told(world: TeamWorld) -> None:
    thread = await world.thread()
    for number in range(30):
        script(world, hand(2 * number, "writer"), hand(2 * number + 1, "sulla"))
    await world.ask(thread, "go")
    [error] = [entry.fact for entry in await world.log(thread) if isinstance(entry.fact, RunError)]
    assert (error.code, error.outcome.reason) == ("limit_reached", "limit_max_repeat")
    assert "is 40" in error.message
    assert "handed this conversation to each other" in error.message
    assert "(newest calls: transfer_to_sulla, transfer_to_writer)" in error.message
    assert len(await world.routed(thread)) <= 40


async def results(world: TeamWorld, thread: ThreadId) -> list[tuple[str, bool]]:
    """What calls came to, and whether they failed."""
    facts = [entry.fact for entry in await world.log(thread)]
    return [(fact.text, fact.is_error) for fact in facts if isinstance(fact, ToolCallResult)]


async def test_of_several_transfers_in_one_reply_the_first_counts_and_the_others_say_so(world: TeamWorld) -> None:
    thread = await world.thread()
    script(world, Say("", (call(1, "transfer_to_researcher"), call(2, "transfer_to_writer"))), DONE)
    await world.ask(thread, "look it up")
    assert await world.routed(thread) == [("researcher", "handoff")]
    assert sorted(await results(world, thread)) == [
        ("Not made: this reply has called `transfer_to_researcher` before it, which alone counts.", True),
        ("The conversation is handed over.", False),
    ]


async def test_a_conversation_is_not_handed_to_an_agent_that_has_gone_since(world: TeamWorld) -> None:
    thread = await world.thread()
    there = world.specs
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    script(world, hand(1, "writer"), DONE)
    world.specs = tuple(spec for spec in there if spec.id != "writer")
    await world.ask(thread, "write it")
    assert await world.routed(thread) == []
    assert await results(world, thread) == [
        ("Not handed over: there is no agent 'writer' any more. You still have it.", True)
    ]
    assert await world.speaker(thread) == ["sulla", "sulla"]


async def test_who_has_nobody_above_asks_nobody_for_help(store: MemoryStore) -> None:
    world = TeamWorld(store, ScriptedProvider([Say("", (call(1, "request_help", reason="not mine"),)), DONE]))
    thread = await world.thread()
    await world.ask(thread, "help")
    assert await results(world, thread) == [
        ("There is nobody above you in this conversation: go on yourself, or say what you cannot do.", True)
    ]


def test_no_agent_has_a_tool_that_hands_to_itself() -> None:
    spec = AgentSpec("sulla", "Sulla", "You are Sulla.", hands_to=("sulla", "writer"))

    async def read(thread_id: ThreadId) -> None:
        return None

    tools = handoff_tools(spec, lambda: (spec, AgentSpec("writer", "Writer", "You write.")), read)
    assert [tool.name for tool in tools if tool.name.startswith("transfer")] == ["transfer_to_writer"]


async def test_an_agents_own_bound_of_model_calls_counts_its_own_calls(store: MemoryStore) -> None:
    few = tuple(replace(spec, max_turns=2) if spec.id == "writer" else spec for spec in SPECS)
    looks = [Say("", (call(number, "get_current_active_agent"),)) for number in range(6)]
    world = TeamWorld(store, ScriptedProvider(looks[:3]), specs=few)
    script(world, hand(7, "writer"), looks[3], DONE)
    thread = await world.thread()
    await world.ask(thread, "write it")
    assert (await world.speaker(thread))[-2:] == ["writer", "writer"]
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    script(world, *looks[3:])
    await world.ask(thread, "more")
    [error] = [entry.fact for entry in await world.log(thread) if isinstance(entry.fact, RunError)]
    assert error.outcome.reason == "limit_model_calls"


async def test_each_agent_is_told_its_own_memory_alone(world: TeamWorld) -> None:
    world.remembered = {"sulla": "The safe is open.", "writer": "Ink is blue."}
    thread = await world.thread()
    script(world, hand(1, "writer"), DONE, DONE, hand(2, "sulla"), DONE)
    for text in ("write it", "and now?", "back"):
        await world.ask(thread, text)
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    told = [
        [part.text for message in one.messages for part in message.parts if isinstance(part, Text)]
        for one in provider.requests
    ]
    knows = [("The safe is open." in one, one.count("Ink is blue.")) for one in told]
    # The one that is handed the conversation is told its own with the next message; Sulla had the first and last word.
    assert knows == [(True, 0), (False, 0), (False, 1), (False, 1), (True, 0)]


async def test_two_conversations_with_the_same_agents_keep_their_own(world: TeamWorld) -> None:
    one, other = await world.thread(), await world.thread()
    script(world, hand(1, "researcher"), DONE, DONE, DONE)
    await world.ask(one, "look it up")
    await world.ask(other, "hello")
    await world.ask(one, "and now?")
    assert await world.speaker(one) == ["sulla", "researcher", "researcher"]
    assert await world.speaker(other) == ["sulla"]


async def test_an_agent_can_ask_who_it_is_and_for_whom_it_works(world: TeamWorld) -> None:
    thread = await world.thread()
    asks = Say("", (call(5, "get_current_active_agent"), call(6, "get_supervisor_agent")))
    script(world, asks, hand(1, "researcher"), asks, DONE)
    await world.ask(thread, "look it up")
    told = [entry.fact.text for entry in await world.log(thread) if isinstance(entry.fact, ToolCallResult)]
    assert told[:2] == ["sulla (Sulla)", "You work for the person alone: no agent is above you here."]
    assert told[3:] == ["researcher (Rosa)", "sulla (Sulla)"]


async def test_a_conversation_whose_agent_is_gone_goes_back_to_the_nearest_above_that_is_there(
    store: MemoryStore,
) -> None:
    first = TeamWorld(store, ScriptedProvider([hand(1, "researcher"), hand(2, "archivist"), "Filed."]))
    thread = await first.thread()
    await first.ask(thread, "file it")
    for boot, gone, speaker in ((2, ("archivist",), "researcher"), (3, ("archivist", "researcher"), "sulla")):
        later = TeamWorld(store, ScriptedProvider([DONE, DONE]), gone=gone, boot=boot)
        await later.ask(thread, f"and without {gone}?")
        await later.ask(thread, f"and then, without {gone}?")
        assert (await later.speaker(thread))[-2:] == [speaker, speaker]
        assert (await later.routed(thread))[-1] == (speaker, "gone")
    assert [by for _, by in await first.routed(thread)] == ["handoff", "handoff", "gone", "gone"]


@pytest.mark.parametrize("noted", [(), (AgentRouted("", "gone", "sulla"),)], ids=["new", "of before"])
async def test_a_conversation_whose_own_agent_is_gone_says_so_and_goes_on_once_it_is_back(
    store: MemoryStore, noted: tuple[AgentRouted, ...]
) -> None:
    first = TeamWorld(store, ScriptedProvider([DONE]))
    thread = await first.thread()
    await first.ask(thread, "hello")
    if (session := await first.threads.attend(thread)) is not None:
        session.note(*noted)
        await session.release()
    without = TeamWorld(store, ScriptedProvider(), gone=("sulla",), boot=2)
    del without.actors["sulla"]
    without.actors["archivist call"] = without.actors["archivist"]
    await without.ask(thread, "are you there?")
    error = next(entry.fact for entry in await without.log(thread) if isinstance(entry.fact, RunError))
    assert "no agent 'sulla' (known: archivist, " in error.message
    assert "this conversation goes on once its folder in `agents/`" in error.message
    assert "call" not in error.message
    again = TeamWorld(store, ScriptedProvider([DONE]), boot=3)
    await again.ask(thread, "and now?")
    assert (await again.speaker(thread))[-1] == "sulla"
    assert await again.routed(thread) == [(one.agent, one.by) for one in noted]


async def test_who_works_for_an_agent_that_is_gone_works_for_the_one_above_that(store: MemoryStore) -> None:
    first = TeamWorld(store, ScriptedProvider([hand(1, "researcher"), hand(2, "archivist"), "Filed."]))
    thread = await first.thread()
    await first.ask(thread, "file it")
    later = TeamWorld(store, ScriptedProvider(), gone=("researcher",), boot=2)
    script(later, Say("", (ToolCall(call(3, "").id, "request_help", {"reason": "not mine"}),)), DONE)
    await later.ask(thread, "and now?")
    (said, tools) = requests(later)[0]
    assert "You work for Sulla here" in said
    assert "request_help" in tools, "it is told to call it"
    assert (await later.routed(thread))[-1] == ("sulla", "help")


async def test_a_message_that_was_sent_to_an_agent_that_is_gone_is_not_answered_by_another(store: MemoryStore) -> None:
    world = TeamWorld(store, ScriptedProvider(), gone=("archivist",))
    thread = await world.thread()
    await world.threads.send(thread, Input(MessageId("m"), "file it", agent="archivist"))
    await world.turns.attend(thread)
    error = next(entry.fact for entry in await world.log(thread) if isinstance(entry.fact, RunError))
    assert (error.code, "'archivist'" in error.message) == ("not_found", True)
