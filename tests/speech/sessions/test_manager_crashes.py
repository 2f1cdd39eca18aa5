"""Whatever happens to stores and daemons, what was acknowledged is in exactly one message."""

from __future__ import annotations

import asyncio
import os
from collections import Counter

import pytest

from sulla.core.errors import SullaError
from sulla.core.ids import ThreadId
from sulla.speech.limits import SpeechLimits
from sulla.speech.turn_taking.chunk import Chunk
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Mortal, is_kill
from sulla.testing.store import FaultyStore
from tests.kits.points import Course, Kinds, Points, each_extent, some
from tests.speech.booth import Booth, memory_store, open_booth
from tests.speech.storm import Storm

SEEDS = int(os.environ.get("SULLA_FAULT_ROUNDS", "12"))
CHANGES = ("acquire", "append", "delete", "offer", "release", "remove", "renew", "swap")
LIMITS = SpeechLimits(segment_bytes=400)
"""So that the log goes on in another one now and then."""


each_seed = pytest.mark.parametrize("seed", some(range(SEEDS), SEEDS // 4, "storms of speech"))


@each_seed
@pytest.mark.parametrize("gives_up", [False, True], ids=["sends again", "gives up"])
async def test_what_was_acknowledged_is_in_exactly_one_message(seed: int, gives_up: bool) -> None:
    await Storm(seed, gives_up=gives_up).run()


@each_seed
async def test_nor_is_anything_said_twice_by_three_daemons_that_are_spoken_to_at_once(seed: int) -> None:
    """Everybody goes to another daemon when one does not take their words, and daemons sleep in mid-step."""
    await Storm(seed, together=3).run()


async def overlap(booth: Booth, thread: ThreadId, began_s: float, acknowledged: set[tuple[str, int]]) -> None:
    """Two turns with a silence between them that the first is laid down in, over any number of daemons."""
    said = [
        (0.0, Chunk("u1", 1, "cumulative", "a1")),
        (0.1, Chunk("u1", 2, "cumulative", "a1 a2")),
        (0.2, Chunk("u1", 3, "delta", "a3")),
        (0.3, Chunk("u1", 4, "final", "a1 a2 a3")),
        (1.0, Chunk("u2", 1, "delta", "b1")),
        (1.1, Chunk("u2", 2, "delta", "b2")),
        (40.0, Chunk("u2", 3, "final", "b1 b2 b3")),
    ]
    for at_s, chunk in said:
        if (chunk.utterance_id, chunk.seq) in acknowledged:
            continue
        await booth.clock.sleep(began_s + at_s - booth.clock.elapsed())
        await booth.manager.add_speech_chunk(thread, chunk)
        acknowledged.add((chunk.utterance_id, chunk.seq))


async def live(booth: Booth, clock: ManualClock, threads: list[ThreadId], done: list[set[tuple[str, int]]]) -> None:
    """A daemon until it dies, or all is said."""
    began_s = 1000.0
    running = asyncio.ensure_future(booth.manager.run())
    talks = [asyncio.ensure_future(overlap(booth, *one)) for one in zip(threads, [began_s] * 2, done, strict=True)]
    for step_s in (0.2,) * 10 + (4.0,) * 20:
        await clock.advance(step_s)
        if running.done() or any(one.done() and one.exception() is not None for one in talks):
            break
    for task in (running, *talks):
        task.cancel()
    ends = await asyncio.gather(running, *talks, return_exceptions=True)
    ends = [end for end in ends if not isinstance(end, SullaError) or not end.retryable]  # clients try again
    assert not [end for end in ends if isinstance(end, BaseException) and not is_kill(end)], ends


async def died_at(nth: int, *, after: bool, home: str) -> bool:
    """Die there, have somebody else go on, and look at what came of it; whether it died."""
    clock = ManualClock()
    store = await memory_store(clock)
    people = Booth(store, clock, "people:1")
    threads = [await people.thread(name) for name in ("one", "two")]
    done: list[set[tuple[str, int]]] = [set(), set()]
    mortal = Mortal(store, nth, after=after, changes=CHANGES)
    await live(Booth(mortal, clock, "home1:1", LIMITS), clock, threads, done)  # type: ignore[arg-type]  # it keeps the promise by passing on
    if mortal.dead:
        await again(store, clock, home, threads, done)
    for thread in threads:
        words = Counter(" ".join(await people.texts(thread)).split())
        assert words == Counter(["a1", "a2", "a3", "b1", "b2", "b3"]), (nth, after, home, words)
    assert await store.find(kind="speech") == []
    return mortal.dead


async def again(
    store: MemoryStore, clock: ManualClock, home: str, threads: list[ThreadId], done: list[set[tuple[str, int]]]
) -> None:
    """The next daemon: of the same home at once, of another one when the first one's leases have run out."""
    if home != "home1":
        await clock.advance(31.0)
    async with open_booth(store, clock, f"{home}:2", LIMITS) as booth:
        async with asyncio.TaskGroup() as group:
            for one in zip(threads, [1000.0] * 2, done, strict=True):
                group.create_task(overlap(booth, *one))
            group.create_task(clock.advance(60.0))
        await clock.advance(60.0)


async def undisturbed() -> list[Kinds]:
    """What each change of the store is when nobody dies."""
    clock, course = ManualClock(), Course(CHANGES)
    store = await memory_store(clock)
    people = Booth(store, clock, "people:1")
    threads = [await people.thread(name) for name in ("one", "two")]
    await live(Booth(FaultyStore(store, course), clock, "home1:1", LIMITS), clock, threads, [set(), set()])
    assert len(course.kinds) > 29, "the overlap changes the store more often than that"
    return course.kinds


@each_extent
@pytest.mark.parametrize("home", ["home1", "home2"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_death_at_any_change_of_the_store_loses_and_doubles_nothing(
    after: bool, home: str, points: Points
) -> None:
    for nth in points(await undisturbed(), f"speech, {after=}, {home}"):
        assert await died_at(nth, after=after, home=home)
