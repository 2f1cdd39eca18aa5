"""Turns that have ended become messages: once, in order, and in the same words however often it is tried."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.errors import CorruptRecord, StoreUnavailable
from sulla.core.ids import MessageId, ThreadId
from sulla.speech.interruptions.interruptions import Interruptions, TurnVerdict
from sulla.speech.service import Playing
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import End, Event
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed
from sulla.testing.store import FaultyStore, Touch
from sulla.threads.log.codec import Entry
from sulla.threads.log.spoken import Heard
from tests.speech.booth import Booth, memory_store, open_booth, shown

PLAYING = Playing(MessageId("m"), 7)


class Judge(Interruptions):
    """Says what a test wants it to say, and writes down what it heard."""

    def __init__(self, booth: Booth, *verdicts: TurnVerdict | Exception) -> None:
        super().__init__(booth.threads, booth.manager.show, booth.clock, booth.woken.append)
        self.verdicts = list(verdicts)
        self.asked: list[tuple[str, Playing | None]] = []
        self.told: list[tuple[Event, Playing | None]] = []

    def heard(self, thread_id: ThreadId, event: Event, playing: Playing | None) -> None:
        self.told.append((event, playing))

    async def judge(self, thread_id: ThreadId, end: End, playing: Playing | None) -> TurnVerdict:
        self.asked.append((end.text, playing))
        verdict = self.verdicts.pop(0)
        if isinstance(verdict, Exception):
            raise verdict
        return verdict


class Court:
    """A booth with a judge in it."""

    def __init__(self, store: Store, clock: ManualClock, boot: int, *verdicts: TurnVerdict | Exception) -> None:
        self.booth = Booth(store, clock, f"home1:{boot}")
        self.judge = Judge(self.booth, *verdicts)
        self.booth.manager = StreamBufferManager(
            store, self.booth.threads, clock, f"home1:{boot}", self.booth.woken.append, interruptions=self.judge
        )
        self.life = asyncio.ensure_future(self.booth.manager.run())

    async def end(self) -> None:
        self.life.cancel()
        await asyncio.gather(self.life, return_exceptions=True)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


async def test_who_judges_hears_of_everything_with_what_was_played(store: MemoryStore, clock: ManualClock) -> None:
    court = Court(store, clock, 1, TurnVerdict(deliver=True, heard=Heard(MessageId("m"), 7)))
    thread = await court.booth.thread()
    await court.booth.say(thread, "wait", playing=PLAYING)
    await court.booth.say(thread, "wait no", "final")
    await clock.advance(0.1)
    (said,) = await court.booth.inputs(thread)
    await court.end()
    assert [type(event).__name__ for event, _ in court.judge.told] == ["TurnStarted", "Partial", "Partial", "End"]
    assert {playing for _, playing in court.judge.told} == {PLAYING}
    assert court.judge.asked == [("wait no", PLAYING)]
    assert said.spoken is not None
    assert said.spoken.heard == Heard(MessageId("m"), 7)


async def test_what_is_no_message_is_not_delivered_and_clients_are_told(store: MemoryStore, clock: ManualClock) -> None:
    seen: list[tuple[str, Any]] = []
    court = Court(store, clock, 1, TurnVerdict(deliver=False))
    thread = await court.booth.thread()
    async with shown(store, thread, lambda type_, data: seen.append((type_, data))):
        await court.booth.say(thread, "uh-huh", "final")
        await clock.advance(0.1)
    await court.end()
    assert await court.booth.texts(thread) == []
    assert court.booth.woken == []
    type_, data = seen[-1]
    assert (type_, data["delivered"], data["message_id"]) == ("SPEECH_END", False, "")


async def test_a_judge_that_cannot_look_is_asked_again(store: MemoryStore, clock: ManualClock) -> None:
    court = Court(store, clock, 1, StoreUnavailable("away"), StoreUnavailable("away"), TurnVerdict(deliver=True))
    thread = await court.booth.thread()
    await court.booth.say(thread, "wait", "final")
    await clock.advance(2.0)
    assert await court.booth.texts(thread) == ["wait"]
    await court.end()


@pytest.mark.parametrize("phase", ["before", "after"])
async def test_a_verdict_stands_over_a_death_in_mid_delivery(
    store: MemoryStore, clock: ManualClock, phase: str
) -> None:
    dead = False

    async def plan(touch: Touch) -> None:
        nonlocal dead
        dead = dead or (touch.kinds == ("INPUT",) and touch.phase == phase)
        if dead:
            raise Killed

    first = Court(FaultyStore(store, plan), clock, 1, TurnVerdict(deliver=True, heard=Heard(MessageId("m"), 7)))
    thread = await first.booth.thread()
    await first.booth.say(thread, "wait", "final")
    await clock.advance(0.2)
    await first.end()
    assert dead
    second = Court(store, clock, 2)  # would fail if it were asked
    await clock.advance(1.0)
    (said,) = await second.booth.inputs(thread)
    await second.end()
    assert said.spoken is not None
    assert said.spoken.heard == Heard(MessageId("m"), 7)


async def test_words_over_a_thread_whose_end_cannot_be_read_are_delivered(
    store: MemoryStore, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        read = booth.threads.entries

        async def entries(*args: Any, **more: Any) -> list[Entry]:
            raise CorruptRecord("record 7 is not what it was")

        monkeypatch.setattr(booth.threads, "entries", entries)
        await booth.say(thread, "hello you", "final", playing=PLAYING)
        await clock.advance(1.0)
        monkeypatch.setattr(booth.threads, "entries", read)
        assert await booth.texts(thread) == ["hello you"]


async def test_turns_are_delivered_in_their_order(store: MemoryStore, clock: ManualClock) -> None:
    verdicts: list[TurnVerdict | Exception] = [StoreUnavailable("away"), *[TurnVerdict(deliver=True)] * 5]
    court = Court(store, clock, 1, *verdicts)
    thread = await court.booth.thread()
    chunks = [Chunk(f"u{number}", 1, "final", f"number {number}") for number in range(5)]
    await court.booth.done(asyncio.gather(*[court.booth.manager.add_speech_chunk(thread, one) for one in chunks]))
    await clock.advance(2.0)
    assert await court.booth.texts(thread) == [chunk.text for chunk in chunks]
    await court.end()


async def test_nobody_is_interrupted_by_what_was_said_before_a_restart(store: MemoryStore, clock: ManualClock) -> None:
    first = Court(store, clock, 1)
    thread = await first.booth.thread()
    await first.booth.say(thread, "wait", playing=PLAYING)
    await first.end()
    second = Court(store, clock, 2, TurnVerdict(deliver=True))
    await clock.advance(5.0)
    assert await second.booth.texts(thread) == ["wait"]
    assert [type(event).__name__ for event, _ in second.judge.told] == ["End"]
    await second.end()
