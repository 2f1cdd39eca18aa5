"""What a copy of a conversation took over is remembered once, where it was said."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.agent.ending import WalkCut, close_run
from sulla.core.ids import ThreadId
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.archive.restore import ThreadRestore
from sulla.threads.log.family import FORKED, standing_in
from sulla.threads.log.records import RunStarted
from tests.memory.world import Home, make_index

DONE = "<AGENT_DONE>ok</AGENT_DONE>"


@pytest.fixture
async def home(manual_clock: ManualClock) -> AsyncIterator[Home]:
    numbers = iter(range(10_000))
    store = MemoryStore(manual_clock, lambda prefix: f"{prefix}_{next(numbers)}")
    await store.open()
    index = make_index()
    await index.open()
    script = [Say(f"Answer {n}. {DONE}") for n in range(20)]
    yield Home(World(store, ScriptedProvider(script), clock=manual_clock), store, index, manual_clock)
    await index.close()
    await store.close()


def forks_of(home: Home) -> ThreadForks:
    restore = ThreadRestore(
        home.store, home.clock, "home:boot1", THREAD_SCHEMA, 1_000,
        lambda state, run, now_ms: close_run(state, run, WalkCut(FORKED), "", now_ms), FORKED,
    )  # fmt: skip
    return ThreadForks(home.world.threads, restore, home.clock)


async def asked(home: Home) -> list[str]:
    return [note.asked for note in await home.episodes()]


async def forget(home: Home, *about: str) -> None:
    ids = [note.id for note in await home.episodes() if note.asked in about]
    await home.memory.forget("sulla", ids, (await home.memory.doomed("sulla", ids)).code)


async def test_a_copy_and_its_copy_double_nothing_and_what_is_said_in_them_is_remembered(home: Home) -> None:
    world, forks = home.world, forks_of(home)
    thread = await world.thread()
    await world.ask(thread, "Where is the tea?")
    sent = await world.ask(thread, "And the coffee?")
    copy, again = ThreadId("thr_copy"), ThreadId("thr_again")
    await forks.fork_before_turn(thread, sent.seq, copy)
    other = await world.ask(copy, "And the milk?")
    await home.catch_up()
    last = await world.ask(copy, "And the sugar?")
    await forks.fork_before_turn(copy, last.seq, again)
    await world.ask(again, "And the salt?")
    await home.catch_up()
    home.boot()
    await home.catch_up()
    said = ["Where is the tea?", "And the coffee?", "And the milk?", "And the sugar?", "And the salt?"]
    assert sorted(await asked(home)) == sorted(said)
    assert {note.asked: note.thread_id for note in await home.episodes()} == dict(
        zip(said, (thread, thread, copy, copy, again), strict=True)
    )
    await forget(home, "Where is the tea?", "And the milk?")
    await world.ask(again, "And the rice?")
    await home.catch_up()
    home.boot()
    await home.catch_up()
    assert sorted(await asked(home)) == sorted([said[1], said[3], said[4], "And the rice?"])
    assert other.first


async def test_what_was_under_way_when_it_was_copied_is_remembered_where_it_went_on(home: Home) -> None:
    world, forks = home.world, forks_of(home)
    thread = await world.thread()
    await world.ask(thread, "Where is the tea?")
    sent, behind = await world.send(thread, "And the coffee?"), await world.send(thread, "And the milk?")
    session = await world.threads.attend(thread)
    assert session is not None
    item = session.state.inbox.waiting[sent.seq]
    await session.commit(RunStarted(sent.seq, item.message_id, "sulla", "scripted"))
    await forks.fork_before_turn(thread, behind.seq, ThreadId("thr_copy"))
    await home.catch_up()
    assert await asked(home) == ["Where is the tea?"]


async def test_what_stands_in_a_copy_is_not_told_beside_its_messages_and_what_was_said_later_is(home: Home) -> None:
    world, forks = home.world, forks_of(home)
    elsewhere = await world.thread()
    for n in range(12):  # what is asked about is rare
        await world.ask(elsewhere, f"Which bicycle is number {n}?")
    thread = await world.thread()
    await world.ask(thread, "Where is the Darjeeling from the Castleton garden?")
    home.clock.jump(60)
    sent = await world.ask(thread, "Was the Darjeeling of Castleton sold to Halloran?")
    await home.catch_up()
    copy = ThreadId("thr_copy")
    await forks.fork_before_turn(thread, sent.seq, copy)
    state = await world.threads.load(copy)
    assert state is not None
    question = "Who has the Darjeeling Castleton?"
    everywhere = await home.memory.more_for("sulla", {}, question, ())
    told = await home.memory.more_for("sulla", standing_in(copy, state.identity.copies), question, ())
    assert ("garden" in everywhere.text, "Halloran" in everywhere.text) == (True, True)
    assert ("garden" in told.text, "Halloran" in told.text) == (False, True)
