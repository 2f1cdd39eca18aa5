"""What is said is written down many at a time, in order, under one lease, in segments that replace each other."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import Busy, CorruptRecord, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.speech.limits import LOGS
from sulla.speech.log.log import GATHER_S, MAX_UNKEPT_BYTES, RETRY_S, SpeechLog
from sulla.speech.log.records import ChunkTaken, ThreadLeft, pack, to_draft
from sulla.speech.log.segments import (
    HEAD,
    LEASE_S,
    all_of,
    is_gone,
    key_of,
    logs_of,
    next_key,
    open_segment,
    origin_of,
    take,
)
from sulla.speech.log.thread_speech import ThreadSpeech
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.events import Event
from sulla.speech.turn_taking.profile import CLASSIC
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed
from sulla.testing.store import FaultyStore, Touch
from tests.speech.booth import memory_store
from tests.speech.streams import DETECTOR

THREAD = ThreadId("t")
OWNER = "home1:1"
KEY = key_of(OWNER, 1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


class Scribe:
    """A log at work, and the thread that is written down in it."""

    def __init__(self, store: Store, clock: ManualClock, segment_bytes: int = 100_000) -> None:
        self.store = store
        self.clock = clock
        self.speech = ThreadSpeech(THREAD)
        self.segment_bytes = segment_bytes
        self.task: asyncio.Task[None] | None = None

    async def begin(self) -> SpeechLog:
        segment = await open_segment(self.store, OWNER, KEY, CLASSIC)
        assert segment is not None
        self.log = SpeechLog(self.store, self.clock, OWNER, segment, self.everything, self.segment_bytes)
        self.task = asyncio.ensure_future(self.log.run())
        return self.log

    def everything(self, log: SpeechLog) -> list[bytes]:
        """All that is known."""
        return all_of([self.speech])

    def say(self, seq: int) -> int:
        """Another word."""
        entry = ChunkTaken(THREAD, seq * 100, Chunk("u", seq, "delta", f"w{seq}"))
        self.speech.take(entry)
        return self.log.add(entry)

    async def end(self) -> BaseException | None:
        assert self.task is not None
        self.task.cancel()
        (found,) = await asyncio.gather(self.task, return_exceptions=True)
        return found


@pytest.fixture
def scribe(store: MemoryStore, clock: ManualClock) -> Scribe:
    return Scribe(store, clock)


async def text_of(store: Store, key: str, owner: str = "home1:2") -> str:
    """What a log came to, for whoever takes it over."""
    found = await take(store, owner, key, DETECTOR)
    assert found is not None
    return found.by_thread[THREAD].buffer.status(0).text


async def test_the_first_is_written_at_once_and_what_follows_together(store: MemoryStore, clock: ManualClock) -> None:
    writes: list[int] = []

    async def plan(touch: Touch) -> None:
        if touch.method == "append" and touch.phase == "after":
            writes.append(len(touch.kinds))

    scribe = Scribe(FaultyStore(store, plan), clock)
    log = await scribe.begin()
    await log.committed(scribe.say(1))
    assert (len(writes), clock.elapsed()) == (1, 1000.0)
    waiting = [asyncio.ensure_future(log.committed(scribe.say(seq))) for seq in range(2, 12)]
    await clock.advance(GATHER_S - 0.001)
    assert not any(one.done() for one in waiting)
    await clock.advance(0.001)
    assert all(one.done() for one in waiting)
    assert writes == [1, 1]
    await scribe.end()
    assert await text_of(store, KEY) == " ".join(f"w{seq}" for seq in range(1, 12))


async def test_an_attempt_that_fails_is_told_and_made_again(store: MemoryStore, clock: ManualClock) -> None:
    fails: list[str] = []

    async def plan(touch: Touch) -> None:
        if touch.method == "append" and fails and touch.phase == fails[0]:
            raise StoreUnavailable("away")

    scribe = Scribe(FaultyStore(store, plan), clock)
    log = await scribe.begin()
    for seq, phase in enumerate(("before", "after"), start=1):
        fails.append(phase)
        place = scribe.say(seq)
        with pytest.raises(StoreUnavailable):
            await log.committed(place)
        with pytest.raises(StoreUnavailable):
            log.check()
        surely = asyncio.ensure_future(log.committed_at_last(place))
        await clock.advance(2.0)
        assert not surely.done()
        fails.clear()
        await clock.advance(2 * RETRY_S)
        assert surely.done()
        log.check()
        await clock.advance(GATHER_S)
    await scribe.end()
    assert await text_of(store, KEY) == "w1 w2"


async def test_what_waits_behind_an_attempt_that_fails_is_told_too(store: MemoryStore, clock: ManualClock) -> None:
    fails = asyncio.Event()

    async def plan(touch: Touch) -> None:
        if (touch.method, touch.phase) == ("append", "before"):
            await fails.wait()
            raise StoreUnavailable("away")

    scribe = Scribe(FaultyStore(store, plan), clock)
    log = await scribe.begin()
    waiting = [asyncio.ensure_future(log.committed(scribe.say(1)))]
    await clock.settle()
    waiting.append(asyncio.ensure_future(log.committed(scribe.say(2))))
    await clock.settle()
    fails.set()
    await clock.settle()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(one) for one in found] == [StoreUnavailable, StoreUnavailable]
    await scribe.end()


async def test_what_waits_has_a_bound(store: MemoryStore, scribe: Scribe) -> None:
    log = await scribe.begin()
    words = "w " * 7_000
    most = MAX_UNKEPT_BYTES // len(words)
    for seq in range(most - 100):
        log.check()
        log.add(ChunkTaken(THREAD, 1, Chunk("u", seq, "cumulative", words)))
    for seq in range(100):
        log.add(ChunkTaken(THREAD, 1, Chunk("u", seq, "cumulative", words)))
    with pytest.raises(Busy):
        log.check()
    await scribe.end()


async def test_a_log_that_has_grown_goes_on_in_another_one(store: MemoryStore, clock: ManualClock) -> None:
    scribe = Scribe(store, clock, segment_bytes=300)
    log = await scribe.begin()
    for seq in range(1, 101):
        log.add(ChunkTaken(THREAD, 0, Chunk("other", seq, "delta", "")))
        await asyncio.gather(log.committed(scribe.say(seq)), clock.advance(GATHER_S))
    await clock.advance(1.0)
    assert [info.key for info in await logs_of(store)] == [log.key]
    assert log.key != KEY
    assert origin_of(log.key) == OWNER
    (info,) = await logs_of(store)
    assert info.last_seq < 20
    await scribe.end()
    assert await text_of(store, log.key) == " ".join(f"w{seq}" for seq in range(1, 101))


CHANGES = ("offer", "acquire", "append", "delete")


@pytest.mark.parametrize("kept", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("nth", range(1, 12))
async def test_whoever_dies_at_any_step_leaves_one_log_that_counts(
    store: MemoryStore, clock: ManualClock, nth: int, kept: bool
) -> None:
    left, dead = nth, False

    async def plan(touch: Touch) -> None:
        nonlocal left, dead
        if touch.phase == ("after" if kept else "before") and touch.method in CHANGES:
            left -= 1
            dead = dead or left == 0
        if dead:
            raise Killed

    scribe = Scribe(FaultyStore(store, plan), clock, segment_bytes=60)
    acknowledged: list[int] = []

    async def say(seq: int) -> None:
        await scribe.log.committed(scribe.say(seq))
        acknowledged.append(seq)

    try:
        await scribe.begin()
    except Killed:
        assert nth <= 2
        return
    for seq in range(1, 6):
        saying = asyncio.ensure_future(say(seq))
        await clock.advance(GATHER_S)
        saying.cancel()
        await asyncio.gather(saying, return_exceptions=True)
    await scribe.end()
    texts = []
    for _ in range(3):  # what goes on elsewhere is finished by whoever finds it
        for info in await logs_of(store):
            found = await take(store, "home1:2", info.key, DETECTOR)
            if found is not None:
                texts.append(found.by_thread[THREAD].buffer.status(0).text)
    assert len(texts) <= 1
    said = texts[0].split() if texts else []
    assert said == [f"w{seq}" for seq in range(1, len(said) + 1)]
    assert len(said) >= len(acknowledged)
    assert len(await logs_of(store)) == len(texts)


async def test_a_log_that_somebody_took_over_is_written_to_no_more(
    store: MemoryStore, clock: ManualClock, scribe: Scribe
) -> None:
    log = await scribe.begin()
    await log.committed(scribe.say(1))
    assert await take(store, "home2:1", KEY, DETECTOR) is None  # it is held
    await clock.advance(LEASE_S + 1)
    assert await text_of(store, KEY, "home2:1") == "w1"
    with pytest.raises(StoreUnavailable):
        await asyncio.gather(log.committed(scribe.say(2)), clock.settle())
    assert log.lost
    with pytest.raises(StoreUnavailable):
        await log.committed(scribe.say(3))
    assert await scribe.end() is None


async def test_a_lease_that_is_renewed_is_kept(store: MemoryStore, clock: ManualClock, scribe: Scribe) -> None:
    log = await scribe.begin()
    await log.committed(scribe.say(1))
    for _ in range(4):
        await clock.advance(LEASE_S / 2)
        await log.renew()
    assert await take(store, "home2:1", KEY, DETECTOR) is None
    assert not log.lost
    await scribe.end()


async def test_it_is_removed_when_all_of_it_is_written_and_not_before(
    store: MemoryStore, clock: ManualClock, scribe: Scribe
) -> None:
    log = await scribe.begin()
    log.add(ThreadLeft(THREAD, 1))
    assert not await log.close()
    await clock.settle()
    assert await log.close()
    await clock.advance(GATHER_S)
    assert scribe.task is not None
    assert scribe.task.done()
    assert await logs_of(store) == []


async def test_a_log_with_nothing_in_it_is_removed_by_whoever_finds_it(store: MemoryStore) -> None:
    await open_segment(store, OWNER, KEY, CLASSIC)
    assert await take(store, "home1:2", KEY, DETECTOR) is None
    assert await logs_of(store) == []


async def test_a_log_that_follows_one_that_somebody_holds_waits(
    store: MemoryStore, clock: ManualClock, scribe: Scribe
) -> None:
    log = await scribe.begin()
    await log.committed(scribe.say(1))
    await scribe.end()
    later = next_key(KEY)
    segment = await open_segment(store, OWNER, later, CLASSIC, follows=KEY)
    assert segment is not None
    await store.append(segment.lease, 1, [Draft("SPEECH_OTHER", b"")], HEAD, 0)
    held = await store.acquire(KEY, "home2:1", LEASE_S) if not await is_gone(store, "home2:1", KEY) else None
    assert held is None
    assert await take(store, "home3:1", later, DETECTOR) is None
    assert {info.key for info in await logs_of(store)} == {KEY, later}


async def test_a_log_that_cannot_be_read_is_left_as_it_is(store: MemoryStore) -> None:
    segment = await open_segment(store, OWNER, KEY, CLASSIC)
    assert segment is not None
    await store.append(segment.lease, 1, [Draft("SPEECH", b"1 00000000 []")], HEAD, 0)
    with pytest.raises(CorruptRecord):
        await take(store, "home1:2", KEY, DETECTOR)
    (info,) = await store.find(kind=LOGS)
    assert (info.last_seq, info.held) == (2, False)


async def test_a_log_that_breaks_whoever_reads_it_is_left_as_it_is(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment = await open_segment(store, OWNER, KEY, CLASSIC)
    assert segment is not None
    await store.append(
        segment.lease, 1, [to_draft([pack(ChunkTaken(THREAD, 1, Chunk("u", 1, "delta", "hello")))])], HEAD, 0
    )

    def broken(buffer: SpeechBuffer, chunk: Chunk, now_ms: int) -> list[Event]:
        raise AssertionError("a turn begins with a word")

    monkeypatch.setattr(SpeechBuffer, "feed", broken)
    with pytest.raises(CorruptRecord, match="a turn begins with a word"):
        await take(store, "home1:2", KEY, DETECTOR)
    (info,) = await store.find(kind=LOGS)
    assert not info.held
