"""A daemon dies at any change of the store around a barge-in: the words come once, what they cut does nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import ChatRequest
from sulla.speech.interruptions.going_on import GO_ON_TEXT
from sulla.speech.interruptions.interruptions import GO_ON_S, TurnVerdict
from sulla.speech.service import Playing
from sulla.store.memory import MemoryStore
from sulla.testing.mortal import Killed, Mortal, is_kill
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.threads.log.records import Input, TextMessageEnd, ToolCallStart
from sulla.threads.log.spoken import BargedIn
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.simulation.history import History, ThreadHistory, breaches
from tests.speech.talking import Room, said

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
STORY = "Once upon a time there was a king."
PLAYED = 9
CHANGES = 8
"""How many changes of the store this takes; the last row of each table, in which nobody dies, keeps it honest."""


@dataclass
class Teller:
    """Wants to use a tool at the end of a story that it never finishes; says another thing to whoever interrupts it."""

    name: str = "teller"
    gate: Gate | None = field(default_factory=Gate)
    """Where it stops in mid-story; None where it does not."""
    requests: list[ChatRequest] = field(default_factory=list)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Any]:
        self.requests.append(request)
        last = said(request)[-1]
        step: Say | str = DONE
        if last == "tell me a story":
            pieces = (STORY, self.gate) if self.gate is not None else (STORY,)
            step = Say(pieces, (ToolCall(CallId("k"), "applaud", {}),))
        async for delta in ScriptedProvider([step]).stream(request):
            yield delta

    async def close(self) -> None: ...


class Hand:
    """What the tool has done."""

    def __init__(self) -> None:
        self.done = 0

    def tool(self) -> Tool:
        async def applaud(context: ToolContext) -> Result:
            """Clap."""
            self.done += 1
            return Done(ours("clapped"))

        return define(applaud, effect="idempotent", reach="inward")


@dataclass
class Kept:
    """What outlives a death beside the store: the journal of speech, as its manager keeps it."""

    playing: Playing | None = None
    verdict: TurnVerdict | None = None


async def listen(room: Room, kept: Kept) -> None:
    """The words are heard; they are judged, and sent."""
    if kept.playing is None:
        kept.playing = Playing(await room.making(), PLAYED)
        await room.hears("u1", "not that", playing=kept.playing)
        await room.clock.settle()
    await deliver(room, kept)


async def deliver(room: Room, kept: Kept) -> None:
    if kept.verdict is None:
        kept.verdict = await room.judges("u1", "not that one", kept.playing)
    if kept.verdict.deliver:
        await room.delivers("u1", "not that one", kept.verdict.heard)


async def die(room: Room, gate: Gate, kept: Kept, then: Any) -> bool:
    """Tell, and be interrupted, until the process dies; whether it did."""
    try:
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(room.interruptions.run())
            turn = group.create_task(room.world.turns.attend(room.thread))
            await gate.reached()
            await then(room, kept)
            await turn
            await room.world.work()
            looking.cancel()
    except (Killed, BaseExceptionGroup) as error:
        if not is_kill(error):
            raise
        return True
    return False


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("dies_at", range(1, CHANGES + 2))
async def test_the_words_come_once_and_what_they_cut_does_nothing(
    store: MemoryStore, dies_at: int, *, after: bool
) -> None:
    hand, kept, teller = Hand(), Kept(), Teller()
    first = Room(store, teller, hand.tool())
    await first.begin()
    await first.world.send(first.thread, "tell me a story")
    mortal = Mortal(store, dies_at, after=after)
    killed = Room(mortal, teller, hand.tool(), boot=2)
    killed.thread = first.thread
    assert teller.gate is not None
    died = await die(killed, teller.gate, kept, listen)
    assert died is (dies_at <= CHANGES)
    log = await first.world.log(first.thread)
    barged = {entry.fact.message_id for entry in log if isinstance(entry.fact, BargedIn)}

    teller.gate = None
    last = Room(store, teller, hand.tool(), boot=3)
    last.thread = first.thread
    if kept.playing is not None:
        await deliver(last, kept)
    await last.world.work()

    log = await last.world.log(first.thread)
    facts = [entry.fact for entry in log]
    spoken = ["not that one"] if kept.playing is not None else []  # else it died before anybody could interrupt it
    assert [fact.text for fact in facts if isinstance(fact, Input)] == ["tell me a story", *spoken]
    assert not breaches(History((ThreadHistory(first.thread, tuple(log)),)))
    # A reply that somebody spoke over has no effect, and is no message but for what was shown of it.
    assert not [fact for fact in facts if isinstance(fact, ToolCallStart) and fact.message_id in barged]
    assert all(fact.cut for fact in facts if isinstance(fact, TextMessageEnd) and fact.message_id in barged)
    if barged:
        assert ("cancelled", "barged_in") in await last.ended()
        assert hand.done == 0
    # The model is told what was heard of it, as long as that is there to be told, and then what was said.
    state = await last.world.threads.load(first.thread)
    assert state is not None
    assert not [message for message in state.context.transcript if message.id in barged and len(message.text) > PLAYED]
    if spoken:
        assert said(teller.requests[-1])[-1] == "not that one"


async def come_to_nothing(room: Room, kept: Kept) -> None:
    """The words are heard, and were nothing."""
    kept.playing = Playing(await room.making(), PLAYED)
    await room.hears("u1", "not that", playing=kept.playing)
    await room.clock.settle()
    room.interruptions.came_to_nothing(room.thread)
    await room.clock.settle()
    await room.clock.advance(GO_ON_S)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("dies_at", range(1, CHANGES + 2))
async def test_an_answer_that_was_cut_off_for_nothing_goes_on_once(
    store: MemoryStore, dies_at: int, *, after: bool
) -> None:
    kept, teller = Kept(), Teller()
    first = Room(store, teller)
    await first.begin()
    await first.world.send(first.thread, "tell me a story")
    killed = Room(Mortal(store, dies_at, after=after), teller, boot=2)
    killed.thread = first.thread
    assert teller.gate is not None
    died = await die(killed, teller.gate, kept, come_to_nothing)
    assert died is (dies_at <= CHANGES)
    teller.gate = None
    for boot in (3, 4):
        last = Room(store, Teller(gate=None), boot=boot)
        last.thread = first.thread
        async with last.answering():
            last.interruptions.came_to_nothing(first.thread)
            await last.clock.settle()
            await last.clock.advance(GO_ON_S)
            await last.world.work()
    log = await first.world.log(first.thread)
    gone_on = [entry.fact.text for entry in log if isinstance(entry.fact, Input) and entry.fact.text == GO_ON_TEXT]
    barged = any(isinstance(entry.fact, BargedIn) for entry in log)
    assert len(gone_on) == (1 if barged else 0)
    assert not breaches(History((ThreadHistory(first.thread, tuple(log)),)))
    assert (await first.ended())[-1] == ("done", "")
