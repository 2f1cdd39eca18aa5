"""Speech of many threads: taken, timed and delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from sulla.core.errors import Busy, NotFound, RateLimited, StoreUnavailable
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.host.system import SystemClock
from sulla.speech.limits import SpeechLimits
from sulla.speech.service import Flushed
from sulla.speech.sessions.session import MOST_OWED
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.profile import ADAPTIVE
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import (
    Input,
    InputIgnored,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    TextMessageEnd,
)
from sulla.threads.offers import run_of
from tests.soon import attempts
from tests.speech.booth import Booth, memory_store, open_booth, shown


async def reply(booth: Booth, thread_id: ThreadId, text: str) -> None:
    """The assistant says something."""
    sent = await booth.threads.send(thread_id, Input(MessageId("typed"), "hello"))
    session = await booth.threads.attend(thread_id)
    assert session is not None
    await session.commit(
        RunStarted(sent.seq, MessageId("typed")),
        ModelStarted(CallId("c"), MessageId("m")),
        TextMessageEnd(CallId("c"), MessageId("m"), text),
        RunFinished(sent.run_id, Outcome("done")),
    )
    await session.release()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


async def test_a_final_chunk_becomes_a_message_of_its_thread(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        taken = await booth.say(thread, "turn the light")
        assert (taken.turn_id, taken.state) == ("u1", "speaking")
        assert await booth.texts(thread) == []
        await booth.say(thread, "turn the light on", "final")
        await clock.settle()
        (said,) = await booth.inputs(thread)
    assert (said.message_id, said.text, said.mode) == ("speech:u1", "turn the light on", "steer")
    assert said.spoken is not None
    assert (said.spoken.turn_id, said.spoken.reason) == ("u1", "final")
    assert booth.woken == [thread]


@pytest.mark.parametrize(
    ("text", "after_s"), [("could you turn the light on", 1.5), ("yes", 3.0), ("the light in the kitchen", 3.0)]
)
async def test_silence_ends_a_turn_at_the_millisecond(
    store: MemoryStore, clock: ManualClock, text: str, after_s: float
) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        began = clock.elapsed()
        await booth.say(thread, text)
        await clock.advance(began + after_s - 0.001 - clock.elapsed())
        assert await booth.texts(thread) == []
        await clock.advance(0.001)
        assert await booth.texts(thread) == [text]


async def test_whoever_never_pauses_is_ended_after_fifteen_seconds(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        began = clock.elapsed()
        words = "and"
        while clock.elapsed() < began + 14.3:
            await booth.say(thread, words)
            words += " so"
            await clock.advance(0.475)
        await clock.advance(began + 14.999 - clock.elapsed())
        assert await booth.texts(thread) == []
        await clock.advance(0.001)
        (said,) = await booth.inputs(thread)
    assert said.spoken is not None
    assert said.spoken.reason == "max_time"


async def test_on_a_real_loop_it_is_at_most_twenty_milliseconds_behind_a_bare_timer() -> None:
    """A machine that stands still makes both late; a bare timer of the loop beside it says by how much."""
    clock = SystemClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    ends: list[float] = []
    booth = Booth(store, clock)
    life = asyncio.ensure_future(booth.manager.run())
    thread = await booth.thread()
    async with shown(
        store, thread, lambda type_, data: ends.append(clock.elapsed()) if type_ == "SPEECH_END" else None
    ):
        for behind in attempts(0.02):
            turn, began = len(behind), clock.elapsed()
            bare: asyncio.Future[float] = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(1.5, lambda at: at.set_result(clock.elapsed()), bare)
            said = Chunk(f"u{turn}", 1, "cumulative", "could you turn the light on")
            await booth.manager.add_speech_chunk(thread, said)
            while len(ends) == turn or not bare.done():
                await asyncio.sleep(0)
            behind.append(ends[turn] - bare.result())
            assert ends[turn] - began >= 1.5
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)


async def test_what_happens_is_shown_as_it_happens(store: MemoryStore, clock: ManualClock) -> None:
    seen: list[tuple[str, Any]] = []
    async with open_booth(store, clock, limits=SpeechLimits(ADAPTIVE)) as booth:
        thread = await booth.thread()
        async with shown(store, thread, lambda type_, data: seen.append((type_, data))):
            await booth.say(thread, "what time is it now", stable=True)
            await clock.advance(0.21)
            await booth.say(thread, "what time is it now in")
            await booth.say(thread, "what time is it now in Rome", "final")
            await clock.settle()
            await booth.say(thread, "no", utterance_id="u2")
            await booth.done(booth.manager.drop_speech(thread))
    types = [type_ for type_, _ in seen]
    assert types == [
        *("SPEECH_STARTED", "SPEECH_PARTIAL", "SPEECH_EAGER_END", "SPEECH_RESUMED", "SPEECH_PARTIAL"),
        *("SPEECH_PARTIAL", "SPEECH_END", "SPEECH_STARTED", "SPEECH_PARTIAL", "SPEECH_CANCELLED"),
    ]
    end = seen[6][1]
    text = "what time is it now in Rome"
    assert end.pop("detail") != ""
    assert end.pop("score") > 0
    assert end == {
        "turn_id": "u1",
        "text": text,
        "chars": len(text),
        "reason": "final",
        "waited_ms": 0,
        "message_id": "speech:u1",
        "delivered": True,
    }


async def test_a_long_text_is_shown_by_its_end(store: MemoryStore, clock: ManualClock) -> None:
    seen: list[Any] = []
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        async with shown(store, thread, lambda type_, data: seen.append(data)):
            await booth.say(thread, "\u00e9\0" * 4_000)
    assert (len(seen[-1]["text"]), seen[-1]["chars"]) == (500, 8_000)


async def test_whoever_lets_go_of_the_button_has_their_words_delivered_at_once(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light")
        flushed = await booth.done(booth.manager.force_flush_buffer(thread))
        (said,) = await booth.inputs(thread)
        again = await booth.done(booth.manager.force_flush_buffer(thread))
    assert (flushed.turn_id, flushed.text) == ("u1", "the light") == ("u1", said.text)
    assert flushed.run_id == run_of(thread, said.message_id)
    assert again == Flushed()


async def test_what_is_dropped_comes_in_no_later_turn(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light")
        assert await booth.done(booth.manager.drop_speech(thread)) == "u1"
        assert await booth.done(booth.manager.drop_speech(thread)) == ""
        await booth.say(thread, "the light no the door", "final")
        await clock.settle()
        assert await booth.texts(thread) == ["no the door"]


async def test_how_things_stand_can_be_asked_and_changes_nothing(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        assert not (await booth.done(booth.manager.get_buffer_status(thread))).exists
        await booth.say(thread, "the light")
        await clock.advance(1.0)
        standing = await booth.done(booth.manager.get_buffer_status(thread))
        assert (standing.exists, standing.text, standing.age_ms) == (True, "the light", 1000)
        assert standing == await booth.done(booth.manager.get_buffer_status(thread))
        await clock.advance(2.0)
        assert await booth.texts(thread) == ["the light"]


@pytest.mark.parametrize("ask", ["chunk", "flush", "drop", "status"])
async def test_there_has_to_be_such_a_thread(store: MemoryStore, clock: ManualClock, ask: str) -> None:
    nowhere = ThreadId("nowhere")
    async with open_booth(store, clock) as booth:
        manager = booth.manager
        asked: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
            "chunk": lambda: manager.add_speech_chunk(nowhere, Chunk("u", 1, "delta", "hello")),
            "flush": lambda: manager.force_flush_buffer(nowhere),
            "drop": lambda: manager.drop_speech(nowhere),
            "status": lambda: manager.get_buffer_status(nowhere),
        }
        with pytest.raises(NotFound):
            await booth.done(asked[ask]())


async def test_two_utterances_that_a_client_has_named_alike_are_two_messages(
    store: MemoryStore, clock: ManualClock
) -> None:
    limits = SpeechLimits(ttl_s=60.0)
    async with open_booth(store, clock, limits=limits) as booth:
        thread = await booth.thread()
        for _ in range(3):
            await booth.say(thread, "yes", "final")
            await clock.advance(100.0)  # it is laid down, and forgotten
        said = await booth.inputs(thread)
    assert [one.text for one in said] == ["yes", "yes", "yes"]
    assert said[0].message_id == "speech:u1"
    assert len({one.message_id for one in said}) == 3


async def test_more_than_may_be_live_are_refused_and_the_silent_make_room(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, limits=SpeechLimits(max_live=2)) as booth:
        one, two, three = [await booth.thread(name) for name in ("one", "two", "three")]
        await booth.say(one, "hello", utterance_id="a")
        await booth.say(two, "hello", utterance_id="b")
        with pytest.raises(Busy, match=r"speech\.max_live"):
            await booth.say(three, "hello", utterance_id="c")
        await booth.say(two, "hello you", "final", utterance_id="b")
        await clock.settle()
        await booth.say(three, "hello", utterance_id="c")
        assert booth.live() == 2
        await clock.advance(3.0)
        assert [await booth.texts(name) for name in (one, two, three)] == [["hello"], ["hello you"], ["hello"]]


async def test_an_outage_refuses_chunks_and_loses_no_turn(store: MemoryStore, clock: ManualClock) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away:
            raise StoreUnavailable("away")

    async with open_booth(FaultyStore(store, plan), clock) as booth:
        thread, other = await booth.thread(), await booth.thread("other")
        await booth.say(thread, "turn the light on")
        away = True
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                await booth.say(thread, "turn the light on in the kitchen")
        with pytest.raises(StoreUnavailable):
            await booth.say(other, "hello", utterance_id="o")
        assert booth.trouble() == "away"
        await clock.advance(5.0)
        assert await booth.texts(thread) == []
        away = False
        await clock.advance(6.0)
        (text,) = await booth.texts(thread)
        assert text.startswith("turn the light on")
        await booth.say(other, "hello", "final", utterance_id="o")
        await clock.advance(0.1)
        assert await booth.texts(other) == ["hello"]


async def test_a_full_queue_holds_turns_back_and_loses_none(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread = await booth.thread()
        most = ThreadLimits().max_waiting
        for number in range(most):
            await booth.threads.send(thread, Input(MessageId(f"m{number}"), "typed"))
        await booth.say(thread, "spoken", "final")
        await clock.advance(30.0)
        assert "spoken" not in await booth.texts(thread)
        assert booth.live() == 1
        session = await booth.threads.attend(thread)
        assert session is not None
        await session.commit(InputIgnored(2, "stopped"))
        await session.release()
        await clock.advance(10.0)
        assert "spoken" in await booth.texts(thread)


async def test_turns_that_wait_for_a_full_queue_have_a_bound(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, limits=SpeechLimits(turn_burst=1_000)) as booth:
        thread = await booth.thread()
        for number in range(ThreadLimits().max_waiting):
            await booth.threads.send(thread, Input(MessageId(f"m{number}"), "typed"))
        for number in range(MOST_OWED):
            await booth.say(thread, f"spoken {number}", "final", utterance_id=f"u{number}")
        with pytest.raises(Busy, match=r"64 spoken turns wait"):
            await booth.say(thread, "one more", "final", utterance_id="more")
        session = await booth.threads.attend(thread)
        assert session is not None
        await session.commit(*[InputIgnored(seq, "stopped") for seq in range(2, 90)])
        await session.release()
        await clock.advance(10.0)
        await booth.say(thread, "one more", "final", utterance_id="more")
        await clock.advance(1.0)
        spoken = [text for text in await booth.texts(thread) if text != "typed"]
    assert spoken == [*[f"spoken {number}" for number in range(MOST_OWED)], "one more"]


async def test_turns_of_a_thread_begin_no_faster_than_messages_are_taken(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, limits=SpeechLimits(turn_burst=3, turn_window_s=20.0)) as booth:
        thread, other = await booth.thread(), await booth.thread("other")
        began_s = clock.elapsed()
        for number in range(3):
            await booth.say(thread, "yes", "final", utterance_id=f"u{number}")
        await clock.advance(18.0)  # it is laid down meanwhile
        with pytest.raises(RateLimited, match="3 spoken turns of one thread") as refused:
            await booth.say(thread, "yes", "final", utterance_id="u3")
        await booth.say(other, "yes", utterance_id="o")
        assert refused.value.retryable
        await clock.advance(began_s + 20.1 - clock.elapsed())
        await booth.say(thread, "yes", utterance_id="u3")
        for word in ("you", "are", "right"):  # a turn that is open goes on
            await booth.say(thread, f"yes {word}", utterance_id="u3")
        await booth.say(thread, "yes right", "final", utterance_id="u3")
        await clock.settle()
        assert await booth.texts(thread) == ["yes", "yes", "yes", "yes right"]


@pytest.mark.parametrize("order", ["flush", "drop"])
async def test_an_order_where_nobody_speaks_writes_nothing_down(
    store: MemoryStore, clock: ManualClock, order: str
) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away:
            raise StoreUnavailable("away")

    async with open_booth(FaultyStore(store, plan), clock) as booth:
        thread = await booth.thread()
        await booth.say(thread, "hello", "final")
        await clock.advance(0.2)
        (session,) = booth.manager._sessions.all()
        before, away = session.log.place, True
        for _ in range(20):
            if order == "flush":
                assert await booth.done(booth.manager.force_flush_buffer(thread)) == Flushed()
            else:
                assert await booth.done(booth.manager.drop_speech(thread)) == ""
        assert session.log.place == before


async def test_a_thread_that_is_deleted_takes_its_speech_with_it(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        thread, other = await booth.thread(), await booth.thread("other")
        for name in (thread, other):
            await booth.say(name, "hello", utterance_id=name[:20])
        await booth.threads.delete(thread)
        await booth.threads.delete(other)
        await booth.done(booth.manager.forget(thread))
        await clock.advance(5.0)  # the other one has its end, and nowhere to go
        assert booth.live() == 0
        with pytest.raises(NotFound):
            await booth.say(thread, "hello again", utterance_id=thread[:20])


async def test_the_question_before_counts_in_the_profile_adaptive(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, limits=SpeechLimits(ADAPTIVE)) as booth:
        asked, told = await booth.thread("asked"), await booth.thread("told")
        await reply(booth, asked, "Which one do you want, the left or the right?")
        await reply(booth, told, "I have done that.")
        began = clock.elapsed()
        for name in (asked, told):
            await booth.say(name, "the left", utterance_id=name[:20], stable=True)
        while "the left" not in await booth.texts(asked):
            await clock.advance(0.05)
        assert clock.elapsed() - began < 1.0
        assert "the left" not in await booth.texts(told)
