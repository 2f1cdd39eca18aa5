"""One held lease: what is written is what was folded, also through outages, cancellation and take-over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import StaleLease, StoreUnavailable
from sulla.core.event import Progress, TextShown
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.daemon.thread_schema import thread_schema
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate
from sulla.testing.store import FaultyStore, Touch
from sulla.threads.bounds import ThreadLimits
from sulla.threads.bus import LiveSignal, LogAdvanced, channel, live_channel, unpack
from sulla.threads.log.records import Input, Outcome, Reminder, RunFinished, RunStarted, ThreadCreated
from sulla.threads.session import ThreadSession
from sulla.threads.store import ThreadStore


class Plan:
    """Decides what happens to each append."""

    def __init__(self) -> None:
        self.down = False
        self.lose_answer = False
        self.gate: Gate | None = None
        self.tries = 0

    async def __call__(self, touch: Touch) -> None:
        if touch.method != "append":
            return
        if touch.phase == "before":
            self.tries += 1
            if self.down:
                raise StoreUnavailable("down")
            if self.gate is not None:
                await self.gate.pass_through()
        elif self.lose_answer:
            self.lose_answer = False
            raise StoreUnavailable("the answer got lost")


class Scene:
    """A thread with a waiting message, and a session on it."""

    def __init__(self, clock: ManualClock, inner: MemoryStore, plan: Plan, threads: ThreadStore) -> None:
        self.clock, self.inner, self.plan, self.threads = clock, inner, plan, threads
        self.thread = ThreadId("")
        self.session: ThreadSession

    async def begin(self) -> None:
        self.thread = await self.threads.create(ThreadCreated("sulla"))
        await self.threads.send(self.thread, Input(MessageId("m"), "hi"))
        session = await self.threads.attend(self.thread)
        assert session is not None
        self.session = session

    async def kinds(self) -> list[str]:
        return [record.kind for record in await self.inner.read(self.thread)]


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    clock = ManualClock()
    inner = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await inner.open()
    plan = Plan()
    numbers = iter(range(1000))
    threads = ThreadStore(
        FaultyStore(inner, plan),
        clock,
        lambda prefix: f"{prefix}_{next(numbers)}",
        "one:1",
        thread_schema(lambda message: 1),
        ThreadLimits(lease_ttl_s=30.0),
    )
    made = Scene(clock, inner, plan, threads)
    await made.begin()
    yield made
    await inner.close()


START = RunStarted(2, MessageId("m"))


def reminder(number: int) -> Reminder:
    return Reminder(MessageId(f"r{number}"), "continue", "Continue.")


async def test_noted_facts_are_kept_with_the_next_commit_in_one_write(scene: Scene) -> None:
    scene.session.note(START)
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT"]
    await scene.session.commit(reminder(1))
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED", "REMINDER"]
    assert scene.plan.tries == 1


async def test_what_could_not_be_read_back_is_neither_folded_in_nor_kept(scene: Scene) -> None:
    scene.session.note(START)
    with pytest.raises(ValueError, match=r"RunFinished\.run_id: expected str, found 7"):
        scene.session.note(RunFinished(7, Outcome("done")))  # type: ignore[arg-type]  # that is the point
    assert scene.session.state.run is not None
    await scene.session.commit()
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED"]


async def test_an_answer_that_got_lost_is_asked_for_again_and_nothing_is_doubled(scene: Scene) -> None:
    scene.plan.lose_answer = True
    async with asyncio.TaskGroup() as group:
        group.create_task(scene.session.commit(START))
        await scene.clock.advance(1)
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED"]
    assert scene.plan.tries == 2


async def test_an_outage_is_waited_out(scene: Scene) -> None:
    scene.plan.down = True
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(scene.session.commit(START))
        await scene.clock.advance(5)
        assert not writing.done()
        scene.plan.down = False
        await scene.clock.advance(2)
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED"]


async def test_an_outage_longer_than_the_lease_gives_up(scene: Scene) -> None:
    scene.plan.down = True
    writing = asyncio.ensure_future(scene.session.commit(START))
    await scene.clock.advance(40)
    with pytest.raises(StoreUnavailable):
        await writing


async def test_nothing_is_written_behind_a_write_that_may_be_missing(scene: Scene) -> None:
    scene.plan.down = True
    writing = asyncio.ensure_future(scene.session.commit(START))
    await scene.clock.advance(40)
    with pytest.raises(StoreUnavailable):
        await writing
    scene.plan.down = False
    with pytest.raises(StoreUnavailable, match="an earlier write of this lease was not kept"):
        await scene.session.commit(reminder(1))
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT"]


async def test_a_write_that_has_begun_is_finished_though_its_task_is_cancelled(scene: Scene) -> None:
    scene.plan.gate = Gate()
    writing = asyncio.ensure_future(scene.session.commit(START))
    await scene.plan.gate.reached()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    scene.plan.gate.open()
    await scene.session.release()
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED"]


async def test_commits_side_by_side_keep_their_order(scene: Scene) -> None:
    await scene.session.commit(START)
    await asyncio.gather(*(scene.session.commit(reminder(number)) for number in range(10)))
    ids = [message.id for message in scene.session.state.context.transcript][1:]
    loaded = await scene.threads.load(scene.thread)
    assert loaded is not None
    assert [message.id for message in loaded.context.transcript][1:] == ids
    assert len(await scene.inner.read(scene.thread)) == 13


async def test_inputs_that_came_between_two_writes_are_folded_in(scene: Scene) -> None:
    await scene.session.commit(START)
    await scene.threads.send(scene.thread, Input(MessageId("late"), "and this"))
    await scene.session.commit(reminder(1))
    assert [item.text for item in scene.session.state.inbox.waiting.values()] == ["and this"]
    assert scene.session.seen_seq == 5


async def test_what_was_written_is_heard_with_its_number_in_the_log(scene: Scene) -> None:
    """Also where an input came in between, which whoever wrote has not seen."""
    await scene.threads.send(scene.thread, Input(MessageId("between"), "wait"))
    async with scene.inner.subscribe(channel(scene.thread)) as heard:
        await scene.session.commit(START, reminder(1))
        signal = unpack(await anext(aiter(heard)))
    assert isinstance(signal, LogAdvanced)
    assert signal.written is not None
    assert signal.written.entries() == await scene.threads.entries(scene.thread, after=signal.seq - 2)
    assert [entry.kind for entry in signal.written.entries()] == [START.kind, reminder(1).kind]


async def test_whoever_lost_the_lease_writes_and_shows_nothing_more(scene: Scene) -> None:
    await scene.session.commit(START)
    await scene.clock.advance(31)
    assert await scene.inner.acquire(scene.thread, "two:1", 30.0) is not None
    async with scene.inner.subscribe(live_channel(scene.thread)) as heard:
        scene.session.emit(RunId("run"), "sulla", TextShown(MessageId("a"), 0, "ghost"))
        with pytest.raises(StaleLease):
            await scene.session.commit(reminder(1))
        assert scene.session.lost
        scene.inner.publish(live_channel(scene.thread), b'{"seq":99}')
        assert await anext(aiter(heard)) == b'{"seq":99}'
    assert await scene.kinds() == ["THREAD_CREATED", "INPUT", "RUN_STARTED"]


async def test_the_lease_is_renewed_until_it_is_given_back(scene: Scene) -> None:
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(scene.session.keep_alive())
        await scene.clock.advance(300)
        assert scene.session.live
        info = await scene.inner.head(scene.thread)
        assert info is not None
        assert info.held
        await scene.session.release()
        await scene.clock.advance(30)
        assert keeping.done()


async def test_a_lease_whose_thread_took_long_to_read_is_renewed_in_time(scene: Scene) -> None:
    await scene.clock.advance(25)  # of its 30 s
    async with asyncio.TaskGroup() as group:
        group.create_task(scene.session.keep_alive())
        await scene.clock.advance(6)
        assert scene.session.live
        info = await scene.inner.head(scene.thread)
        assert info is not None
        assert info.held
        await scene.session.release()
        await scene.clock.advance(30)


async def test_a_take_over_ends_the_renewal(scene: Scene) -> None:
    await scene.clock.advance(31)
    assert await scene.inner.acquire(scene.thread, "two:1", 30.0) is not None
    keeping = asyncio.ensure_future(scene.session.keep_alive())
    await scene.clock.advance(11)
    with pytest.raises(StaleLease):
        await keeping
    assert not scene.session.live


async def test_a_long_text_is_shown_in_pieces_that_fit_the_bus(scene: Scene) -> None:
    text = "\U0001f600" * 3000
    async with scene.inner.subscribe(live_channel(scene.thread)) as heard:
        scene.session.emit(RunId("run"), "sulla", TextShown(MessageId("a"), 7, text))
        shown = ""
        async for payload in heard:
            signal = unpack(payload)
            assert isinstance(signal, LiveSignal)
            assert signal.data["offset"] == 7 + len(shown)
            shown += str(signal.data["delta"])
            if len(shown) == len(text):
                break
    assert shown == text


async def test_a_progress_note_that_is_too_long_is_left_out(scene: Scene) -> None:
    async with scene.inner.subscribe(live_channel(scene.thread)) as heard:
        scene.session.emit(RunId("run"), "sulla", Progress("c", "x" * 5000))
        scene.session.emit(RunId("run"), "sulla", Progress("c", "short"))
        signal = unpack(await anext(aiter(heard)))
    assert isinstance(signal, LiveSignal)
    assert signal.data["note"] == "short"


async def test_a_look_that_comes_after_the_lease_was_given_back_folds_nothing_in(scene: Scene) -> None:
    """A write that found inputs in between looks for them afterwards, and may be cut off. The state is the next
    session's by then, and an input that is folded in twice is answered twice.
    """
    await scene.session.commit(RunStarted(2, MessageId("m")))
    sent = await scene.threads.send(scene.thread, Input(MessageId("meanwhile"), "hello"))
    await scene.session.release()
    scene.threads.keep(scene.session)
    following = await scene.threads.attend(scene.thread)
    assert following is not None
    assert following.state is scene.session.state
    assert list(following.state.inbox.waiting) == [sent.seq]
    following.state.inbox.waiting.clear()  # a run took it up
    assert not await scene.session.pull()
    assert not following.state.inbox.waiting


async def test_nothing_may_be_started_once_the_leases_time_is_over(scene: Scene) -> None:
    scene.session.check()
    await scene.clock.advance(30.1)
    with pytest.raises(StaleLease, match="start nothing more"):
        scene.session.check()
