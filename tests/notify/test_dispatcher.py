"""Notices arrive at least once, whenever the daemon is killed; one that arrives twice says that it may."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from sulla.core.errors import NotFound, SettingsError, StoreUnavailable, Unavailable
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.notify.book import FILE, OutboxBook
from sulla.notify.dispatcher import SEND_S, Dispatcher, Places
from sulla.notify.facts import Fact
from sulla.notify.metrics import FAILED, LEFT_OUT, SENT
from sulla.notify.outbox import Manners, Outbox
from sulla.notify.values import BACKOFF_S, Rules
from sulla.notify.ways import Way, Ways
from sulla.people.notices import NoticeInfo
from sulla.telemetry.tally import Tally
from sulla.testing.clock import ManualClock
from sulla.threads.log.open_run import OpenRun, RunCourse, RunMessage
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.threads.log.waits import Wait


async def soon(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(50):
        while not holds():
            await asyncio.sleep(0)


CHANNELS = ("mail", "push")


class Killed(BaseException):
    """The daemon is killed here."""


class Book(OutboxBook):
    """Kills the daemon before or after one of its writes."""

    def __init__(self, path: Path, kill_at: int = -1, *, after: bool = False) -> None:
        super().__init__(path)
        self.writes = 0
        self._kill_at = kill_at
        self._after = after

    def write(self, facts: Iterable[Fact]) -> None:
        here = self.writes == self._kill_at
        if here and not self._after:
            raise Killed
        super().write(facts)
        self.writes += bool(facts)
        if here:
            raise Killed


class World:
    """What is told, and who is told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = ManualClock()
        self.notices: list[NoticeInfo] = []
        self.got: list[tuple[str, str]] = []
        self.threads: dict[ThreadId, ThreadState] = {}
        self.down: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.away = False
        self.tally = Tally((SENT, FAILED, LEFT_OUT), ())
        self.gate: threading.Event | None = None
        self.ways = Ways()

    async def list(self, after: str, limit: int, unseen_by: str) -> Sequence[NoticeInfo]:
        if self.away:
            raise StoreUnavailable("the store is away")
        return [*reversed(self.notices)][:limit]

    async def load(self, thread_id: ThreadId) -> ThreadState | None:
        return self.threads.get(thread_id)

    async def suspended(self) -> Sequence[ThreadId]:
        return [*self.threads]

    def send(self, address: str, title: str, text: str) -> str:
        if self.gate is not None:
            self.gate.wait(50)
        if address in self.down:
            return self.down[address]
        self.got.append((address, text))
        return ""

    def fault_of(self, address: str) -> str:
        return self.faults.get(address, "")

    def told(self, text: str, urgency: str = "normal") -> None:
        number, at_ms = len(self.notices) + 1, round(self.clock.now() * 1000)
        ids = (f"ntc_{number}", f"thr_{number}", RunId(""), "sulla")
        self.notices.append(NoticeInfo(*ids, text, urgency, False, at_ms, number, "d", {}))  # type: ignore[arg-type]  # one of three words

    def dispatcher(self, book: OutboxBook | None = None, join_ms: int = 0) -> Dispatcher:
        outbox = Outbox([Rules(name, frozenset({"notice", "approval"})) for name in CHANNELS], Manners(join_ms=join_ms))
        addresses = {name: name for name in CHANNELS}
        places = Places(self, self.load, self.suspended, self.send, addresses, self.fault_of, self.ways)
        return Dispatcher(outbox, book or OutboxBook(self.root / FILE), places, self.clock, self.tally)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_each_channel_is_sent_each_notice_once_also_over_restarts(world: World) -> None:
    first = world.dispatcher()
    await first.open()
    world.told("one")
    world.told("two")
    await first.round()
    await first.round()
    second = world.dispatcher()
    await second.open()
    await second.round()
    assert Counter(world.got) == Counter({(name, text): 1 for name in CHANNELS for text in ("one", "two")})
    assert dict(next(values for family, values in world.tally.counted() if family is SENT)) == {
        ("mail",): 2.0,
        ("push",): 2.0,
    }


async def lived(world: World, book: Book) -> int:
    """A daemon's life: it opens, hears two notices, has one channel fail once, and sends; how often it wrote."""
    daemon = world.dispatcher(book)
    await daemon.open()
    if not world.notices:
        world.told("one")
        world.told("two", "high")
    await daemon.round()
    world.down.clear()
    await world.clock.advance(BACKOFF_S[1])  # a kill within an attempt counts as one
    await daemon.round()
    return book.writes


async def test_a_kill_at_any_write_loses_nothing_and_what_comes_twice_says_so(tmp_path: Path) -> None:
    calm = World(tmp_path / "calm")
    calm.down["push"] = "down"
    writes = await lived(calm, Book(calm.root / FILE))
    assert writes >= 12
    for at in range(writes):
        for after in (False, True):
            world = World(tmp_path / f"{at}{after}")
            world.down["push"] = "down"
            with pytest.raises(Killed):
                await lived(world, Book(world.root / FILE, at, after=after))
            if not world.notices:
                world.told("one")
                world.told("two", "high")
            await lived(world, Book(world.root / FILE))
            for name in CHANNELS:
                for text in ("one", "two"):
                    said = [got for address, got in world.got if address == name and got.startswith(text)]
                    assert said, f"lost: {text} to {name}, killed at write {at}"
                    plain = [got for got in said if got == text]
                    assert len(plain) <= 1, f"twice without a word: {said}, killed at write {at}"


async def test_half_a_line_at_the_end_is_what_nobody_relied_on(world: World) -> None:
    first = world.dispatcher()
    await first.open()
    world.told("one")
    await first.round()
    with (world.root / FILE).open("ab") as file:
        file.write(b'{"kind":"Sent","id":"out')
    second = world.dispatcher()
    await second.open()
    world.told("two")
    await second.round()
    third = world.dispatcher()
    await third.open()
    await third.round()
    assert Counter(text for _, text in world.got) == {"one": 2, "two": 2}


async def test_a_line_that_cannot_be_read_is_told_and_the_others_count(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    first = world.dispatcher()
    await first.open()
    world.told("one")
    await first.round()
    with (world.root / FILE).open("ab") as file:
        file.write(b'{"kind":"Later"}\nrubbish\n')
    second = world.dispatcher()
    await second.open()
    await second.round()
    assert len(world.got) == 2
    assert caplog.text.count("a line of the outbox cannot be read") == 2


async def test_a_broken_channel_is_told_on_the_others_once(world: World) -> None:
    world.down["push"] = "no route"
    daemon = world.dispatcher()
    await daemon.open()
    world.told("one")
    for wait_s in (0, *BACKOFF_S):
        await world.clock.advance(wait_s)
        await daemon.round()
    again = world.dispatcher()
    await again.open()
    await again.round()
    told = [text for name, text in world.got if name == "mail" and "takes no messages" in text]
    assert told == ["The channel 'push' takes no messages: no route\n\n`sulla notify test push` tries it."]
    assert again.outbox.left_out == {"mail": 0, "push": 1}


async def test_a_channel_that_does_not_answer_is_given_up_and_may_have_got_it(world: World) -> None:
    daemon = world.dispatcher()
    await daemon.open()
    world.told("one")
    world.gate = threading.Event()
    round_ = asyncio.create_task(daemon.round())
    try:
        await soon(lambda: world.clock.sleepers >= 2)
        await world.clock.advance(SEND_S)
        await round_
    finally:
        world.gate.set()
    assert {one.doubtful for one in daemon.outbox.waiting.values()} == {True}
    assert daemon.outbox.states["mail"].why == "no answer within 60 s"


async def test_while_the_store_is_away_nothing_is_lost(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.away = True
    daemon = world.dispatcher()
    task = asyncio.create_task(daemon.run())
    await soon(lambda: "notices go out later: the store is away" in caplog.text)
    world.away = False
    world.told("one")
    daemon.changed()
    await soon(lambda: len(world.got) == 2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_disk_that_takes_nothing_sends_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "file")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable, match=r"the outbox notify\.jsonl cannot be read"):
        await world.dispatcher().open()
    assert world.got == []


async def test_an_address_that_nothing_can_be_sent_to_is_known_before_a_message(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.faults["mail"] = "no such address"
    dispatcher = world.dispatcher()
    await dispatcher.judge()
    assert dispatcher.unusable == {"mail": "no such address"}
    assert "the channel mail can take no messages: no such address" in caplog.text
    assert world.got == []


async def test_an_address_of_another_way_is_looked_at_again_and_told_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    faults = {"mail": "nobody has written there yet"}

    async def taken(address: str, title: str, text: str, key: str, matter: str) -> str:
        return faults.get(address, "")

    daemon = world.dispatcher()
    world.ways.add("mail", Way(taken, lambda address: faults.get(address, "")))
    await daemon.open()
    await daemon.judge()
    await daemon.round()
    assert daemon.unusable == faults
    assert caplog.text.count("the channel mail can take no messages: nobody has written there yet") == 1
    faults.clear()
    await daemon.round()
    assert daemon.unusable == {}


async def test_a_channel_that_did_not_take_a_test_is_not_well_until_it_takes_something(world: World) -> None:
    daemon = world.dispatcher()
    await daemon.open()
    world.down["mail"] = "no route"
    for _ in range(2):
        assert await daemon.test("mail") == "no route"
    again = world.dispatcher()
    await again.open()
    state = again.outbox.states["mail"]
    assert (state.why, state.failures, again.outbox.broken()) == ("no route", 0, {})
    world.down.clear()
    assert await again.test("mail") == ""
    assert again.outbox.states["mail"].why == ""
    world.down["mail"] = "no route"
    await again.test("mail")
    world.down.clear()
    world.told("one")
    await again.round()
    assert again.outbox.states["mail"].why == ""


async def test_a_test_is_sent_at_once_and_says_why_not(world: World) -> None:
    daemon = world.dispatcher()
    assert await daemon.test("mail") == ""
    world.down["mail"] = "no route"
    assert await daemon.test("mail") == "no route"
    with pytest.raises(NotFound, match="no channel 'post'; there are: mail, push"):
        await daemon.test("post")


async def test_a_test_that_arrives_marks_the_channel_well_and_what_waits_goes_out(world: World) -> None:
    world.down["push"] = "no route"
    daemon = world.dispatcher()
    await daemon.open()
    world.told("one")
    for wait_s in (0, *BACKOFF_S[:3]):
        await world.clock.advance(wait_s)
        await daemon.round()
    world.told("two")
    assert await daemon.test("push") == "no route"
    assert list(daemon.outbox.broken()) == ["push"]
    world.down.clear()
    task = asyncio.create_task(daemon.run())
    await soon(lambda: ("mail", "two") in world.got)
    assert await daemon.test("push") == ""
    assert daemon.outbox.broken() == {}
    await soon(lambda: not daemon.outbox.waiting)
    assert {text[:3] for name, text in world.got if name == "push"} >= {"one", "two"}
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    again = world.dispatcher()
    await again.open()
    assert (again.outbox.broken(), again.outbox.waiting) == ({}, {})


async def test_a_question_that_was_answered_while_it_was_held_back_is_not_sent(world: World) -> None:
    thread_id = ThreadId("thr_1")
    state = ThreadState(thread_id, ModelContext(Transcript(lambda message: 1)))
    state.updated_ms = round(world.clock.now() * 1_000)
    state.run = OpenRun(RunId("run"), RunMessage(1, MessageId("m"), "user", 0), RunCourse(0, 0), "sulla")
    state.run.waits = {id_: Wait(id_, CallId(id_), f"May {id_}?") for id_ in ("review:1:0", "two")}
    world.threads[thread_id] = state
    world.down["push"] = "no route"
    daemon = world.dispatcher()
    await daemon.open()
    await daemon.round()
    assert len([name for name, _ in world.got if name == "mail"]) == 2
    del state.run.waits["review:1:0"]
    world.down.clear()
    await world.clock.advance(BACKOFF_S[1])
    await daemon.round()
    (told,) = [text for name, text in world.got if name == "push"]
    assert told.startswith("May two?")
    again = world.dispatcher()
    await again.open()
    assert (again.outbox.waiting, again.outbox.left_out["push"]) == ({}, 0)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (SettingsError("notices go out through Apprise"), "notices go out through Apprise"),
        (ValueError("json://user:geheim@host"), "the library failed with ValueError"),
    ],
)
async def test_what_the_library_raises_is_told_without_its_words(world: World, error: Exception, why: str) -> None:
    def send(address: str, title: str, text: str) -> str:
        raise error

    world.send = send  # type: ignore[method-assign]  # fails always
    assert await world.dispatcher().test("mail") == why


async def test_a_long_file_is_written_anew_with_what_counts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.notify.book.MAX_LINES", 5)
    daemon = world.dispatcher()
    await daemon.open()
    world.told("one")
    await daemon.round()
    lines = (world.root / FILE).read_text().splitlines()
    assert len(lines) == 4  # two channels, and what each was given
    assert (world.root / FILE).stat().st_mode & 0o777 == 0o600
    again = world.dispatcher()
    await again.open()
    await again.round()
    assert len(world.got) == 2
