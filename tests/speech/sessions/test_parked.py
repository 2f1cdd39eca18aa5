"""Who has the speech of a thread: of two that want it one gets it, and who has slept overwrites nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import orjson
import pytest

from sulla.core.errors import Busy, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.speech.log.records import ThreadBrought, pack
from sulla.speech.log.segments import key_of, open_segment
from sulla.speech.sessions.parked import ParkedBuffer, ParkedBuffers
from sulla.speech.turn_taking.profile import CLASSIC
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.sealing import seal
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from tests.speech.booth import memory_store

THREAD = ThreadId("thr_1")
TTL_S = 60.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> MemoryStore:
    return await memory_store(clock)


def parked_of(store: Store, owner: str = "home1:1", *taken: str) -> ParkedBuffers:
    """Of a daemon.

    Args:
        store: where they are.
        owner: which.
        taken: keys of logs that it has taken over.
    """
    return ParkedBuffers(store, ManualClock(), owner, TTL_S, lambda thread: [key_of(owner, 1), *taken])


async def begin(store: Store, owner: str) -> ParkedBuffers:
    """A daemon that has a log."""
    assert await open_segment(store, owner, key_of(owner, 1), CLASSIC) is not None
    return parked_of(store, owner)


def asleep(store: Store) -> tuple[Store, Callable[[], None], asyncio.Event]:
    """A way to the store that stands still just before each swap until it is woken, and says that it does."""
    stands, woken = asyncio.Event(), asyncio.Event()

    async def plan(touch: Touch) -> None:
        if touch.method == "swap" and touch.phase == "before":
            stands.set()
            await woken.wait()

    return FaultyStore(store, plan), woken.set, stands


def late(known: ThreadBrought, question: str) -> ThreadBrought:
    """The same with something in it by which it is known."""
    return replace(known, stored=replace(known.stored, question=question))


def question_of(rest: ParkedBuffer | None) -> str | None:
    """What it is known by."""
    assert rest is not None
    return rest.known.stored.question


async def test_of_twenty_that_take_a_thread_up_at_once_one_gets_it(store: MemoryStore) -> None:
    daemons = [await begin(store, f"home{number}:1") for number in range(20)]
    found = await asyncio.gather(*(one.take_up(THREAD, 0) for one in daemons), return_exceptions=True)
    taken = [number for number, one in enumerate(found) if isinstance(one, ThreadBrought)]
    refused = [one for one in found if isinstance(one, Busy)]
    assert (len(taken), len(refused)) == (1, 19)
    assert all("another daemon" in one.message and one.retry_after_s == 1.0 for one in refused)
    rest = await daemons[0].look(THREAD)
    assert rest is not None
    assert (rest.version, rest.by, rest.home) == (1, f"home{taken[0]}:1", f"home{taken[0]}")


async def test_of_many_that_want_what_was_laid_down_one_gets_it_with_all_that_is_known(store: MemoryStore) -> None:
    first = await begin(store, "home0:1")
    await first.park(late(await first.take_up(THREAD, 0), "first"), "home0:1")
    daemons = [await begin(store, f"home{number}:1") for number in range(1, 9)]
    found = await asyncio.gather(*(one.take_up(THREAD, 0) for one in daemons), return_exceptions=True)
    (taken,) = [one for one in found if isinstance(one, ThreadBrought)]
    assert (taken.version, taken.stored.question) == (2, "first")


async def test_who_slept_while_taking_up_overwrites_nothing(store: MemoryStore) -> None:
    slow, wake, stands = asleep(store)
    one, two = await begin(store, "home1:1"), await begin(store, "home2:1")
    sleeper = asyncio.ensure_future(parked_of(slow, "home1:1").take_up(THREAD, 0))
    await stands.wait()
    known = await two.take_up(THREAD, 0)
    wake()
    with pytest.raises(Busy, match="another daemon"):
        await sleeper
    rest = await one.look(THREAD)
    assert rest is not None
    assert (rest.version, rest.by) == (known.version, "home2:1")


async def test_who_slept_while_claiming_finds_that_it_is_not_there_any_more(store: MemoryStore) -> None:
    known = late(await (await begin(store, "home1:1")).take_up(THREAD, 0), "sleeper's")
    slow, wake, stands = asleep(store)
    sleeper = asyncio.ensure_future(parked_of(slow, "home1:1").claim(known, "home1:1"))
    await stands.wait()
    await store.remove(f"stream_buffer:{THREAD}")  # its time was over
    two = await begin(store, "home2:1")
    await two.take_up(THREAD, 0)
    wake()
    assert await sleeper is False
    assert question_of(await two.look(THREAD)) is None


@pytest.mark.parametrize("what", ["claim", "park"])
async def test_who_slept_while_another_home_took_its_log_over_overwrites_nothing(store: MemoryStore, what: str) -> None:
    """Also before that home has laid the thread down: nobody must think that nobody has it."""
    known = await (await begin(store, "home1:1")).take_up(THREAD, 0)
    slow, wake, stands = asleep(store)
    sleeping = parked_of(slow, "home1:1")
    act: Awaitable[object] = (
        sleeping.claim(late(known, "sleeper's"), "home1:1")
        if what == "claim"
        else sleeping.park(late(known, "sleeper's"), "home1:1")
    )
    sleeper = asyncio.ensure_future(act)
    await stands.wait()
    two = parked_of(store, "home2:1", key_of("home1:1", 1))
    assert await two.take_over(known, "home1:1") is True
    wake()
    assert await sleeper in (None, False)
    rest = await two.look(THREAD)
    assert rest is not None
    assert (rest.version, rest.by, rest.home) == (1, "home1:1", "home2")
    assert question_of(rest) is None
    assert await two.claim(late(known, "its own"), "home1:1") is True
    await two.park(late(known, "its own"), "home1:1")
    assert question_of(await two.look(THREAD)) == "its own"
    await parked_of(store, "home1:1").park(late(known, "sleeper's"), "home1:1")
    assert question_of(await two.look(THREAD)) == "its own", "nor once more"


async def test_a_log_that_is_taken_over_by_its_own_home_needs_no_note(store: MemoryStore) -> None:
    known = await (await begin(store, "home1:1")).take_up(THREAD, 0)
    heard: list[str] = []

    async def plan(touch: Touch) -> None:
        heard.append(touch.method)

    again = parked_of(FaultyStore(store, plan), "home1:2", key_of("home1:1", 1))
    assert await again.take_over(known, "home1:1") is True
    assert heard == [], "a home has one daemon at a time"
    assert await again.claim(known, "home1:1") is True


async def test_a_log_whose_thread_somebody_has_taken_up_since_has_it_no_more(store: MemoryStore) -> None:
    one, two = await begin(store, "home1:1"), await begin(store, "home2:1")
    known = await one.take_up(THREAD, 0)
    await one.park(known, "home1:1")
    third = parked_of(store, "home3:1", key_of("home1:1", 1))
    assert await third.take_over(known, "home1:1") is False, "it was parked"
    await two.take_up(THREAD, 0)
    assert await third.take_over(known, "home1:1") is False, "it is another one's"
    rest = await two.look(THREAD)
    assert rest is not None
    assert (rest.version, rest.by, rest.home) == (2, "home2:1", "home2")


async def test_what_ran_out_while_it_was_there_is_claimed_again(store: MemoryStore, clock: ManualClock) -> None:
    one, two = await begin(store, "home1:1"), await begin(store, "home2:1")
    known = await one.take_up(THREAD, 0)
    await clock.advance(TTL_S)
    assert await one.claim(known, "home1:1") is True
    await clock.advance(TTL_S)
    third = parked_of(store, "home3:1", key_of("home1:1", 1))
    assert await third.take_over(known, "home1:1") is True
    with pytest.raises(Busy):
        await two.take_up(THREAD, 0)


@pytest.mark.parametrize("what", ["take_up", "claim", "park", "take_over"])
async def test_whoever_got_no_answer_asks_again_and_nothing_is_in_the_way(store: MemoryStore, what: str) -> None:
    one = await begin(store, "home1:1")
    known = late(await one.take_up(THREAD, 0), "kept")
    if what == "take_up":
        await one.park(known, "home1:1")
    lost = 1

    async def plan(touch: Touch) -> None:
        nonlocal lost
        if touch.method == "swap" and touch.phase == "after" and lost:
            lost = 0
            raise StoreUnavailable("its answer got lost")

    shaky = parked_of(FaultyStore(store, plan), "home2:1" if what == "take_over" else "home1:1", key_of("home1:1", 1))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "take_up": lambda: shaky.take_up(THREAD, 0),
        "claim": lambda: shaky.claim(known, "home1:1"),
        "park": lambda: shaky.park(known, "home1:1"),
        "take_over": lambda: shaky.take_over(known, "home1:1"),
    }
    with pytest.raises(StoreUnavailable):
        await calls[what]()
    assert await calls[what]() is not False
    rest = await one.look(THREAD)
    assert rest is not None
    found = (rest.version, rest.by, rest.home)
    assert (
        found
        == {
            "take_up": (3, "home1:1", "home1"),  # of two attempts both have counted
            "claim": (1, "home1:1", "home1"),
            "park": (1, "", ""),
            "take_over": (1, "home1:1", "home2"),
        }[what]
    )


async def test_what_another_daemon_has_kept_is_read(store: MemoryStore) -> None:
    one = await begin(store, "home1:1")
    known = late(await one.take_up(THREAD, 0), "before")
    for by, home in (("home1:1", "home1"), ("", "")):
        kept = {"version": 7, "by": by, "known": pack(known).decode(), "home": home}
        await store.put(f"stream_buffer:{THREAD}", seal("STREAM_BUFFER", orjson.dumps(kept)))
        assert await one.look(THREAD) == ParkedBuffer(7, by, known, home)
    assert (await one.take_up(THREAD, 0)).version == 8


@pytest.mark.parametrize("value", [b"", b"nonsense", seal("STREAM_BUFFER", b"[]"), seal("STREAM_BUFFER", b'{"by": 1}')])
async def test_what_cannot_be_read_is_nobody_s(store: MemoryStore, value: bytes) -> None:
    one, two = await begin(store, "home1:1"), await begin(store, "home2:1")
    await store.put(f"stream_buffer:{THREAD}", value)
    found = await asyncio.gather(one.take_up(THREAD, 0), two.take_up(THREAD, 0), return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["Busy", "ThreadBrought"]


async def test_one_step_is_one_look_and_one_write(store: MemoryStore) -> None:
    calls: list[str] = []

    class Counted(MemoryStore):
        async def get(self, key: str) -> bytes | None:
            calls.append("get")
            return await store.get(key)

        async def swap(self, key: str, old: bytes | None, new: bytes, ttl_s: float | None = None) -> bool:
            calls.append("swap")
            return await store.swap(key, old, new, ttl_s)

    await begin(store, "home1:1")
    counted = parked_of(Counted(ManualClock(), lambda prefix: prefix), "home1:1")
    known = await counted.take_up(THREAD, 0)
    await counted.claim(known, "home1:1")
    await counted.park(known, "home1:1")
    assert calls == ["get", "swap"] * 3
