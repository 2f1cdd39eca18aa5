"""The whole way: pieces of speech, the manager, an agent that is answering, and what it is told next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sulla.core.ids import MessageId, ThreadId
from sulla.speech.interruptions.going_on import GO_ON_TEXT
from sulla.speech.interruptions.interruptions import GO_ON_S
from sulla.speech.service import Playing
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.silence import RETURN_MS
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Input, ModelStarted
from tests.speech.booth import shown
from tests.speech.talking import said

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
STORY = "Once upon a time there was a king."
SILENCE_S = 3.5


class Home:
    """A daemon's agent, and its ears."""

    def __init__(self, store: MemoryStore, *steps: Say | str, boot: int = 1, clock: ManualClock | None = None) -> None:
        self.clock = clock if clock is not None else ManualClock()
        self.provider = ScriptedProvider(steps)
        self.world = World(store, self.provider, clock=self.clock, boot=boot)
        self.woken: list[ThreadId] = []
        self.manager = StreamBufferManager(store, self.world.threads, self.clock, f"home:boot{boot}", self.woken.append)
        self._store = store
        self._seq = 0

    async def chunk(self, thread: ThreadId, text: str, playing: Playing | None = None, *, final: bool = False) -> None:
        """Something is heard."""
        self._seq += 1
        kind: Any = "final" if final else "cumulative"
        task = asyncio.ensure_future(self.manager.add_speech_chunk(thread, Chunk("u1", self._seq, kind, text), playing))
        await self.clock.advance(0.05)
        await task

    @asynccontextmanager
    async def answering(self, thread: ThreadId) -> AsyncIterator[list[tuple[str, Any]]]:
        """A turn is worked on; gives what clients are shown. At the end the process is gone."""
        seen: list[tuple[str, Any]] = []
        async with shown(self._store, thread, lambda type_, data: seen.append((type_, data))):
            tasks = [asyncio.ensure_future(self.manager.run()), asyncio.ensure_future(self.world.turns.attend(thread))]
            await self.clock.settle()
            yield seen
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def inputs(self, thread: ThreadId) -> list[Input]:
        """Messages of the thread."""
        return [entry.fact for entry in await self.world.log(thread) if isinstance(entry.fact, Input)]

    async def making(self, thread: ThreadId) -> MessageId:
        """The reply that is being made."""
        return [e.fact for e in await self.world.log(thread) if isinstance(e.fact, ModelStarted)][-1].message_id


def types(seen: list[tuple[str, Any]]) -> list[str]:
    """What was shown of an interruption, and of an end."""
    return [type_ for type_, _ in seen if type_ in ("SPEECH_BARGE_IN", "SPEECH_GO_ON", "SPEECH_END")]


async def tell(store: MemoryStore, *after: Say | str) -> tuple[Home, ThreadId, Gate]:
    gate = Gate()
    home = Home(store, Say((STORY, gate, "The end.")), *after)
    thread = await home.world.thread()
    await home.world.send(thread, "tell me a story")
    return home, thread, gate


async def test_words_cut_off_the_reply_and_become_the_next_turn(store: MemoryStore) -> None:
    home, thread, gate = await tell(store, DONE)
    async with home.answering(thread) as seen:
        await gate.reached()
        reply = await home.making(thread)
        await home.chunk(thread, "not that", Playing(reply, 6))
        assert home.provider.abandoned == 1
        await home.chunk(thread, "not that one please", Playing(reply, 9))
        await home.clock.advance(SILENCE_S)
        assert types(seen) == ["SPEECH_BARGE_IN", "SPEECH_END"]
        assert seen[-1][1]["delivered"] is True
    (_, spoken) = await home.inputs(thread)
    assert spoken.spoken is not None
    assert spoken.spoken.heard is not None
    assert (spoken.text, spoken.spoken.heard.chars) == ("not that one please", 9)
    await home.world.work()
    assert said(home.provider.requests[-1]) == ["tell me a story", "Once upon", "not that one please"]


async def test_signs_of_listening_are_no_message(store: MemoryStore) -> None:
    home, thread, gate = await tell(store)
    async with home.answering(thread) as seen:
        await gate.reached()
        await home.chunk(thread, "uh-huh")
        await home.chunk(thread, "uh-huh yeah", final=True)
        await home.clock.advance(SILENCE_S)
        assert types(seen) == ["SPEECH_END"]
        assert seen[-1][1]["delivered"] is False
        assert home.provider.abandoned == 0
    assert len(await home.inputs(thread)) == 1
    assert "OVERHEARD" in await home.world.kinds(thread)


async def test_what_is_dropped_has_the_answer_go_on(store: MemoryStore) -> None:
    home, thread, gate = await tell(store, DONE)
    async with home.answering(thread) as seen:
        await gate.reached()
        await home.chunk(thread, "not that", Playing(await home.making(thread), 6))
        dropping = asyncio.ensure_future(home.manager.drop_speech(thread))
        await home.clock.advance(0.05)
        await dropping
        await home.clock.advance(GO_ON_S)
        assert types(seen) == ["SPEECH_BARGE_IN", "SPEECH_GO_ON"]
        assert home.woken == [thread]
        await home.world.work()
    assert said(home.provider.requests[-1]) == ["tell me a story", STORY, GO_ON_TEXT]


async def test_what_was_dropped_before_a_crash_has_the_answer_go_on_after_it(store: MemoryStore) -> None:
    home, thread, gate = await tell(store)
    async with home.answering(thread):
        await gate.reached()
        await home.chunk(thread, "not that")
        dropping = asyncio.ensure_future(home.manager.drop_speech(thread))
        await home.clock.advance(0.05)
        await dropping
    later = Home(store, DONE, boot=2, clock=home.clock)
    async with later.answering(thread):
        await home.clock.advance(GO_ON_S)
        await later.world.work()
    assert [fact.text for fact in await later.inputs(thread)] == ["tell me a story", GO_ON_TEXT]
    assert said(later.provider.requests[-1]) == ["tell me a story", STORY, GO_ON_TEXT]


async def test_words_that_a_crash_cut_short_come_with_what_had_been_heard(store: MemoryStore) -> None:
    home, thread, gate = await tell(store)
    async with home.answering(thread):
        await gate.reached()
        await home.chunk(thread, "not that", Playing(await home.making(thread), 9))
    later = Home(store, DONE, boot=2, clock=home.clock)
    async with later.answering(thread):
        await home.clock.advance(RETURN_MS / 1000)
        await later.world.work()
    assert said(later.provider.requests[-1]) == ["tell me a story", "Once upon", "not that"]
