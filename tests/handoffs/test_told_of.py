"""What is kept and told of a run goes by who spoke in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.handoffs.slice import AgentRouted
from sulla.journal.training import PromptFrame, speakers, to_example
from sulla.memory.episodes import EpisodeReader
from sulla.memory.note import ReadPosition
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.codec import Entry
from tests.handoffs.team import TeamWorld, call

FOUND = "Found. <AGENT_DONE>found</AGENT_DONE>"


@pytest.fixture
async def world() -> AsyncIterator[TeamWorld]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await store.open()
    hand = Say("Rosa knows.", (call(1, "transfer_to_researcher", reason="it is yours"),))
    yield TeamWorld(store, ScriptedProvider([hand, FOUND]))
    await store.close()


async def test_each_agent_remembers_what_it_did_itself(world: TeamWorld) -> None:
    thread = await world.thread()
    await world.ask(thread, "look it up")
    log = await world.log(thread)
    notes = EpisodeReader(thread, ReadPosition(1, tainted=False)).read(log)
    assert [(note.agent, note.asked, note.text, note.tools) for note in notes] == [
        ("sulla", "look it up", "Rosa knows.", ("transfer_to_researcher",)),
        ("researcher", "look it up", "Found.", ()),
    ]
    assert len({note.id for note in notes}) == 2
    for cut in range(1, len(log)):  # as a daemon that was killed reads on
        first = EpisodeReader(thread, ReadPosition(1, tainted=False))
        before = first.read(log[:cut])
        behind = EpisodeReader(thread, first.progress).read([one for one in log if one.seq > first.progress.from_seq])
        assert [*before, *behind] == notes, cut


async def test_who_gets_the_conversation_back_remembers_all_that_it_did(world: TeamWorld) -> None:
    provider = world.model.provider
    assert isinstance(provider, ScriptedProvider)
    thread = await world.thread()
    await world.ask(thread, "look it up")
    back = Say("", (call(2, "request_help", reason="not mine"),))
    again = Say("", (call(3, "transfer_to_researcher", reason="it is"),))
    provider.add(back, again, FOUND)
    await world.ask(thread, "and now?")
    notes = EpisodeReader(thread, ReadPosition(1, tainted=False)).read(await world.log(thread))
    assert [(note.agent, note.text, note.tools) for note in notes[2:]] == [
        ("sulla", "", ("transfer_to_researcher",)),
        ("researcher", "Found.", ("request_help",)),
    ]


async def test_each_agent_learns_from_its_own_replies_under_its_own_prompt(world: TeamWorld) -> None:
    thread = await world.thread()
    sent = await world.ask(thread, "look it up")
    log = await world.log(thread)
    assert speakers(sent.run_id, log) == ("sulla", "researcher")
    learned = []
    for agent in speakers(sent.run_id, log):
        example: Any = to_example(thread, sent.run_id, log, PromptFrame((f"You are {agent}.",)), agent)
        assert example["metadata"]["agent"] == agent
        assert example["messages"][0]["content"] == f"You are {agent}."
        said = [one for one in example["messages"] if one["role"] == "assistant"]
        learned.append([(one["content"], one.get("weight", 1)) for one in said])
    assert learned == [[("Rosa knows.", 1)], [("Rosa knows.", 0), ("Found.", 1)]]


async def test_usage_and_live_text_are_under_the_name_of_who_speaks(world: TeamWorld) -> None:
    thread = await world.thread()
    await world.ask(thread, "look it up")
    log = await world.log(thread)
    at = next(place for place, entry in enumerate(log) if isinstance(entry.fact, AgentRouted))

    def named(entries: list[Entry]) -> set[str]:
        return {entry.origin.agent for entry in entries if entry.kind in ("MODEL_STARTED", "TEXT_MESSAGE_END")}

    assert (named(log[:at]), named(log[at:])) == ({"sulla"}, {"researcher"})
