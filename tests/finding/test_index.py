"""Threads by when something happened in them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from sulla.core.ids import ThreadId
from sulla.finding import index as index_module
from sulla.finding.index import Place, ThreadEntry, ThreadIndex
from sulla.finding.title import KINDS, Kind
from sulla.store.memory import MemoryStore
from sulla.store.values import Head
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.head import THREAD_KIND, from_head, to_head
from sulla.threads.log.inputs import Opening
from sulla.threads.log.records import RunStarted

DONE = "Yes.<AGENT_DONE/>"
CHATS: tuple[Kind, ...] = ("chat",)


class Shelf:
    """A world, and what knows its threads by their activity."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.provider = ScriptedProvider([DONE] * 20)
        self.store, self.clock = store, clock
        self.world = World(store, self.provider, clock=clock)
        self.index = ThreadIndex(store, self.world.threads, clock)

    async def talk(self, text: str) -> ThreadId:
        """A thread with one turn, some seconds after the last one."""
        self.clock.jump(5.0)
        thread_id = await self.world.thread()
        await self.world.ask(thread_id, text)
        self.index.wake(thread_id)
        return thread_id

    async def newest(self, after: Place | None = None, limit: int = 50) -> Sequence[ThreadEntry]:
        """The first page of people's conversations."""
        return (await self.index.newest(CHATS, after, limit))[0]


@pytest.fixture
async def shelf() -> AsyncIterator[Shelf]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    yield Shelf(store, clock)
    await store.close()


async def test_what_something_happened_in_last_comes_first(shelf: Shelf) -> None:
    one, two = await shelf.talk("one"), await shelf.talk("two")
    assert [row.thread_id for row in await shelf.newest()] == [two, one]
    shelf.clock.jump(5.0)
    await shelf.world.ask(one, "more")
    shelf.index.wake(one)
    first, _ = await shelf.newest()
    assert (first.thread_id, first.words, first.title) == (one, "one", "one")


async def test_pages_hold_each_thread_once_whatever_their_size(shelf: Shelf) -> None:
    made = [await shelf.talk(f"talk {number}") for number in range(7)]
    for size in (1, 3, 7, 8):
        seen: list[ThreadId] = []
        place: Place | None = None
        while True:
            page, place = await shelf.index.newest(KINDS, place, size)
            seen += [row.thread_id for row in page]
            if place is None:
                break
        assert seen == made[::-1]


async def test_a_message_that_nobody_has_taken_up_and_a_deleted_thread_show_at_once(shelf: Shelf) -> None:
    gone = await shelf.talk("gone")
    await shelf.newest()
    waits = await shelf.world.thread()
    await shelf.world.send(waits, "hello")
    await shelf.world.threads.delete(gone)
    shelf.index.wake(gone)
    assert [row.thread_id for row in await shelf.newest()] == [waits]


async def test_it_says_how_many_messages_wait(shelf: Shelf) -> None:
    thread_id = await shelf.talk("one")
    assert [(row.waiting, row.held) for row in await shelf.newest()] == [(0, 0)]
    for text in ("two", "three"):
        await shelf.world.send(thread_id, text)
    assert [(row.waiting, row.held) for row in await shelf.newest()] == [(2, 0)]  # nobody has looked at them


async def test_it_says_how_many_messages_wait_behind_an_open_turn(shelf: Shelf) -> None:
    thread_id = await shelf.world.thread()
    sent = [await shelf.world.send(thread_id, text) for text in ("one", "two")]
    session = await shelf.world.threads.attend(thread_id)
    assert session is not None
    await session.commit(RunStarted(sent[0].seq, session.state.inbox.waiting[sent[0].seq].message_id, "sulla"))
    await shelf.world.send(thread_id, "three")
    shelf.index.wake(thread_id)
    assert [(row.waiting, row.held) for row in await shelf.newest()] == [(2, 0)]


async def test_it_says_how_many_messages_a_stop_holds(shelf: Shelf) -> None:
    thread_id = await shelf.talk("one")
    for text in ("two", "three"):
        await shelf.world.send(thread_id, text)
    await shelf.world.threads.stop(thread_id)
    await shelf.world.turns.attend(thread_id)
    shelf.index.wake(thread_id)
    assert [(row.status, row.waiting, row.held) for row in await shelf.newest()] == [("idle", 2, 2)]


async def test_the_words_of_a_thread_are_found_whose_head_is_of_before_they_were_kept(shelf: Shelf) -> None:
    thread_id = await shelf.talk("the first words")
    await old_head(shelf, thread_id)
    (row,) = await shelf.newest()
    assert (row.title, row.words, row.titled_by) == ("the first words", "the first words", "words")
    assert (await shelf.index.get([thread_id]))[0] == row


async def test_another_daemon_on_the_store_hears_of_it(shelf: Shelf) -> None:
    other = ThreadIndex(shelf.store, shelf.world.threads, shelf.clock)
    listening = asyncio.ensure_future(other.run())
    await shelf.clock.advance(0.0)
    assert (await other.newest(CHATS, None, 9))[0] == []
    thread_id = await shelf.talk("hello")
    await shelf.clock.advance(0.0)
    assert [row.thread_id for row in (await other.newest(CHATS, None, 9))[0]] == [thread_id]
    listening.cancel()


async def test_a_lost_word_is_made_up_for_when_all_are_read_again(shelf: Shelf) -> None:
    deaf = ThreadIndex(shelf.store, shelf.world.threads, shelf.clock)
    assert (await deaf.newest(CHATS, None, 9))[0] == []
    await shelf.talk("hello")
    await shelf.clock.advance(index_module.SWEEP_S + 1)
    assert len((await deaf.newest(CHATS, None, 9))[0]) == 1


async def test_only_so_many_are_known_and_only_so_many_wait(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "MOST_ROWS", 2)
    monkeypatch.setattr(index_module, "MOST_CHANGED", 1)
    made = [await shelf.talk(f"talk {number}") for number in range(6)]
    assert [row.thread_id for row in await shelf.newest()][:2] == made[:-3:-1]
    assert len(await shelf.index.entries()) <= 4


async def test_ids_are_found_by_their_beginning(shelf: Shelf) -> None:
    made = sorted([await shelf.talk("one"), await shelf.talk("two")])
    common = made[0][:4]
    assert await shelf.index.beginning_with(common, 9) == made
    assert await shelf.index.beginning_with(made[1], 9) == [made[1]]
    assert await shelf.index.beginning_with("thr_x", 9) == []


async def old_head(shelf: Shelf, thread_id: ThreadId) -> None:
    """Write the head as a version did that kept no openings."""
    info = await shelf.store.head(thread_id)
    assert info is not None
    schema = shelf.world.threads.schema
    state, known = from_head(schema, thread_id, info.head)
    state.inbox.opening = Opening()
    head: Head = to_head(schema, state, known.claimed, known.epoch, info.head.due_ms)
    assert head.kind == THREAD_KIND
    grant = await shelf.store.acquire(thread_id, "home:boot1", 30.0)
    assert grant is not None
    await shelf.store.append(grant.lease, 1, [], head, known.claimed, release=True)
