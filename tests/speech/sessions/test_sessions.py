"""Two daemons on one store: a thread is taken down by one of them at a time, and by another when that is gone."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sulla.core.errors import Busy, StoreUnavailable
from sulla.core.ids import MessageId
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.segments import LEASE_S
from sulla.speech.sessions.manager import TIDY_S
from sulla.speech.sessions.sessions import REST_S
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.profile import ADAPTIVE
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import Input
from tests.speech.booth import memory_store, open_booth

RESTED_S = REST_S + 2 * TIDY_S + 1
GONE_S = LEASE_S + 2 * TIDY_S


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


async def test_the_next_boot_goes_on_in_mid_utterance(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, "home1:1") as booth:
        thread = await booth.thread()
        await booth.say(thread, "could you turn")
    await clock.advance(0.5)
    async with open_booth(store, clock, "home1:2") as booth:
        await booth.say(thread, "could you turn the light", utterance_id="u1", seq=2)
        await clock.advance(1.5)
        assert await booth.texts(thread) == ["could you turn the light"]


async def test_while_no_daemon_runs_nobody_is_silent(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, "home1:1") as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light")
    await clock.advance(600.0)
    async with open_booth(store, clock, "home1:2") as booth:
        await clock.advance(4.0)
        await booth.say(thread, "the light in the kitchen", "final", seq=2)
        await clock.advance(0.1)
        assert await booth.texts(thread) == ["the light in the kitchen"]


async def test_who_does_not_come_back_to_the_next_daemon_has_said_what_they_said(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home1:1") as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light")
    await clock.advance(600.0)
    async with open_booth(store, clock, "home1:2") as booth:
        await clock.advance(5.1)
        (said,) = await booth.inputs(thread)
        assert said.spoken is not None
        assert (said.spoken.reason, said.spoken.waited_ms) == ("silence", 5000)


async def test_a_clock_that_was_set_back_holds_nobody_up(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, "home1:1") as booth:
        thread = await booth.thread()
        await booth.say(thread, "the light")
    clock.jump(-3600.0)
    async with open_booth(store, clock, "home1:2") as booth:
        clock.jump(7200.0)
        await clock.advance(4.9)
        assert await booth.texts(thread) == []
        await clock.advance(0.1)
        assert await booth.texts(thread) == ["the light"]


async def test_turns_end_as_they_began_though_the_setting_is_another_one(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home1:1") as booth:
        thread = await booth.thread()
        await booth.say(thread, "what time is it in")
    async with open_booth(store, clock, "home1:2", SpeechLimits(ADAPTIVE)) as booth:
        await booth.say(thread, "what time is it in Rome now", seq=2)
        other = await booth.thread("other")
        await booth.say(other, "what time is it in Rome now", utterance_id="o")
        await clock.advance(1.3)
        assert (await booth.texts(thread), await booth.texts(other)) == ([], ["what time is it in Rome now"])
        await clock.advance(0.3)
        assert await booth.texts(thread) == ["what time is it in Rome now"]


async def test_another_daemon_refuses_until_the_first_is_silent_and_goes_on_from_there(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home1:1") as one, open_booth(store, clock, "home2:1") as two:
        thread = await one.thread()
        await one.say(thread, "the light")
        for asked in (two.say(thread, "the light"), two.done(two.manager.get_buffer_status(thread))):
            with pytest.raises(Busy, match="another daemon"):
                await asked
        await clock.advance(3.0 + RESTED_S)
        await two.say(thread, "the light in the kitchen", "final", seq=2)
        await clock.advance(0.1)
        assert await two.texts(thread) == ["the light", "in the kitchen"]
        with pytest.raises(Busy):
            await one.say(thread, "hello", utterance_id="u2")


async def test_of_two_daemons_spoken_to_in_one_thread_in_the_same_moment_one_takes_it_down(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home1:1") as one, open_booth(store, clock, "home2:1") as two:
        for number in range(5):
            thread = await one.thread(f"t{number}")
            chunk = Chunk("u1", 1, "final", "turn on the light")
            asked = [booth.manager.add_speech_chunk(thread, chunk) for booth in (one, two)]
            found = await one.done(asyncio.gather(*asked, return_exceptions=True))
            (refused,) = [error for error in found if isinstance(error, BaseException)]
            assert isinstance(refused, Busy)
            assert refused.retry_after_s == 1.0
            await clock.advance(1.0)
            assert await one.texts(thread) == ["turn on the light"]
        assert one.live() + two.live() == 5


async def test_a_log_that_is_removed_while_a_thread_is_taken_up_is_not_the_one_that_it_goes_into(
    store: MemoryStore, clock: ManualClock
) -> None:
    """Nobody was in it yet; whoever looked in between found no log, so that the thread was free."""
    stands, go_on = asyncio.Event(), asyncio.Event()

    async def plan(touch: Touch) -> None:
        if touch.method == "swap" and touch.phase == "after" and not stands.is_set():
            stands.set()
            await go_on.wait()

    async with (
        open_booth(FaultyStore(store, plan), clock, "home1:1") as one,
        open_booth(store, clock, "home2:1") as two,
    ):
        thread = await one.thread()
        slow = asyncio.ensure_future(one.manager.add_speech_chunk(thread, Chunk("u1", 1, "cumulative", "the light")))
        await stands.wait()
        await clock.advance(2 * TIDY_S)
        assert await store.find(kind="speech") == []
        await two.say(thread, "the light")
        go_on.set()
        with pytest.raises(Busy, match="another daemon"):
            await one.done(slow)
        await clock.advance(3.0)
        assert await two.texts(thread) == ["the light"]


async def test_a_thread_that_is_taken_over_while_somebody_speaks_in_it_here_is_taken_down_once(
    store: MemoryStore, clock: ManualClock
) -> None:
    """What is sent again is late for whoever has read the log, and for nobody else."""
    stands, go_on = asyncio.Event(), asyncio.Event()

    async def plan(touch: Touch) -> None:
        if touch.method == "offer" and touch.key.startswith("speech:home1") and not stands.is_set():
            stands.set()
            await go_on.wait()

    async with open_booth(store, clock, "home2:1") as two:
        thread = await two.thread()
        await two.say(thread, "the light")
    async with open_booth(FaultyStore(store, plan), clock, "home1:1") as one:
        again = Chunk("u1", 1, "cumulative", "the light")
        slow = asyncio.ensure_future(one.manager.add_speech_chunk(thread, again))
        await stands.wait()
        await clock.advance(GONE_S)
        assert one.live() == 1
        go_on.set()
        with pytest.raises(Busy):
            await one.done(slow)
        await one.done(one.manager.add_speech_chunk(thread, again))
        await clock.advance(4.0)
        assert await one.texts(thread) == ["the light"]


async def test_a_daemon_that_finds_a_thread_elsewhere_delivers_what_it_has_and_takes_no_more(
    store: MemoryStore, clock: ManualClock
) -> None:
    limits = SpeechLimits(ttl_s=60.0)
    async with open_booth(store, clock, "home1:1", limits) as one, open_booth(store, clock, "home2:1", limits) as two:
        thread = await one.thread()
        for number in range(ThreadLimits().max_waiting):
            await one.threads.send(thread, Input(MessageId(f"m{number}"), "typed"))
        await one.say(thread, "the light", "final")
        await store.remove(f"stream_buffer:{thread}")  # it could not be claimed for so long that its time was over
        await two.say(thread, "hello", "final", utterance_id="u2")
        await clock.advance(limits.ttl_s / 2 + 2 * TIDY_S)
        with pytest.raises(Busy, match="another daemon"):
            await one.say(thread, "and more", utterance_id="u3")
        rest = await two.manager._sessions._parked.look(thread)
        assert rest is not None
        assert (rest.by, rest.home) == ("home2:1", "home2")
        assert (one.live(), two.live()) == (1, 1)
        (session,) = one.manager._sessions.all()
        assert [turn.text for turn in session.speech.owed] == ["the light"]


async def test_what_a_home_that_stays_away_has_taken_down_another_one_delivers(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home2:1") as two:
        async with open_booth(store, clock, "home1:1") as one:
            thread = await one.thread()
            await one.say(thread, "the light")
        await clock.advance(LEASE_S / 2)
        assert await two.texts(thread) == []
        await clock.advance(GONE_S)
        assert await two.texts(thread) == ["the light"]
        await two.say(thread, "the light in the kitchen", "final", seq=2)
        await clock.advance(RESTED_S)
        assert await two.texts(thread) == ["the light", "in the kitchen"]
        assert await store.find(kind="speech") == []


async def test_speech_that_is_taken_over_from_a_clock_that_is_ahead_hurries_nobody(
    store: MemoryStore, clock: ManualClock
) -> None:
    async with open_booth(store, clock, "home2:1") as two:
        thread = await two.thread("two")
        clock.jump(3600.0)
        async with open_booth(store, clock, "home1:1") as one:
            other = await one.thread()
            await one.say(other, "the light")
        clock.jump(-3600.0)
        await clock.advance(LEASE_S - 6.0)
        words = "and"
        for number in range(28):
            words += f" w{number}"
            await two.say(thread, words)
            await clock.advance(0.475)
        assert await two.texts(other) == ["the light"]
        assert await two.texts(thread) == []
        await clock.advance(3.0)
        assert await two.texts(thread) == [words]


async def test_a_home_that_comes_back_too_late_does_not_deliver_again(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock, "home1:1") as one:
        thread = await one.thread()
        await one.say(thread, "the light", "final")
        await clock.settle()
    await clock.advance(LEASE_S)
    async with open_booth(store, clock, "home2:1") as two:
        await two.say(thread, "yes", "final", utterance_id="u2")
        await clock.advance(1.0)
    async with open_booth(store, clock, "home1:2"):
        await clock.advance(GONE_S + RESTED_S)
    assert await two.texts(thread) == ["the light", "yes"]
    assert await store.find(kind="speech") == []


async def test_a_thread_that_somebody_else_has_taken_up_since_is_not_taken_back(
    store: MemoryStore, clock: ManualClock
) -> None:
    """The first dies when it has laid the thread down, before it has written that it did."""
    async with open_booth(store, clock, "home1:1") as one:
        thread = await one.thread()
        await one.say(thread, "the light", "final")
        await clock.advance(0.1)
        (session,) = one.manager._sessions.all()
        known = session.speech.all_of_it()
        await one.manager._sessions._parked.park(known, "home1:1")
    async with open_booth(store, clock, "home2:1") as two:
        await two.say(thread, "hello", utterance_id="u2")
        async with open_booth(store, clock, "home1:2") as again:
            await clock.advance(0.1)
            with pytest.raises(Busy):
                await again.say(thread, "hello", utterance_id="u3")
            await two.say(thread, "hello you", "final", utterance_id="u2")
            await clock.advance(RESTED_S)
            assert await two.texts(thread) == ["the light", "hello you"]
            await again.say(thread, "hello you there", "final", utterance_id="u2", seq=9)
            await clock.advance(0.1)
            assert await two.texts(thread) == ["the light", "hello you"]


async def test_a_thousand_threads_are_laid_down_when_nobody_speaks(store: MemoryStore, clock: ManualClock) -> None:
    async with open_booth(store, clock) as booth:
        threads = [await booth.thread(f"t{number}") for number in range(1_000)]
        chunk = Chunk("u", 1, "cumulative", "hello")
        await booth.done(asyncio.gather(*[booth.manager.add_speech_chunk(thread, chunk) for thread in threads]))
        assert booth.live() == 1_000
        await clock.advance(3.0 + RESTED_S)
        assert booth.live() == 0
        assert await store.find(kind="speech") == []
        assert [await booth.texts(thread) for thread in threads] == [["hello"]] * 1_000


async def test_a_daemon_that_slept_while_another_one_took_over_keeps_out(
    store: MemoryStore, clock: ManualClock
) -> None:
    away = False

    async def plan(touch: Touch) -> None:
        if away:
            raise StoreUnavailable("away")

    async with (
        open_booth(store, clock, "home2:1") as two,
        open_booth(FaultyStore(store, plan), clock, "home1:1") as one,
    ):
        thread, other = await one.thread(), await one.thread("other")
        await one.say(thread, "the light")
        away = True
        await clock.advance(LEASE_S + 2 * TIDY_S)
        assert await two.texts(thread) == ["the light"]
        await two.say(thread, "the light in the kitchen", seq=2)
        away = False
        await clock.advance(1.0)
        for _ in range(3):
            with pytest.raises((Busy, StoreUnavailable)):
                await one.say(thread, "the light in the kitchen", seq=2)
        await one.say(other, "hello", "final", utterance_id="o")
        await clock.advance(10.0)
        assert await two.texts(thread) == ["the light", "in the kitchen"]
        assert await two.texts(other) == ["hello"]
        assert one.live() == 1


async def test_whoever_still_owes_a_turn_does_not_claim_a_thread_that_somebody_else_has_taken_up(
    store: MemoryStore, clock: ManualClock
) -> None:
    limits = SpeechLimits(ttl_s=60.0)
    async with open_booth(store, clock, "home1:1", limits) as one:
        thread = await one.thread()
        for number in range(ThreadLimits().max_waiting):
            await one.threads.send(thread, Input(MessageId(f"m{number}"), "typed"))
        await one.say(thread, "the light", "final")
        (session,) = one.manager._sessions.all()
        await one.manager._sessions._parked.park(replace(session.speech.all_of_it(), owed=()), "home1:1")
    async with open_booth(store, clock, "home2:1", limits) as two:
        await two.say(thread, "hello", utterance_id="u2")
        async with open_booth(store, clock, "home1:2", limits) as again:
            for _ in range(10):
                await clock.advance(10.0)
                await two.say(thread, "hello", utterance_id="u2")
            assert again.live() == 1
            rest = await two.manager._sessions._parked.look(thread)
            assert rest is not None
            assert (rest.version, rest.by) == (2, "home2:1")
