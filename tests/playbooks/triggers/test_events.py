"""An event starts the playbooks that wait for it once each, whatever dies in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, QueueFull, StoreUnavailable
from sulla.core.ids import MessageId, ThreadId
from sulla.playbooks.catalog import FIRST_LOOK_S, PlaybookCatalog
from sulla.playbooks.rpc_forms import PlayBegun, PlaybookRow
from sulla.playbooks.service import Begin
from sulla.playbooks.triggers.events import (
    LOOK_S,
    RETRY_S,
    SINCE,
    SLACK_MS,
    EventListener,
    EventStarts,
    event_follower,
    listeners,
)
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.follower import LogFollower
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.records import Input, ThreadCreated
from sulla.threads.pending import Intervals
from tests.doubles.playbooks import MemoryPlaybooks
from tests.schedules.town import make_id
from tests.threads.rounds import round_of

DONE = "Here you are. <AGENT_DONE>all good</AGENT_DONE>"


class Office(MemoryPlaybooks):
    """One that can be out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.trouble: Exception | None = None
        self.lost: Exception | None = None
        """Raised once, after the run was begun."""
        self.asked_to_start = 0

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        self.asked_to_start += 1
        if self.trouble is not None:
            raise self.trouble
        begun = await super().start(begin, key)
        if self.lost is not None:
            lost, self.lost = self.lost, None
            raise lost
        return begun


class Home:
    """A daemon's threads, and what follows them."""

    def __init__(self, folder: Path, clock: ManualClock, store: MemoryStore) -> None:
        self.folder = folder
        self.clock = clock
        self.store = store
        self.office = Office()
        self.provider = ScriptedProvider()
        self.world = World(store, self.provider, clock=clock)
        self.catalog = PlaybookCatalog([folder], lambda: self.catalog.known)
        self.events = self.boot()
        self._messages = 0

    def boot(self) -> LogFollower:
        """What a daemon begins with: nothing of the one before is in memory."""
        self.events = event_follower(self.catalog, self.office, self.world.threads, self.store, self.clock)
        return self.events

    async def catch_up(self) -> bool:
        return await round_of(self.events, self.clock)

    async def playbook(self, name: str, on: str, more: str = "") -> None:
        (self.folder / f"{name}.yaml").write_text(f"name: {name}\non: {on}\n{more}steps: [{{id: s, respond: hi}}]\n")
        self.office.listed[name] = PlaybookRow(name, "", "", "", 1, (), {}, "")
        await self.catalog.look()

    async def turn(self, thread: ThreadId | None = None, reply: str = DONE) -> ThreadId:
        """Have a turn, of which nobody tells."""
        self.provider.add(reply)
        self._messages += 1
        thread = thread if thread is not None else await self.world.thread()
        await self.world.threads.send(thread, Input(MessageId(f"m{self._messages}"), "go"))
        await self.world.work()
        return thread

    @property
    def begun(self) -> list[tuple[str, object]]:
        found: list[tuple[str, object]] = []
        for begin in self.office.begun.values():
            assert isinstance(begin.payload, dict)
            found.append((begin.playbook, begin.payload["event"]))
        return found


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    clock = ManualClock()
    store = MemoryStore(clock, make_id)
    await store.open()
    yield Home(tmp_path, clock, store)
    await store.close()


async def test_each_event_starts_each_playbook_that_waits_for_it_once(home: Home) -> None:
    await home.playbook("a", "[{event: run.finished, inputs: {}}, {event: run.failed}]")
    await home.playbook("b", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    for _ in range(3):
        home.events.wake(thread)
        await home.catch_up()
    assert home.begun == [("a", "run.finished"), ("b", "run.finished")]
    assert home.office.asked_to_start == 2
    begin = next(iter(home.office.begun.values()))
    assert (begin.trigger, begin.thread, begin.by.tainted) == ("event", "", False)
    assert isinstance(begin.payload, dict)
    assert (begin.payload["thread"], begin.payload["status"], begin.payload["text"]) == (thread, "done", "all good")


async def test_what_a_thread_has_read_since_it_was_looked_at_makes_its_event_mistrusted(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    starts = EventStarts(home.catalog, home.office, home.world.threads, home.store, home.clock)
    assert await starts.begin()
    thread = await home.world.thread()
    looked_at, _ = await home.world.threads.get(thread)
    cursor = await starts.cursor(thread, looked_at)
    assert cursor is not None
    home.provider.add(DONE)
    await home.world.threads.send(thread, Input(MessageId("m"), "go", quoted="a page"))
    await home.world.work()
    await cursor.take(await home.world.log(thread))
    assert [begin.by.tainted for begin in home.office.begun.values()] == [True]


async def test_a_failed_turn_is_another_event(home: Home) -> None:
    await home.playbook("a", "{event: run.failed}")
    await home.catch_up()
    home.provider.add("", "")
    thread = await home.turn(reply="none")
    home.events.wake(thread)
    await home.catch_up()
    assert home.begun == [("a", "run.failed")]


async def test_what_happened_before_a_playbook_waited_starts_nothing(home: Home) -> None:
    thread = await home.turn()
    await home.clock.advance(10)
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    assert home.begun == []
    await home.turn(thread)
    home.events.wake(thread)
    await home.catch_up()
    assert len(home.begun) == 1


async def test_while_none_waits_nothing_is_read_or_kept(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    await home.playbook("a", "manual")
    thread = await home.turn()

    async def read(*_: object, **__: object) -> None:
        raise AssertionError("nothing is to be read")

    monkeypatch.setattr(home.store, "head", read)
    monkeypatch.setattr(home.store, "find", read)
    monkeypatch.setattr(home.store, "put", read)
    home.events.wake(thread)
    assert await home.catch_up()


async def test_who_stops_and_waits_again_hears_of_nothing_in_between(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    home.events.wake(thread)
    await home.catch_up()
    await home.playbook("a", "manual")
    await home.catch_up()
    await home.clock.advance(60)
    await home.turn(thread)
    await home.clock.advance(60)
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    home.events.wake(thread)
    await home.catch_up()
    assert len(home.begun) == 1


async def test_a_file_with_a_fault_does_not_lose_what_happens_meanwhile(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    await home.playbook("a", "{event: run.finished}", "nonsense: 1\n")
    await home.clock.advance(60)
    await home.turn()
    await home.catch_up()
    assert home.begun == []
    await home.playbook("a", "{event: run.finished}")
    home.boot()
    await home.catch_up()
    assert len(home.begun) == 1


async def test_after_a_crash_the_next_daemon_finds_what_nobody_told(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    await home.clock.advance(5)
    await home.turn()
    home.boot()
    await home.catch_up()
    assert len(home.begun) == 1
    home.boot()
    await home.catch_up()
    assert (len(home.begun), home.office.asked_to_start) == (1, 1)


async def test_an_answer_that_was_lost_begins_no_second_run(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    home.office.lost = StoreUnavailable("the answer was lost")
    home.events.wake(thread)
    assert not await home.catch_up()
    assert home.events.error == "the answer was lost"
    assert await home.catch_up()
    assert (len(home.begun), home.office.asked_to_start) == (1, 2)
    assert home.events.error == ""


async def test_what_happens_while_a_thread_is_looked_at_is_looked_at_too(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    begin = home.office.start

    async def meanwhile(wanted: Begin, key: str) -> PlayBegun:
        home.office.start = begin  # type: ignore[method-assign]  # as it was
        await home.turn(thread)
        home.events.wake(thread)
        return await begin(wanted, key)

    home.office.start = meanwhile  # type: ignore[assignment,method-assign]  # its place for one call
    home.events.wake(thread)
    assert await home.catch_up()
    assert len(home.begun) == 2


async def test_while_too_many_runs_are_open_events_wait(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    home.office.trouble = QueueFull("200 runs are open")
    home.events.wake(thread)
    assert not await home.catch_up()
    await home.turn(thread)
    home.office.trouble = None
    assert await home.catch_up()
    assert len(home.begun) == 2


async def test_one_that_cannot_be_started_is_told_in_the_log_and_keeps_nothing_up(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.turn()
    home.office.trouble = InvalidInput("the input 'lead' is missing")
    home.events.wake(thread)
    assert await home.catch_up()
    assert "starts no a: the input 'lead' is missing" in caplog.text
    home.office.trouble = None
    await home.catch_up()
    assert home.begun == []


async def test_playbooks_own_threads_start_nothing(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.world.threads.create(ThreadCreated("sulla", graph=PLAYBOOK))
    home.world.actors[f"sulla {PLAYBOOK}"] = home.world.actors["sulla"]
    await home.turn(thread)
    home.events.wake(thread)
    await home.catch_up()
    home.boot()
    await home.catch_up()
    assert home.begun == []


async def test_a_long_thread_is_read_from_where_events_count(home: Home) -> None:
    thread = await home.world.thread()
    for _ in range(150):
        await home.turn(thread)
    await home.clock.advance(60)
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    for _ in range(150):
        await home.turn(thread)
    assert (await home.world.threads.get(thread))[0].last_seq > 1_200
    home.boot()
    await home.catch_up()
    assert len(home.begun) == 150


async def test_a_deleted_thread_and_another_one_of_its_id_are_two(home: Home) -> None:
    await home.playbook("a", "{event: run.finished}")
    await home.catch_up()
    thread = await home.world.threads.create(ThreadCreated("sulla"), "same")
    await home.turn(thread)
    home.events.wake(thread)
    await home.catch_up()
    await home.world.threads.delete(thread)
    home.events.wake(thread)
    await home.catch_up()
    await home.clock.advance(1)
    again = await home.world.threads.create(ThreadCreated("sulla"), "same")
    assert again == thread
    await home.turn(thread)
    home.events.wake(thread)
    await home.catch_up()
    assert len(home.begun) == 2


async def test_it_follows_by_itself_and_looks_through_all_threads_now_and_then(home: Home) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(home.events.run())
        await home.playbook("a", "{event: run.finished}")
        while await home.store.get(SINCE) is None:  # its first look at the folder is on a thread of its own
            await home.clock.advance(LOOK_S)
        woken = await home.turn()
        home.events.wake(woken)
        while not home.begun:
            await home.clock.advance(0.1)
        await home.clock.advance(SLACK_MS / 1000)
        await home.turn()  # of another daemon: nobody wakes this one
        await home.clock.advance(Intervals().sweep_s + 1)
        while len(home.begun) < 2:
            await home.clock.advance(0.1)
        home.office.trouble = StoreUnavailable("away")
        home.events.wake(await home.turn(woken))
        while not home.events.error:
            await home.clock.advance(0.1)
        home.office.trouble = None
        await home.clock.advance(RETRY_S + 1)
        while len(home.begun) < 3:
            await home.clock.advance(0.1)
        running.cancel()
    assert home.office.asked_to_start == 4


async def test_what_happens_between_the_start_and_the_first_look_at_the_files_starts_what_waits_for_it(
    home: Home,
) -> None:
    (home.folder / "a.yaml").write_text("name: a\non: {event: run.finished}\nsteps: [{id: s, respond: hi}]\n")
    home.office.listed["a"] = PlaybookRow("a", "", "", "", 1, (), {}, "")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(home.events.run())
        await home.clock.advance(FIRST_LOOK_S / 10)
        home.events.wake(await home.turn())
        assert not home.catalog.playbooks, "nobody has looked yet"
        await home.clock.advance(FIRST_LOOK_S)
        for _ in range(200):
            await home.clock.advance(0.1)
        running.cancel()
    assert home.begun == [("a", "run.finished")]


async def test_a_playbook_waits_for_a_type_once_however_often_it_says_so(home: Home) -> None:
    await home.playbook("a", "[{event: run.failed, inputs: {}}, {event: run.failed}, {event: heartbeat.ended}]")
    await home.playbook("b", "{event: run.failed}", "nonsense: 1\n")
    assert listeners(home.catalog.playbooks.values()) == {
        "run.failed": (EventListener("a", {}),),
        "heartbeat.ended": (EventListener("a", {}),),
    }
