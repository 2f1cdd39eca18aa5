"""Conversations are found by their titles and words, and keep the names that people give them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.errors import InvalidInput, NotFound
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Words
from sulla.finding.index import ThreadIndex
from sulla.finding.service import Finder
from sulla.finding.title import KINDS
from sulla.host.waker import Waker
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.tools.base import Done
from tests.doubles.attacks import Hooks
from tests.memory.world import Home, make_index

DONE = "{}<AGENT_DONE/>"


class Library:
    """A home with a memory, and what finds its conversations."""

    def __init__(self, store: MemoryStore, clock: ManualClock) -> None:
        self.provider = ScriptedProvider()
        hooks = Hooks()
        tools = (hooks.source("page", Done(Words("\x1b[31mred otter"), origin="web"), "url"),)
        self.world = World(store, self.provider, tools=tools, clock=clock)
        self.home = Home(self.world, store, make_index(), clock)
        self.index = ThreadIndex(store, self.world.threads, clock)
        numbers = iter(range(100))
        made = (self.world.threads, self.index)
        self.finder = Finder(*made, self.home.memory, Waker(), lambda prefix: f"{prefix}_{next(numbers)}")
        self.forgetful = Finder(*made, None, Waker(), lambda prefix: f"{prefix}_x{next(numbers)}")

    async def talk(self, asked: str, answer: str) -> ThreadId:
        """A thread with one remembered turn."""
        self.provider.add(DONE.format(answer))
        thread_id = await self.world.thread()
        await self.world.ask(thread_id, asked)
        self.index.wake(thread_id)
        self.home.recorder.wake(thread_id)
        await self.home.catch_up()
        return thread_id

    async def found(self, words: str, limit: int = 9) -> list[str]:
        """The ids of the conversations that fit."""
        return [row.thread.thread_id for row in (await self.finder.search(words, KINDS, limit)).found]


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_1")
    await store.open()
    made = Library(store, clock)
    await made.home.index.open()
    yield made
    await made.home.index.close()
    await store.close()


async def test_a_conversation_is_found_by_what_was_asked_and_by_what_came_out(library: Library) -> None:
    rome = await library.talk("when does it leave?", "The train to Rome leaves at nine.")
    await library.talk("water the roses", "They are wet.")
    assert await library.found("rome train") == [rome]
    assert await library.found("leave") == [rome]
    assert await library.found("xylophone") == []


async def test_what_was_said_is_shown_where_the_words_stand(library: Library) -> None:
    filling = "It rains on the lake. " * 20
    await library.talk(f"{filling}Is there a badger?", f"{filling}An otter swims there. {filling}")
    (row,) = (await library.finder.search("otter badger", KINDS, 9)).found
    assert "a badger?" in row.asked
    assert "An otter swims" in row.said
    assert max(len(row.asked), len(row.said)) <= 240


async def test_a_name_is_found_by_how_its_words_begin(library: Library) -> None:
    named = await library.talk("hello", "hi")
    await library.finder.rename(named, "Otters of Ayrshire", None, "owner")
    assert await library.found("ott ayr") == [named]
    assert await library.found("tter") == []


async def test_each_conversation_is_given_once_and_names_come_first(library: Library) -> None:
    often = await library.talk("what swims there?", "otters, otters, otters")
    library.provider.add(DONE.format("more otters"))
    await library.world.ask(often, "and more otters")
    named = await library.talk("hello", "hi")
    await library.finder.rename(named, "Otters of Ayrshire", None, "owner")
    assert await library.found("otters") == [named, often]
    assert await library.found("otters", 1) == [named]
    assert (await library.finder.search("otters", KINDS, 1)).more


async def test_words_from_outside_say_so(library: Library) -> None:
    library.provider.add(Say("", (ToolCall(CallId("c1"), "page", {"url": "https://x.example"}),)))
    thread_id = await library.talk("read it", "The page speaks of a badger.")
    (row,) = (await library.finder.search("badger", KINDS, 9)).found
    assert (row.thread.thread_id, row.tainted, row.thread.tainted) == (thread_id, True, True)


async def test_without_a_memory_titles_are_searched_and_it_is_said(library: Library) -> None:
    thread_id = await library.talk("otters", "They swim.")
    found = await library.forgetful.search("otters", KINDS, 9)
    assert ([row.thread.thread_id for row in found.found], found.searched) == ([thread_id], "titles")
    assert (await library.forgetful.search("swim", KINDS, 9)).found == ()


async def test_a_search_for_nothing_is_refused(library: Library) -> None:
    with pytest.raises(InvalidInput, match="words: '---' holds nothing"):
        await library.finder.search("---", KINDS, 9)


async def test_a_name_shows_at_once_and_after_further_turns(library: Library) -> None:
    thread_id = await library.talk("hello", "hi")
    for title in ("Rome", "Paris", "Rome"):
        row = await library.finder.rename(thread_id, title, None, "owner")
        assert (row.title, row.titled_by) == (title, "person")
        (listed,) = (await library.finder.recent(KINDS, None, 9)).threads
        assert listed.title == title
    library.provider.add(DONE.format("ok"))
    await library.world.ask(thread_id, "more")
    library.index.wake(thread_id)
    (listed,) = (await library.finder.recent(KINDS, None, 9)).threads
    assert (listed.title, listed.words) == ("Rome", "hello")


async def test_a_name_is_kept_by_whoever_holds_the_thread(library: Library) -> None:
    thread_id = await library.talk("hello", "hi")
    session = await library.world.threads.attend(thread_id)
    assert session is not None
    assert (await library.finder.rename(thread_id, "Rome", None, "owner")).title == "Rome"
    await session.pull()
    await session.release()
    library.index.wake(thread_id)
    (listed,) = (await library.finder.recent(KINDS, None, 9)).threads
    assert listed.title == "Rome"


async def test_who_names_what_is_not_there_is_told(library: Library) -> None:
    with pytest.raises(NotFound, match="no thread 'thr_none'"):
        await library.finder.rename("thr_none", "Rome", None, "owner")


async def test_a_page_is_gone_on_with_where_the_last_one_ended(library: Library) -> None:
    made = [await library.talk(f"talk {number}", "ok") for number in range(3)]
    first = await library.finder.recent(KINDS, None, 2)
    assert first.next is not None
    second = await library.finder.recent(KINDS, first.next, 2)
    assert {row.thread_id for row in (*first.threads, *second.threads)} == set(made)
    assert second.next is None
    with pytest.raises(InvalidInput, match="expected what the page before gave"):
        await library.finder.recent(KINDS, "thr_1", 2)


async def test_the_beginning_of_an_id_names_one_thread_or_says_which(library: Library) -> None:
    one = await library.talk("one", "ok")
    assert await library.finder.resolve(one) == one
    assert await library.finder.resolve(one.removeprefix("thr_")) == one
    two = await library.talk("two", "ok")
    with pytest.raises(InvalidInput, match=f"2 threads begin with 'thr_': {min(one, two)}, {max(one, two)}; type more"):
        await library.finder.resolve("thr_")
    with pytest.raises(NotFound, match="no thread begins with 'thr_zz'"):
        await library.finder.resolve("zz")


async def test_what_is_found_says_at_which_message_of_its_thread_it_stands(library: Library) -> None:
    thread = await library.talk("Where does the otter sleep?", "In its holt.")
    for number in range(30):
        library.home.clock.jump(60)
        library.provider.add(DONE.format("Yes." if number != 17 else "By the weir."))
        await library.world.ask(thread, "And the heron?" if number == 17 else f"Is it {number}?")
    library.home.recorder.wake(thread)
    await library.home.catch_up()
    library.index.wake(thread)
    log = await library.world.log(thread)
    asked = next(entry for entry in log if entry.data.get("text") == "And the heron?")
    (row,) = (await library.finder.search("heron weir", KINDS, 9)).found
    assert (row.seq, row.message_id) == (asked.seq, asked.data["message_id"])
    (row,) = (await library.finder.search("otter sleep", KINDS, 9)).found
    assert row.seq == 2
