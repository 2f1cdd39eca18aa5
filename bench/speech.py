"""Two hundred people who speak at once: what taking it down costs of one core, beside the machine alone.

Each stream sends ten partial transcripts in a second, as recognizers do: the whole utterance so far, again and again.
What is counted is the processor time of the process in real time, less that of the senders, the least of some rounds in
which both take turns: whatever else runs adds to it, and takes nothing away. The bar is the machines' with the timer
that times their turns. Beside it stands the whole manager, which also tells clients and has each chunk acknowledged:
with its log in memory, and on SQLite with its disk, the store's thread included; and that once more where everybody
ends a turn every four seconds, which is judged, delivered and told. Then the memory of a thousand threads in
mid-utterance, and whole daemons with clients at their sockets (`bench.speech_wire`).
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Final

from bench import speech_wire
from bench.frame import Frame, Row
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.host.system import SystemClock, random_id
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.english_detector import EnglishDetector
from sulla.speech.limits import SpeechLimits
from sulla.speech.log.log import SpeechLog
from sulla.speech.log.segments import Segment
from sulla.speech.log.thread_speech import ThreadSpeech
from sulla.speech.sessions.buffer_clock import BufferClock
from sulla.speech.sessions.manager import StreamBufferManager
from sulla.speech.sessions.session import SpeechSession
from sulla.speech.sessions.timer import SessionTimer
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile
from sulla.store.memory import MemoryStore
from sulla.store.sqlite.store import SqliteStore
from sulla.store.values import Lease
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.records import ThreadCreated
from sulla.threads.store import ThreadStore

NAME = "speech"

ENGLISH: Final = EnglishDetector(Vocabulary())

STREAMS: Final = 200
HZ: Final = 10
ROUND_S: Final = 1.5
ROUNDS: Final = 4
BAR_ROUNDS: Final = 10
BAR: Final = 0.05
"""Of one core."""
LIVE: Final = 1_000
LIVE_BAR_MIB: Final = 64.0
WORDS: Final = (
    "could you please look up when the next train to the harbour leaves and tell me whether there is still a seat by "
    "the window because I would like to look at the sea on the way back home tonight"
).split()
_UTTERANCE: Final = 40
"""Chunks of an utterance; then half a second of silence."""
_SILENCE: Final = 5

Send = Callable[[ThreadId, Chunk], Awaitable[object]]
Speech = Callable[[int], Iterator[Chunk | None]]


def chunks(number: int) -> Iterator[Chunk | None]:
    """What a stream sends at each tenth of a second; None where it is silent.

    Args:
        number: where in an utterance it begins, so that not all end theirs at once.
    """
    said, at = 0, number % _UTTERANCE
    while True:
        while at < _UTTERANCE:
            text = " ".join(WORDS[: at * len(WORDS) // _UTTERANCE + 1])
            yield Chunk(f"u{said}", at, "final" if at == _UTTERANCE - 1 else "cumulative", text)
            at += 1
        for _ in range(_SILENCE):
            yield None
        said, at = said + 1, 0


def endless(number: int) -> Iterator[Chunk | None]:
    """The same without an end: a longer utterance, and only the words so far."""
    for at in count():
        yield Chunk("u", at, "cumulative", f"{number} " + " ".join(WORDS[: at % _UTTERANCE * len(WORDS) // _UTTERANCE]))


def run(frame: Frame) -> list[Row]:
    """One run of each; the rounds of the frame don't apply to what takes its time by the clock."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    rows: list[Row] = []
    names = [ThreadId(f"t{number}") for number in range(STREAMS)]
    for profile in (CLASSIC, ADAPTIVE):
        async with _machines(profile) as feed:
            took, _ = await _cheapest(feed, names, endless, BAR_ROUNDS)
        rows.append(_row(f"{profile.name}: machines and their alarm", took, promised=True))
        for where, file, speech in (
            ("log in memory", None, endless),
            ("sqlite", folder / f"{profile.name}.db", endless),
            ("sqlite, turns delivered", folder / f"{profile.name}-turns.db", chunks),
        ):
            async with _manager(file, profile) as (manager, threads):
                took, loop = await _cheapest(manager.add_speech_chunk, await _threads(threads, STREAMS), speech)
            rows.append(_row(f"{profile.name}: the manager, {where}", took))
            rows.append(Row("- of it, in the loop", 100 * loop, "% of a core"))
            talking = 1.0 if speech is endless else _UTTERANCE / (_UTTERANCE + _SILENCE)
            rows.append(Row("- one chunk", 1e6 * took / (STREAMS * HZ * talking), "us"))
    rows.append(await _memory(folder / "memory.db"))
    rows += await speech_wire.rows(folder, WORDS)
    return rows


def _row(name: str, took: float, *, promised: bool = False) -> Row:
    bar = 1.0 if promised else None
    return Row(name, 100 * took, "% of a core", took / BAR, f"{BAR:.0%}", bar, ok=not promised or took <= BAR)


async def _cheapest(
    send: Send, names: list[ThreadId], speech: Speech, rounds_of_each: int = ROUNDS
) -> tuple[float, float]:
    """What it adds to the senders, of the process and of the loop's thread: the least of some rounds of each."""
    await _share(send, names, speech, 1.0)  # every stream gets its session
    rounds = [
        (await _share(_nothing, names, speech, ROUND_S), await _share(send, names, speech, ROUND_S))
        for _ in range(rounds_of_each)
    ]
    alone, loop_alone = (min(nothing[part] for nothing, _ in rounds) for part in (0, 1))
    took, loop = (min(something[part] for _, something in rounds) for part in (0, 1))
    return took - alone, loop - loop_alone


async def _share(send: Send, names: list[ThreadId], speech: Speech, seconds: float) -> tuple[float, float]:
    """Processor time over time while all streams send: of the process, and of the loop's thread."""
    begun, worked, looped = time.perf_counter(), time.process_time(), time.thread_time()
    async with asyncio.TaskGroup() as group:
        for number, name in enumerate(names):
            group.create_task(_stream(send, name, speech(number), begun + number / STREAMS / HZ, begun + seconds))
    took = time.perf_counter() - begun
    return (time.process_time() - worked) / took, (time.thread_time() - looped) / took


async def _stream(send: Send, name: ThreadId, speech: Iterator[Chunk | None], at_s: float, until_s: float) -> None:
    prefix = f"{at_s}."
    for chunk in speech:
        at_s += 1 / HZ
        if at_s > until_s:
            return
        await asyncio.sleep(max(0.0, at_s - time.perf_counter()))
        if chunk is not None:
            await send(name, Chunk(prefix + chunk.utterance_id, chunk.seq, chunk.kind, chunk.text))


async def _nothing(thread_id: ThreadId, chunk: Chunk) -> None:
    """Takes it, and that is all."""


@asynccontextmanager
async def _machines(profile: Profile) -> AsyncIterator[Send]:
    clock = SystemClock()
    buffer_clock = BufferClock(clock)
    timer = SessionTimer(clock, buffer_clock, lambda session: _tick(session.speech.buffer, buffer_clock))
    unused = SpeechLog(
        MemoryStore(clock, random_id),
        clock,
        "home:1",
        Segment("s", Lease("s", "home:1", 1, 30.0), profile),
        lambda _: [],
    )
    sessions: dict[ThreadId, SpeechSession] = {}

    async def feed(thread_id: ThreadId, chunk: Chunk) -> None:
        if (session := sessions.get(thread_id)) is None:
            session = sessions[thread_id] = SpeechSession(ThreadSpeech(thread_id, profile, ENGLISH), unused, 0.0)
        session.speech.buffer.feed(chunk, buffer_clock.now_ms())
        timer.arm(session)

    task = asyncio.create_task(timer.run())
    yield feed
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _tick(buffer: SpeechBuffer, buffer_clock: BufferClock) -> None:
    buffer.tick(buffer_clock.now_ms())


@asynccontextmanager
async def _manager(file: Path | None, profile: Profile) -> AsyncIterator[tuple[StreamBufferManager, ThreadStore]]:
    clock = SystemClock()
    store = MemoryStore(clock, random_id) if file is None else SqliteStore(file, clock, random_id)
    await store.open()
    try:
        threads = ThreadStore(store, clock, random_id, "home:1", THREAD_SCHEMA, ThreadLimits())
        limits = SpeechLimits(profile)
        manager = StreamBufferManager(store, threads, clock, "home:1", lambda thread_id: None, limits)
        task = asyncio.create_task(manager.run())
        yield manager, threads
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    finally:
        await store.close()


async def _threads(threads: ThreadStore, number: int) -> list[ThreadId]:
    return [await threads.create(ThreadCreated("sulla")) for _ in range(number)]


async def _memory(file: Path) -> Row:
    async with _manager(file, CLASSIC) as (manager, threads):
        names = await _threads(threads, LIVE)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(_speak(manager, name))
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    mib = (after - before) / 2**20
    return Row(
        f"{LIVE:,} threads in mid-utterance",
        mib,
        "MiB",
        mib / LIVE_BAR_MIB,
        f"{LIVE_BAR_MIB:g} MiB",
        1.0,
        ok=mib <= LIVE_BAR_MIB,
    )


async def _speak(manager: StreamBufferManager, name: ThreadId) -> None:
    for at in range(1, len(WORDS)):
        await manager.add_speech_chunk(name, Chunk("u", at, "cumulative", " ".join(WORDS[:at])))
