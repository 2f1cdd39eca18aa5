"""A thread from a file is in the store as it was, or not at all; and nothing of it is done twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from operator import attrgetter
from typing import Any

import pytest

from sulla.core.errors import Conflict, InvalidInput, MessageIdReused, QueueFull, StoreUnavailable
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.daemon.thread_schema import thread_schema
from sulla.speech.slice import Overheard
from sulla.store.base import Store
from sulla.store.memory import MemoryStore
from sulla.store.values import Record
from sulla.testing.clock import ManualClock
from sulla.testing.store import FaultyStore, Touch
from sulla.threads.archive.lines import Sealer, event_of
from sulla.threads.archive.restore import Restored, ThreadRestore, undo_half_import
from sulla.threads.bounds import ThreadLimits
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.records import (
    Answer,
    Continued,
    Decision,
    Input,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    Stopped,
    Suspended,
    TextMessageEnd,
    ThreadCreated,
)
from sulla.threads.log.spoken import BargedIn, Heard, Spoken
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.threads.store import ThreadStore

SCHEMA = thread_schema(lambda message: 10)
OWNER = "home:boot"


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    """Where threads come from."""
    async for made in opened():
        yield made


@pytest.fixture
async def other() -> AsyncIterator[MemoryStore]:
    """Where they go."""
    async for made in opened():
        yield made


async def opened() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


def threads_of(store: Store, boot: int = 1, **limits: int) -> ThreadStore:
    clock = ManualClock()
    clock.jump(boot * 60)
    bounds = ThreadLimits(**limits)  # type: ignore[arg-type]  # fields by name
    return ThreadStore(store, clock, lambda prefix: f"{prefix}_{boot}", f"home:{boot}", SCHEMA, bounds)


def close(state: ThreadState, run: OpenRun, now_ms: int) -> list[Decision]:
    return [RunFinished(run.id, Outcome("cancelled", reason="imported", updated_at_ms=now_ms))]


def restore_of(store: Store) -> ThreadRestore:
    clock = ManualClock()
    clock.jump(3600)
    return ThreadRestore(store, clock, OWNER, SCHEMA, 1_000, close)


def said(text: str) -> Input:
    return Input(MessageId(f"m-{text}"), text)


async def talk(threads: ThreadStore, thread: ThreadId, *texts: str) -> None:
    for text in texts:
        sent = await threads.send(thread, said(text))
        session = await threads.attend(thread)
        assert session is not None
        call, message = CallId(f"c{sent.seq}"), MessageId(f"a{sent.seq}")
        await session.commit(
            RunStarted(sent.seq, MessageId(f"m-{text}"), "sulla", "model"), ModelStarted(call, message)
        )
        session.note(TextMessageEnd(call, message, f"answer to {text}"), RunFinished(sent.run_id, Outcome("done")))
        await session.release()


async def talked(store: Store, *texts: str) -> ThreadId:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla", "Rome", "rome"))
    await talk(threads, thread, *texts)
    return thread


async def exported(store: Store, thread: ThreadId) -> list[bytes]:
    sealer = Sealer(thread)
    events = [event_of(thread, entry) for entry in await threads_of(store).entries(thread)]
    return [sealer.first(), *map(sealer.event, events), sealer.last()]


async def restored(store: Store, lines: Iterable[bytes], *, as_new: bool = False) -> Restored:
    kept = list(lines)
    return await restore_of(store).restore(lambda: kept, copy_as=ThreadId("thr_new") if as_new else None)


async def records(store: Store, thread: ThreadId) -> list[Record]:
    return await store.read(thread, limit=10_000)


# ------------------------------------------------------------------------------------------------------- as it was


async def test_every_record_is_the_same_to_the_byte(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one", "two")
    threads = threads_of(store, 2)
    stop, resume = await threads.stop(thread, "req"), await threads.resume(thread, "req")
    session = await threads.attend(thread)
    assert session is not None
    await session.commit(Stopped(stop), Continued(resume))
    await session.release()
    await talk(threads, thread, "three")
    done = await restored(other, await exported(store, thread))
    assert done == Restored(thread, 20, fresh=True)
    assert await records(other, thread) == await records(store, thread)


@pytest.mark.parametrize("as_new", [False, True])
async def test_what_was_heard_of_the_agents_words_is_known_here_too(
    store: MemoryStore, other: MemoryStore, *, as_new: bool
) -> None:
    thread = await talked(store, "one")
    threads = threads_of(store, 2)
    (reply,) = [e.fact for e in await threads.entries(thread) if isinstance(e.fact, TextMessageEnd)]
    await threads.tell(thread, BargedIn("u1", reply.message_id), "u1")
    await threads.tell(thread, Overheard("u2", "uh-huh"), "u2")
    spoken = Spoken("u1", "final", 1.0, "sentence", 200, Heard(reply.message_id, 6))
    sent = await threads.send(thread, Input(MessageId("m-two"), "two", "steer", spoken=spoken))
    session = await threads.attend(thread)
    assert session is not None
    await session.commit(RunStarted(sent.seq, MessageId("m-two"), "sulla", "model", known_seq=sent.seq))
    session.note(RunFinished(sent.run_id, Outcome("done")))
    await session.release()
    done = await restored(other, await exported(store, thread), as_new=as_new)
    here, there = await threads.load(thread), await threads_of(other, 3).load(done.thread_id)
    assert here is not None
    assert there is not None
    assert [message.text.partition("<")[0] for message in there.context.transcript] == ["one", "answer", "two"]
    assert list(there.context.transcript) == list(here.context.transcript)
    assert there.inbox.barged == here.inbox.barged == BargedIn("u1", reply.message_id)


async def test_the_state_is_the_same_and_the_thread_is_quiet(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one", "two")
    await restored(other, await exported(store, thread))
    before, after = await threads_of(store).load(thread), await threads_of(other).load(thread)
    assert before is not None
    assert after is not None
    assert list(after.context.transcript) == list(before.context.transcript)
    of = attrgetter(*("identity", "updated_ms", "newest.outcome", "spending.usage", "inbox.waiting", "run"))
    assert of(after) == of(before)
    assert await other.find(ready=True) == []


async def test_a_message_that_comes_again_gets_its_old_run(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    first = await threads_of(store).send(thread, said("one"))
    await restored(other, await exported(store, thread))
    threads = threads_of(other)
    again = await threads.send(thread, said("one"))
    assert (again.run_id, again.seq, again.first) == (first.run_id, first.seq, False)
    with pytest.raises(MessageIdReused):
        await threads.send(thread, Input(MessageId("m-one"), "another text"))
    assert await other.find(ready=True) == []


async def test_the_thread_goes_on_where_it_was(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    await restored(other, await exported(store, thread))
    await talk(threads_of(other, 2), thread, "two")
    state = await threads_of(other, 3).load(thread)
    assert state is not None
    assert [message.text for message in state.context.transcript] == ["one", "answer to one", "two", "answer to two"]


async def test_as_many_messages_may_wait_as_in_any_thread(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one", "two")
    await threads_of(store).send(thread, said("waits"))
    await restored(other, await exported(store, thread))
    threads = threads_of(other, max_waiting=2)
    for text in ("three", "four"):
        await threads.send(thread, said(text))
    with pytest.raises(QueueFull):
        await threads.send(thread, said("five"))


# ------------------------------------------------------------------------------------------------ what was under way


async def test_a_turn_that_was_under_way_ends_and_is_not_taken_up(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    threads = threads_of(store)
    sent = await threads.send(thread, said("two"))
    session = await threads.attend(thread)
    assert session is not None
    await session.commit(RunStarted(sent.seq, MessageId("m-two"), "sulla", "model"))
    lines = await exported(store, thread)
    done = await restored(other, lines)
    assert (done.records, done.ended) == (len(lines) - 2, 1)
    assert (await records(other, thread))[: done.records] == await records(store, thread)
    *_, end = await threads_of(other).entries(thread)
    assert isinstance(end.fact, RunFinished)
    assert (end.fact.run_id, end.origin.run_id, end.fact.outcome.status) == (sent.run_id, sent.run_id, "cancelled")
    assert end.fact.outcome.reason == "imported"
    assert await other.find(ready=True) == []


async def test_a_question_that_was_open_is_nobodys_any_more(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store)
    threads = threads_of(store)
    sent = await threads.send(thread, said("one"))
    session = await threads.attend(thread)
    assert session is not None
    call = ToolCall(CallId("t1"), "send_mail", {})
    await session.commit(
        RunStarted(sent.seq, MessageId("m-one")),
        TextMessageEnd(CallId("c"), MessageId("a"), "", (call,)),
        Suspended((Wait("review:t1", call.id),)),
    )
    await session.release()
    await threads.answer(thread, Answer("review:t1", "yes", "run_again"))
    assert (await restored(other, await exported(store, thread))).ended == 1
    state = await threads_of(other).load(thread)
    assert state is not None
    assert (state.run, state.inbox.waiting, state.inbox.controls, state.walk.waiting_for_user) == (None, {}, {}, False)
    assert await other.find(ready=True) == []
    assert await other.find(status="suspended") == []


async def test_messages_that_waited_end_visibly_and_the_model_never_sees_them(
    store: MemoryStore, other: MemoryStore
) -> None:
    thread = await talked(store, "one")
    waited = [await threads_of(store).send(thread, said(text)) for text in ("two", "three")]
    assert (await restored(other, await exported(store, thread))).ended == 2
    entries = await threads_of(other).entries(thread)
    ends = {entry.origin.run_id: entry.fact for entry in entries if isinstance(entry.fact, RunFinished)}
    assert all(
        isinstance(end := ends[sent.run_id], RunFinished) and end.outcome.reason == "imported" for sent in waited
    )
    again = await threads_of(other).send(thread, said("two"))
    assert (again.run_id, again.first) == (waited[0].run_id, False)
    await talk(threads_of(other, 2), thread, "four")
    state = await threads_of(other, 3).load(thread)
    assert state is not None
    assert [message.text for message in state.context.transcript] == ["one", "answer to one", "four", "answer to four"]


# ------------------------------------------------------------------------------------------------- here already


async def test_the_same_thread_once_more_changes_nothing(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    await threads_of(store).send(thread, said("waits"))
    lines = await exported(store, thread)
    first = await restored(other, lines)
    before = await records(other, thread)
    assert await restored(other, lines) == Restored(thread, first.records, fresh=False)
    assert await records(other, thread) == before


async def test_a_thread_that_went_on_here_has_it_all_already(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, *map(str, range(60)))  # more than one page
    lines = await exported(store, thread)
    await restored(other, lines)
    await talk(threads_of(other, 2), thread, "more")
    assert not (await restored(other, lines)).fresh


async def test_a_thread_that_went_on_elsewhere_is_refused(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    await restored(other, await exported(store, thread))
    await talk(threads_of(store, 2), thread, "two")
    before = await records(other, thread)
    with pytest.raises(Conflict, match=r"differs from record 7 on: .*--as-new"):
        await restored(other, await exported(store, thread))
    assert await records(other, thread) == before


async def test_another_thread_of_the_same_id_is_refused(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    await talked(other, "two")
    with pytest.raises(Conflict, match=r"differs from record 2 on"):
        await restored(other, await exported(store, thread))


async def test_a_copy_has_runs_of_its_own_and_answers_old_messages_with_them(store: MemoryStore) -> None:
    thread = await talked(store, "one")
    done = await restored(store, await exported(store, thread), as_new=True)
    assert done.thread_id == "thr_new"
    threads = threads_of(store)
    copy, original = await threads.entries(done.thread_id), await threads.entries(thread)
    assert [entry.kind for entry in copy] == [entry.kind for entry in original]
    runs = {entry.origin.run_id for entry in copy} - {None}
    assert not runs & {entry.origin.run_id for entry in original}
    again = await threads.send(done.thread_id, said("one"))
    assert {again.run_id} == runs
    assert not again.first


# --------------------------------------------------------------------------------------------------- whole or not


async def test_a_damaged_file_writes_nothing(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one", "two")
    lines = await exported(store, thread)
    touched = list[Touch]()

    async def watch(touch: Touch) -> None:
        touched.append(touch)

    for cut in (lines[:-1], lines[:3] + lines[4:], lines[:1] + lines[-1:], []):
        with pytest.raises(InvalidInput):
            await restored(FaultyStore(other, watch), cut)
    assert touched == []


async def test_a_file_that_changes_while_it_is_read_leaves_nothing(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    versions = [await exported(store, thread)]
    await talk(threads_of(store, 2), thread, "two")
    versions.append(await exported(store, thread))
    with pytest.raises(InvalidInput, match="the file changed while it was read"):
        await restore_of(other).restore(lambda: versions.pop(0))
    assert await other.head(thread) is None


class Killed(BaseException):
    """The process is gone."""


class Mortal:
    """A store whose process dies at its n-th change, before or after it."""

    CHANGES = ("offer", "acquire", "append", "put", "remove", "delete")

    def __init__(self, inner: MemoryStore, dies_at: int, *, after: bool) -> None:
        self._inner = inner
        self._left = dies_at
        self._after = after
        self._dead = False

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self._left -= name in self.CHANGES
            self._dead = self._dead or (self._left <= 0 and not self._after)
            answer = None if self._dead else await getattr(self._inner, name)(*args, **kwargs)
            self._dead = self._dead or self._left <= 0
            if self._dead:
                raise Killed
            return answer

        return call


@pytest.mark.parametrize("after", [False, True])
async def test_killed_at_any_write_the_next_opener_finds_nothing_or_all_of_it(store: MemoryStore, after: bool) -> None:
    thread = await talked(store, "one", "two")
    await threads_of(store).send(thread, said("waits"))
    lines = await exported(store, thread)
    deaths, whole = 0, False
    while not whole:
        async for other in opened():
            try:
                await restored(Mortal(other, deaths + 1, after=after), lines)
                whole = True
            except Killed:
                deaths += 1
            assert await other.find(ready=True) == [], "nothing runs by itself, whatever there is"
            await undo_half_import(other, "home:next boot")
            left = await other.head(thread)
            if left is not None:
                assert len(await records(other, thread)) == left.last_seq == len(lines)
            again = await restored(other, lines)
            assert again.fresh is (left is None)
    assert deaths > 8, "every write was tried"


@pytest.mark.parametrize("method", ["offer", "append", "acquire"])
async def test_a_store_that_gives_up_leaves_nothing(store: MemoryStore, other: MemoryStore, method: str) -> None:
    thread = await talked(store, "one")
    failed = list[str]()

    async def fail_once(touch: Touch) -> None:
        if touch.method == method and touch.phase == "after" and not failed:
            failed.append(method)
            raise StoreUnavailable("the disk is full")

    with pytest.raises(StoreUnavailable, match="the disk is full"):
        await restored(FaultyStore(other, fail_once), await exported(store, thread))
    assert await other.head(thread) is None
    assert (await restored(other, await exported(store, thread))).fresh


async def test_an_import_that_was_finished_is_never_undone(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    await restored(other, await exported(store, thread))
    await undo_half_import(other, OWNER)
    assert await other.head(thread) is not None


async def test_the_half_import_of_another_home_is_not_ours_to_undo(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    with pytest.raises(Killed):
        await restored(Mortal(other, 4, after=True), await exported(store, thread))
    await undo_half_import(other, "elsewhere:boot")
    assert await other.head(thread) is not None
    await undo_half_import(other, "home:next boot")
    assert await other.head(thread) is None


async def test_a_run_id_of_a_message_has_to_be_the_threads_own(store: MemoryStore, other: MemoryStore) -> None:
    thread = await talked(store, "one")
    sealer = Sealer(thread)
    events = [event_of(thread, entry) for entry in await threads_of(store).entries(thread)]
    events[1]["run_id"] = RunId("run_forged")
    lines = [sealer.first(), *map(sealer.event, events), sealer.last()]
    with pytest.raises(InvalidInput, match=r"record 2 \(INPUT\): its run_id"):
        await restored(other, lines)
