"""Every entry of every thread is handed on once, in order, whatever fails; and one thread's trouble is its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.store.memory import MemoryStore
from sulla.store.values import LogInfo
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads import follower
from sulla.threads.follower import LogConsumer, LogCursor, LogFollower
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import ThreadCreated
from sulla.threads.pending import Intervals
from sulla.threads.store import ThreadStore
from tests.threads.rounds import round_of

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
PAGE = 3


class Disk:
    """What outlives a consumer: what was taken, together with how far."""

    def __init__(self) -> None:
        self.taken: list[tuple[ThreadId, int, int]] = []
        """Each with when its thread was made."""
        self.fails: Callable[[ThreadId], Exception | None] = lambda thread_id: None

    def position(self, info: LogInfo) -> int:
        return max(
            (seq for key, made_ms, seq in self.taken if (key, made_ms) == (info.key, info.created_ms)), default=0
        )


class Consumer(LogConsumer):
    def __init__(self, disk: Disk, threads: ThreadStore) -> None:
        self.disk = disk
        self.threads = threads
        self.wants = True
        self.is_open = False
        self.dropped: list[ThreadId] = []
        self.sweeps = 0
        self.looked: list[str] = []
        self.on_look: Callable[[str], object] = lambda key: None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        self.is_open = True
        try:
            yield
        finally:
            self.is_open = False

    async def begin(self) -> bool:
        return self.wants

    async def behind(self, page: Sequence[LogInfo], after: str, *, last: bool) -> Sequence[LogInfo]:
        assert after < page[0].key if page else last
        return [info for info in page if info.last_seq > self.disk.position(info)]

    async def swept(self) -> None:
        self.sweeps += 1

    async def gone(self, thread_id: ThreadId) -> None:
        self.dropped.append(thread_id)

    async def cursor(self, thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        info = info or (await self.threads.get(thread_id))[0]
        self.looked.append(info.key)
        self.on_look(info.key)
        if info.last_seq == self.disk.position(info):
            return None

        async def take(page: list[Entry]) -> None:
            if (error := self.disk.fails(ThreadId(info.key))) is not None:
                raise error
            self.disk.taken += [(ThreadId(info.key), info.created_ms, entry.seq) for entry in page]

        return LogCursor(self.disk.position(info), take)


class Home:
    """Threads, and what follows them: nothing of it but `disk` is left after `boot`."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.store, self.clock = store, clock
        self.provider = ScriptedProvider()
        self.world = World(store, self.provider, clock=clock)
        self.disk = Disk()
        self.boot()

    def boot(self) -> None:
        self.consumer = Consumer(self.disk, self.world.threads)
        self.follower = LogFollower(
            "copy",
            self.consumer,
            self.world.threads,
            self.store,
            self.clock,
            intervals=Intervals(sweep_s=100.0, idle_s=7.0, retry_s=(1.0, 5.0), linger_s=0.0),
            page=PAGE,
        )

    async def turn(self, thread_id: ThreadId | None = None) -> ThreadId:
        thread_id = thread_id or await self.world.thread()
        self.provider.add(DONE)
        await self.world.ask(thread_id, "hello")
        return thread_id

    async def catch_up(self) -> bool:
        return await round_of(self.follower, self.clock)

    async def settle(self, holds: Callable[[], bool], step_s: float = follower.BREATH_S) -> None:
        async with asyncio.timeout(60):
            while not holds():
                await self.clock.advance(step_s)

    async def check(self) -> None:
        """Every entry was taken once, in the order of its log."""
        infos = await self.store.find(kind="thread", limit=1000)
        for info in infos:
            seqs = [seq for key, made_ms, seq in self.disk.taken if (key, made_ms) == (info.key, info.created_ms)]
            assert seqs == list(range(1, info.last_seq + 1))

    @property
    def state(self) -> object:
        return self.follower.status()["copy"]


@pytest.fixture
async def home(manual_clock: ManualClock) -> AsyncIterator[Home]:
    store = MemoryStore(manual_clock, lambda prefix: f"{prefix}_mem")
    await store.open()
    yield Home(store, manual_clock)
    await store.close()


async def test_what_was_missed_is_found_page_by_page(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_THREADS", 2)
    for _ in range(5):
        await home.turn()
    assert home.state == "behind"
    assert await home.catch_up()
    await home.check()
    assert (home.state, home.consumer.sweeps) == ("up to date", 1)
    home.consumer.looked.clear()
    home.boot()
    assert await home.catch_up()
    assert home.consumer.looked == []


async def test_who_was_woken_is_read_on_and_nobody_else(home: Home) -> None:
    first, second = await home.turn(), await home.turn()
    await home.catch_up()
    home.consumer.looked.clear()
    await home.turn(first)
    await home.turn(second)
    home.follower.wake(second)
    assert home.state == "behind"
    assert await home.catch_up()
    assert home.consumer.looked == [second]
    home.follower.wake(first)
    await home.catch_up()
    await home.check()


async def test_what_was_just_woken_does_not_wait_for_all_that_is_old(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_THREADS", 2)
    threads = sorted([await home.turn() for _ in range(6)])

    def look(key: str) -> None:
        if key == threads[0]:
            home.follower.wake(threads[5])

    home.consumer.on_look = look
    await home.catch_up()
    assert home.consumer.looked.index(threads[5]) == 2
    await home.check()


@pytest.mark.parametrize("after", range(9))
async def test_killed_at_any_page_the_next_one_goes_on_from_there(home: Home, after: int) -> None:
    thread_id = await home.turn()
    for _ in range(2):
        await home.turn(thread_id)
    await home.turn()
    count = 0

    def fails(thread_id: ThreadId) -> Exception | None:
        nonlocal count
        count += 1
        return asyncio.CancelledError() if count == after + 1 else None  # type: ignore[return-value]  # as a kill

    home.disk.fails = fails
    dying = asyncio.ensure_future(home.follower.catch_up())
    await home.settle(dying.done)
    assert count <= after or dying.cancelled()
    home.boot()
    await home.catch_up()
    await home.check()


async def test_a_deleted_thread_is_told_whether_it_was_woken_or_is_found_gone(home: Home) -> None:
    woken, read = await home.turn(), await home.turn()
    await home.catch_up()
    await home.world.threads.delete(woken)
    home.follower.wake(woken)
    await home.catch_up()
    assert home.consumer.dropped == [woken]

    home.disk.fails = lambda thread_id: NotFound("gone just now")
    await home.turn(read)
    home.follower.wake(read)
    assert await home.catch_up()
    assert home.consumer.dropped == [woken, read]


async def test_another_log_under_a_known_id_is_read_from_its_beginning(home: Home) -> None:
    thread_id = await home.world.threads.create(ThreadCreated("sulla"), "request")
    await home.turn(thread_id)
    await home.catch_up()
    before = len(home.disk.taken)
    await home.world.threads.delete(thread_id)
    await home.clock.advance(1)
    assert await home.world.threads.create(ThreadCreated("sulla"), "request") == thread_id
    home.follower.wake(thread_id)
    await home.catch_up()
    assert [seq for _, _, seq in home.disk.taken[before:]] == [1]


async def test_a_cursor_that_goes_back_has_the_log_read_again_from_there(home: Home) -> None:
    thread_id = await home.turn()
    handed: list[list[int]] = []

    async def take(page: list[Entry]) -> int | None:
        handed.append([entry.seq for entry in page])
        return None if len(handed) > 1 else 0

    async def cursor(thread_id: ThreadId, info: LogInfo | None) -> LogCursor:
        return LogCursor(4, take)

    home.consumer.cursor = cursor  # type: ignore[method-assign]  # in its place
    await home.catch_up()
    last_seq = (await home.world.threads.get(thread_id))[0].last_seq
    assert handed[0][0] == 5
    assert [seq for page in handed[1:] for seq in page] == list(range(1, last_seq + 1))


# -------------------------------------------------------------------------------------------------------- trouble


@pytest.mark.parametrize("error", [CorruptRecord("record 3"), RecursionError("too deep")])
async def test_a_thread_that_cannot_be_taken_is_told_once_and_keeps_nobody_back(
    home: Home, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = await home.turn(), await home.turn()
    home.disk.fails = lambda thread_id: error if thread_id == bad else None
    for _ in range(2):
        home.follower.wake(bad)
        assert await home.catch_up()
    assert home.follower.status() == {"copy": "up to date", "copy_error": "", "copy_unreadable": [bad]}
    assert home.consumer.sweeps == 0  # so the next start finds what was not taken of it
    assert {thread_id for thread_id, _, _ in home.disk.taken} == {good}
    assert len(caplog.records) == 1
    assert (caplog.records[0].exc_info is None) == isinstance(error, CorruptRecord)
    await home.world.threads.delete(bad)
    home.follower.wake(bad)
    await home.catch_up()
    assert home.follower.status()["copy_unreadable"] == []


async def test_no_more_than_so_many_are_remembered_as_unreadable(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "MAX_UNREADABLE", 1)
    for _ in range(2):
        await home.turn()
    home.disk.fails = lambda thread_id: CorruptRecord("record 3")
    await home.catch_up()
    assert len(home.consumer.looked) == 2
    unreadable = home.follower.status()["copy_unreadable"]
    assert isinstance(unreadable, list)
    assert len(unreadable) == 1


@pytest.mark.parametrize("error", [StoreUnavailable("away"), ZeroDivisionError("away")])
async def test_a_failed_round_is_told_once_and_tried_again_ever_later(
    home: Home, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    find, asked = home.store.find, list[float]()
    away = True

    async def failing(**question: object) -> list[LogInfo]:
        asked.append(home.clock.elapsed())
        if away:
            raise error
        return await find(**question)  # type: ignore[arg-type]  # as it was asked

    home.store.find = failing  # type: ignore[method-assign]  # in its place
    thread_id = await home.turn()
    running = asyncio.ensure_future(home.follower.run())
    await home.settle(lambda: len(asked) == 4, 0.5)
    assert [round(b - a) for a, b in pairwise(asked)] == [1, 5, 5]
    assert (home.state, home.follower.error) == ("failing", "away")
    home.follower.wake(thread_id)  # no reason to try sooner
    await home.clock.advance(1)
    assert len(asked) == 4
    away = False
    await home.settle(lambda: home.state == "up to date")
    told = [record.getMessage() for record in caplog.records if record.exc_info is None]
    assert told == [
        "the copy cannot be written: away; turns go on, and it catches up later",
        "the copy is written again",
    ]
    await home.check()
    stopping = asyncio.ensure_future(home.follower.stop(10.0))
    await home.settle(running.done)
    await stopping


async def test_while_nobody_wants_anything_nothing_is_read_and_then_everything_is_looked_through(home: Home) -> None:
    home.consumer.wants = False
    thread_id = await home.turn()
    home.follower.wake(thread_id)
    running = asyncio.ensure_future(home.follower.run())
    await home.settle(lambda: home.state == "up to date")
    assert home.consumer.looked == []
    home.consumer.wants = True
    await home.clock.advance(6)
    assert home.consumer.looked == []
    await home.clock.advance(1)
    await home.settle(lambda: home.consumer.sweeps == 1)
    await home.check()
    running.cancel()
    await asyncio.wait([running])


# ---------------------------------------------------------------------------------------------------------- an end


async def test_it_looks_by_itself_now_and_then_and_reads_what_is_woken_before_it_stops(home: Home) -> None:
    running = asyncio.ensure_future(home.follower.run())
    await home.settle(lambda: home.state == "up to date" and home.consumer.is_open)
    unseen = await home.turn()
    await home.clock.advance(99)
    assert home.disk.taken == []
    await home.settle(lambda: bool(home.disk.taken))
    home.follower.wake(await home.turn(unseen))
    stopping = asyncio.ensure_future(home.follower.stop(10.0))
    await home.settle(stopping.done)
    assert not home.consumer.is_open
    await running
    await home.check()


async def test_a_stop_leaves_what_is_old_for_the_next_start(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_THREADS", 1)
    for _ in range(4):
        await home.turn()
    stopping: list[asyncio.Future[None]] = []
    home.consumer.on_look = lambda key: stopping.append(asyncio.ensure_future(home.follower.stop(10.0)))
    running = asyncio.ensure_future(home.follower.run())
    await home.settle(running.done)
    await asyncio.wait(stopping)
    assert (len(home.consumer.looked), home.state, home.consumer.sweeps) == (1, "up to date", 0)


async def test_a_stop_waits_no_longer_than_it_may(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await home.turn()
    never = asyncio.Event()

    async def cursor(thread_id: ThreadId, info: LogInfo | None) -> LogCursor | None:
        home.consumer.looked.append(thread_id)
        await never.wait()
        return None

    home.consumer.cursor = cursor  # type: ignore[method-assign]  # in its place
    running = asyncio.ensure_future(home.follower.run())
    await home.settle(lambda: bool(home.consumer.looked))
    stopping = asyncio.ensure_future(home.follower.stop(2.0))
    await home.clock.advance(1.9)
    assert not stopping.done()
    await home.clock.advance(0.2)
    await stopping
    await asyncio.wait([running])
    assert running.cancelled()
    assert not home.consumer.is_open
    assert [record.getMessage() for record in caplog.records] == ["the copy is behind; it catches up at the next start"]
