"""Threads over a real store: what is offered, taken up, loaded and deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.core.errors import AlreadyAnswered, Busy, CorruptRecord, MessageIdReused, NotFound, QueueFull
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.message import Text
from sulla.daemon.thread_schema import thread_schema
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock
from sulla.threads.bounds import ThreadLimits
from sulla.threads.given_back import free_lease
from sulla.threads.log.codec import Origin, encode
from sulla.threads.log.quoted import quoted_part
from sulla.threads.log.records import (
    Answer,
    Input,
    ModelStarted,
    Outcome,
    RunFinished,
    RunStarted,
    Summary,
    TextMessageEnd,
    ThreadCreated,
)
from sulla.threads.log.spoken import Heard, Spoken
from sulla.threads.session import ThreadSession
from sulla.threads.store import ThreadStore

SCHEMA = thread_schema(lambda message: 10)


def threads_of(store: MemoryStore, boot: int = 1, **limits: int) -> ThreadStore:
    numbers = iter(range(10**6))
    return ThreadStore(
        store,
        ManualClock(),
        lambda prefix: f"{prefix}_{boot}_{next(numbers)}",
        f"home:{boot}",
        SCHEMA,
        ThreadLimits(**limits),  # type: ignore[arg-type]  # fields by name
    )


def said(text: str, message_id: str = "m1") -> Input:
    return Input(MessageId(message_id), text)


async def turn(session: ThreadSession, seq: int, text: str) -> None:
    item = session.state.inbox.waiting[seq]
    call, message = CallId(f"c{seq}"), MessageId(f"a{seq}")
    await session.commit(RunStarted(seq, item.message_id, "sulla", "model"), ModelStarted(call, message))
    session.note(TextMessageEnd(call, message, text), RunFinished(item.run_id, Outcome("done")))


async def test_a_request_id_gives_the_same_thread(store: MemoryStore) -> None:
    threads = threads_of(store)
    first = await threads.create(ThreadCreated("sulla", "title"), "req")
    assert await threads.create(ThreadCreated("sulla", "title"), "req") == first
    with pytest.raises(MessageIdReused):
        await threads.create(ThreadCreated("sulla", "another title"), "req")
    assert await threads.create(ThreadCreated("sulla"), None) != await threads.create(ThreadCreated("sulla"), None)


class _Running(ManualClock):
    """Time goes on between two looks at it."""

    def now(self) -> float:
        self._now += 0.001
        return super().now()


async def test_the_list_and_the_log_agree_on_when_a_thread_was_made(store: MemoryStore) -> None:
    threads = ThreadStore(store, _Running(), lambda prefix: f"{prefix}_1", "home:1", SCHEMA, ThreadLimits())
    thread_id = await threads.create(ThreadCreated("sulla"))
    (entry,) = await threads.entries(thread_id)
    _, listed = await threads.get(thread_id)
    assert listed is not None
    assert listed.identity.created_ms == entry.origin.at_ms


async def test_an_unknown_thread_takes_nothing(store: MemoryStore) -> None:
    threads = threads_of(store)
    nowhere = ThreadId("thr_nowhere")
    with pytest.raises(NotFound):
        await threads.send(nowhere, said("hi"))
    with pytest.raises(NotFound):
        await threads.entries(nowhere)
    with pytest.raises(NotFound):
        await threads.delete(nowhere)
    assert await threads.attend(nowhere) is None
    assert await threads.load(nowhere) is None


async def test_only_so_many_messages_may_wait(store: MemoryStore) -> None:
    threads = threads_of(store, max_waiting=3)
    thread = await threads.create(ThreadCreated("sulla"))
    for number in range(3):
        await threads.send(thread, said("hi", f"m{number}"))
    with pytest.raises(QueueFull):
        await threads.send(thread, said("hi", "m3"))
    await threads.send(thread, said("hi", "m2"))  # a re-send is answered all the same
    await threads.stop(thread)  # and a stop always gets through


async def test_the_first_answer_wins(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    first = await threads.answer(thread, Answer("approval:1", "yes"))
    assert await threads.answer(thread, Answer("approval:1", "yes")) == first
    with pytest.raises(AlreadyAnswered):
        await threads.answer(thread, Answer("approval:1", "no"))


async def test_a_thread_that_is_worked_on_is_not_deleted(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    session = await threads.attend(thread)
    assert session is not None
    with pytest.raises(Busy):
        await threads.delete(thread)
    await session.release()
    await threads.delete(thread)
    assert await store.head(thread) is None


async def test_a_state_in_memory_is_used_again_only_if_nobody_else_wrote(store: MemoryStore) -> None:
    mine, other = threads_of(store, 1), threads_of(store, 2)
    thread = await mine.create(ThreadCreated("sulla"))
    texts: list[str] = []
    for threads, text in ((mine, "one"), (other, "two"), (mine, "three")):
        sent = await threads.send(thread, said(text, text))
        session = await threads.attend(thread)
        assert session is not None
        await turn(session, sent.seq, f"answer to {text}")
        await session.release()
        threads.keep(session)
        texts = [message.text for message in session.state.context.transcript]
    assert texts == [*("one", "answer to one", "two", "answer to two", "three", "answer to three")]


async def test_a_session_that_was_not_released_is_not_kept(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    sent = await threads.send(thread, said("hi"))
    session = await threads.attend(thread)
    assert session is not None
    session.note(RunStarted(sent.seq, MessageId("m1")))  # folded in, never written
    threads.keep(session)
    again = threads_of(store, 2)
    fresh = await again.attend(thread)
    assert fresh is not None
    assert fresh.state.run is None
    assert list(fresh.state.inbox.waiting) == [sent.seq]


@pytest.mark.parametrize("turns", [3, 40, 400])
async def test_loading_reads_back_no_further_than_a_model_could_look(store: MemoryStore, turns: int) -> None:
    threads = threads_of(store, load_tokens=200, cached=0)
    thread = await threads.create(ThreadCreated("sulla"))
    session = await threads.attend(thread)
    assert session is not None
    for number in range(turns):
        sent = await threads.send(thread, said(f"q{number}", f"m{number}"))
        await session.pull()
        await turn(session, sent.seq, f"a{number}")
    await session.release()
    state = await threads.load(thread)
    assert state is not None
    texts = [message.text for message in state.context.transcript]
    assert texts[-2:] == [f"q{turns - 1}", f"a{turns - 1}"]
    assert len(texts) >= min(2 * turns, 20)  # 200 tokens of 10 each
    assert len(texts) <= 300  # a page or two, never the whole thread
    assert texts == [text for n in range(turns) for text in (f"q{n}", f"a{n}")][-len(texts) :]


async def test_a_message_that_waited_long_is_found_however_far_back_it_lies(store: MemoryStore) -> None:
    threads = threads_of(store, load_tokens=50, cached=0)
    thread = await threads.create(ThreadCreated("sulla"))
    sent = [await threads.send(thread, said(f"q{number}", f"m{number}")) for number in range(60)]
    session = await threads.attend(thread)
    assert session is not None
    for item in sent[:50]:
        await turn(session, item.seq, f"a{item.seq}")
    await session.release()
    again = await threads_of(store, 2, load_tokens=50, cached=0).attend(thread)
    assert again is not None
    assert [item.text for item in again.state.runnable] == [f"q{number}" for number in range(50, 60)]
    # The inputs of the loaded runs lie far before their runs: each is fetched by its number.
    assert [message.text for message in again.state.context.transcript][-2:] == ["q49", f"a{sent[49].seq}"]


async def test_what_was_quoted_is_told_with_the_message_that_is_worked_on_however_far_back_it_lies(
    store: MemoryStore,
) -> None:
    threads = threads_of(store, load_tokens=50, cached=0)
    thread = await threads.create(ThreadCreated("sulla"))
    sent = await threads.send(thread, Input(MessageId("m"), "Sum this up", quoted="a mail"))
    session = await threads.attend(thread)
    assert session is not None
    session.note(RunStarted(sent.seq, MessageId("m")))
    for number in range(300):
        session.note(ModelStarted(CallId(f"c{number}"), MessageId(f"a{number}")))
        session.note(TextMessageEnd(CallId(f"c{number}"), MessageId(f"a{number}"), f"a{number}"))
    await session.release()
    again = await threads_of(store, 2, load_tokens=50, cached=0).attend(thread)
    assert again is not None
    message = next(one for one in again.state.context.transcript if one.id == "m")
    assert message.parts == (Text("Sum this up", "user"), quoted_part("a mail"))


async def test_a_summary_stands_for_what_it_covers(store: MemoryStore) -> None:
    threads = threads_of(store, cached=0)
    thread = await threads.create(ThreadCreated("sulla"))
    session = await threads.attend(thread)
    assert session is not None
    for number in range(4):
        sent = await threads.send(thread, said(f"q{number}", f"m{number}"))
        await session.pull()
        await turn(session, sent.seq, f"a{number}")
    covers = session.seen_seq
    await session.release()
    draft = encode(Summary(covers - 6, "all that was"), Origin(0))
    await store.offer(thread, "summary:1", draft, digest=b"s", wakes=False)
    later = await threads.attend(thread)
    assert later is not None
    assert later.state.context.summary.text == "all that was"
    await later.release()
    state = await threads.load(thread)
    assert state is not None
    assert state.context.summary.text == "all that was"
    assert len(state.context.transcript) < 8


async def test_a_bad_record_is_named_and_never_read_as_empty(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    await store.offer(thread, "bad", Draft("INPUT", b"1 00000000 {}"), digest=b"x")
    with pytest.raises(CorruptRecord, match=rf"{thread} record 2"):
        await threads.load(thread)
    session = await threads.attend(thread)
    assert session is not None
    assert session.known.unread == (2,)
    assert f"{thread} record 2" in str(session.known.damage)
    await session.release()


async def test_a_bad_head_is_named(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = ThreadId("thr_bad")
    draft = encode(ThreadCreated("sulla"), Origin(0))
    await store.offer(thread, "created", draft, digest=b"x", create=Head("thread", body=b"1 00000000 {}"))
    with pytest.raises(CorruptRecord, match="thr_bad head"):
        await threads.load(thread)


async def test_what_a_reader_changes_changes_nothing_kept(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    await threads.send(thread, said("hi"))
    state = await threads.load(thread)
    assert state is not None
    state.inbox.waiting.clear()
    state.identity = replace(state.identity, title="changed")
    again = await threads.load(thread)
    assert again is not None
    assert [item.text for item in again.inbox.waiting.values()] == ["hi"]
    assert again.identity.title == ""


async def test_the_list_pages_by_id_and_can_ask_for_a_status(store: MemoryStore) -> None:
    threads = threads_of(store)
    made = sorted([await threads.create(ThreadCreated("sulla", f"t{number}")) for number in range(5)])
    first = await threads.list(limit=3)
    rest = await threads.list(limit=3, after=first[-1][0].key)
    assert [info.key for info, _ in (*first, *rest)] == made
    assert await threads.list(status="suspended") == []


async def test_one_thread_that_cannot_be_read_hides_no_other(store: MemoryStore) -> None:
    threads = threads_of(store)
    first, second = sorted([await threads.create(ThreadCreated("sulla")) for _ in range(2)])
    grant = await store.acquire(first, "somebody:1", 30)
    assert grant is not None
    await store.append(grant.lease, 1, [], Head("thread", "idle", body=b"nonsense"), 1, release=True)
    listed = {info.key: state for info, state in await threads.list()}
    assert listed[first] is None
    assert listed[second] is not None
    assert (await threads.misdated())[0] == []


async def test_a_reply_that_lies_before_what_is_loaded_is_cut_by_nobody(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread = await threads.create(ThreadCreated("sulla"))
    for number, text in enumerate(("one", "two", "three")):
        spoken = Spoken("u1", "final", heard=Heard(MessageId("a2"), 3)) if number == 2 else None
        sent = await threads.send(thread, Input(MessageId(text), text, spoken=spoken))
        session = await threads.attend(thread)
        assert session is not None
        await turn(session, sent.seq, f"answer to {text}")
        await session.release()
        threads.keep(session)
    loaded = {}
    for ceiling in range(0, 80, 10):
        state = await threads_of(store, 2, load_tokens=ceiling).load(thread)
        assert state is not None
        loaded[ceiling] = [message.parts[0].text for message in state.context.transcript]  # type: ignore[union-attr]  # all texts
    whole = ["one", "ans", "two", "answer to two", "three", "answer to three"]
    assert loaded[70] == whole
    assert all(whole[-len(texts) :] == texts for texts in loaded.values() if texts)


async def test_the_lease_of_a_dead_home_is_ended_and_counts_as_no_crash_of_its_own(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread_id = await threads.create(ThreadCreated("sulla"))
    await threads.send(thread_id, said("hello"))
    assert await store.acquire(thread_id, "dead:boot", 30.0) is not None
    assert await threads.attend(thread_id) is None
    await free_lease(store, threads.given_back, thread_id, "dead", "1")
    session = await threads.attend(thread_id)
    assert session is not None
    assert session.known.fruitless == 1  # that of the dead home, which may have died of the message


async def test_the_lease_of_another_home_than_the_dead_one_stays(store: MemoryStore) -> None:
    threads = threads_of(store)
    thread_id = await threads.create(ThreadCreated("sulla"))
    assert await store.acquire(thread_id, "living:1", 30.0) is not None
    await free_lease(store, threads.given_back, thread_id, "dead", "1")
    assert await threads.attend(thread_id) is None
