"""Every event of every thread gets one line, whatever goes wrong; and nobody waits for it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import random
import threading
from typing import Any

import pytest

from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.redact import MARK, Redactor
from sulla.journal.runs import TrainingFilter
from sulla.journal.training import PromptFrame
from sulla.store.values import Draft, Head
from sulla.testing.clock import ManualClock
from sulla.threads import follower, pending
from sulla.threads.log.records import ThreadCreated
from sulla.threads.pending import Intervals
from tests.journal.desk import DONE, Desk, lines_of, older_first, until
from tests.kits.points import some

KEY = "sk-ant-0123456789"


class Disk:
    """A disk that fills up, and one that stands still."""

    def __init__(self) -> None:
        self.room: int | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()

    def write(self, handle: int, data: bytes) -> int:
        """As `os.write`, as far as there is room."""
        self.reached.set()
        self.gate.wait()
        if self.room is None:
            return os.write(handle, data)
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = os.write(handle, data[: self.room])
        self.room -= count
        return count


@pytest.fixture
def disk(desk: Desk) -> Disk:
    """The disk that the journal is on."""
    disk = Disk()
    desk.write = disk.write
    return disk


def _told(caplog: pytest.LogCaptureFixture, text: str) -> int:
    return sum(text in record.getMessage() for record in caplog.records)


# ------------------------------------------------------------------------------------------------------ following


async def test_a_thread_is_written_when_it_is_told_that_somebody_worked_on_it(desk: Desk) -> None:
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "up to date")
        thread_id = await desk.say()
        assert desk.written == []
        journal.wake(thread_id)
        await until(lambda: bool(desk.written))
        await desk.say("again", thread_id)
        journal.wake(thread_id)
    await desk.check()


async def test_what_was_worked_on_just_before_the_stop_is_written(desk: Desk) -> None:
    journal = desk.journal()
    running = asyncio.ensure_future(journal.run())
    await until(lambda: journal.status()["journal"] == "up to date")
    journal.wake(await desk.say())
    await journal.stop(20.0)
    await running
    await desk.check()


async def test_what_was_missed_is_written_at_the_start(desk: Desk) -> None:
    for number in range(5):
        await desk.say(f"hello {number}")
    await desk.catch_up()
    await desk.check()
    assert len({thread_id for thread_id, _ in desk.written}) == 5


async def test_a_second_start_adds_nothing(desk: Desk) -> None:
    await desk.say()
    await desk.catch_up()
    before = desk.written
    await desk.catch_up()
    assert desk.written == before


async def test_a_thread_that_nobody_worked_on_is_found_in_time(desk: Desk) -> None:
    clock = ManualClock()
    async with desk.open(clock) as journal:
        await until(lambda: journal.status()["journal"] == "up to date")
        await desk.world.thread()
        await clock.advance(Intervals().sweep_s - 60)
        assert desk.written == []
        await clock.advance(60)
        await until(lambda: bool(desk.written), clock)
    await desk.check()


async def test_more_threads_than_can_wait_are_all_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MAX_WOKEN", 2)
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "up to date")
        for thread_id in [await desk.say() for _ in range(5)]:
            journal.wake(thread_id)
        await until(lambda: journal.status()["journal"] == "up to date")
    await desk.check()


async def test_more_threads_than_one_page_are_all_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_THREADS", 3)
    for _ in range(9):
        await desk.world.thread()
    await desk.catch_up()
    await desk.check()


@pytest.mark.parametrize("seed", some(range(4), 1, "kills of the journal"))
async def test_under_load_with_rotation_and_kills_every_event_has_one_line(desk: Desk, seed: int) -> None:
    chance = random.Random(seed)
    desk.file_bytes = 6000
    threads = [await desk.world.thread() for _ in range(4)]
    for _ in range(6):
        journal = desk.journal()
        running = asyncio.ensure_future(journal.run())
        for _ in range(chance.randint(1, 8)):
            thread_id = await desk.say("x" * chance.randint(0, 3000), chance.choice(threads))
            journal.wake(thread_id)
        for _ in range(chance.randint(0, 400)):
            await asyncio.sleep(0)
        running.cancel()  # no good-bye: whatever was begun goes on to its end on the thread, and nothing after it
        await asyncio.wait([running])
        await until(lambda: not any(thread.name == "journal" for thread in threading.enumerate()))
        current = desk.folder / "conversations.jsonl"
        if current.exists() and current.stat().st_size:
            os.truncate(current, chance.randint(max(0, current.stat().st_size - 300), current.stat().st_size))
    await desk.catch_up()
    await desk.check()
    files = older_first(desk.folder / "conversations.jsonl")
    assert len(files) > 3
    assert all(file.stat().st_size <= 6000 for file in files)


async def test_the_journal_takes_no_more_room_than_it_may(desk: Desk) -> None:
    desk.file_bytes, desk.keep_files = 5000, 2
    async with desk.open() as journal:
        for _ in range(30):
            journal.wake(await desk.say("x" * 500))
    files = older_first(desk.folder / "conversations.jsonl")
    assert len(files) == 3
    assert all(file.stat().st_size <= 5000 for file in files)
    before = desk.written
    await desk.catch_up()
    assert desk.written == before, "what was removed for want of room is not written again"


async def test_secrets_are_not_written(desk: Desk) -> None:
    desk.redactor = Redactor([KEY])
    desk.training = TrainingFilter({"sulla": PromptFrame(("You are Sulla.",))})
    await desk.say(f'my key is {KEY}, as JSON {{"key": "{KEY}"}}')
    await desk.catch_up()
    written = [path.read_bytes() for path in desk.folder.iterdir()]
    assert not any(KEY.encode() in content for content in written)
    assert sum(content.count(MARK.encode()) for content in written) >= 4


# ------------------------------------------------------------------------------------------------- deleted threads


async def test_a_deleted_thread_is_forgotten(desk: Desk) -> None:
    thread_id = await desk.say()
    await desk.catch_up()
    before = desk.written
    await desk.world.threads.delete(thread_id)
    async with desk.open() as journal:
        journal.wake(thread_id)
    assert desk.written == before


@pytest.mark.parametrize("turns", [0, 1, 2], ids=["shorter", "as long", "longer"])
@pytest.mark.parametrize("told", [True, False], ids=["told", "found"])
async def test_another_thread_with_a_known_id_is_written_from_its_beginning(desk: Desk, turns: int, told: bool) -> None:
    thread_id = await desk.world.threads.create(ThreadCreated("sulla"), "request")
    await desk.say("first life", thread_id)
    await desk.catch_up()
    before = desk.written
    await desk.world.threads.delete(thread_id)
    await desk.clock.advance(1)
    assert await desk.world.threads.create(ThreadCreated("sulla"), "request") == thread_id
    for _ in range(turns):
        await desk.say("second life", thread_id)
    async with desk.open() as journal:
        if told:
            journal.wake(thread_id)
        await until(lambda: journal.status()["journal"] == "up to date")
    assert desk.written[len(before) :] == await desk.kept()
    await desk.catch_up()
    assert desk.written[len(before) :] == await desk.kept()


# -------------------------------------------------------------------------------------------------------- trouble


async def test_a_full_disk_stops_no_turn_is_told_once_and_caught_up_with(
    desk: Desk, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    disk.room = 1000
    async with desk.open(clock) as journal:
        thread_id = await desk.say()
        journal.wake(thread_id)
        await until(lambda: journal.status()["journal"] == "failing")
        for _ in range(3):
            await desk.say("still there?", thread_id)
            journal.wake(thread_id)
            await clock.advance(60)
        assert journal.status()["journal_error"] == f"{desk.folder}: No space left on device"
        assert _told(caplog, "the journal cannot be written") == 1
        caplog.set_level(logging.INFO)
        disk.room = None
        await clock.advance(300)
        await until(lambda: journal.status()["journal"] == "up to date", clock)
        assert _told(caplog, "the journal is written again") == 1
    await desk.check()


async def test_a_folder_that_cannot_be_made_is_told_with_its_name(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.folder.write_text("a file in its place")
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "failing")
    assert _told(caplog, f"the journal cannot be written: {desk.folder}: File exists; turns go on") == 1


async def test_a_damaged_table_is_told_with_the_remedy(desk: Desk) -> None:
    await desk.say()
    desk.folder.mkdir()
    (desk.folder / "positions").write_text("nonsense\n")
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "failing")
        error = str(journal.status()["journal_error"])
        assert error.startswith(f"{desk.folder / 'positions'} is damaged (the row at byte 0")
        assert error.endswith("move the folder away to have all written anew")
    assert desk.written == []


async def test_a_turn_does_not_wait_for_a_slow_journal(desk: Desk, disk: Disk) -> None:
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "up to date")
        disk.gate.clear()
        disk.reached.clear()
        journal.wake(await desk.say())
        await until(disk.reached.is_set)
        for _ in range(10):
            journal.wake(await desk.say())  # a whole turn each, while the disk stands still
        assert journal.status()["journal"] == "behind"
        assert desk.written == []
        disk.gate.set()
    await desk.check()


async def test_a_stop_waits_no_longer_than_it_may_for_a_disk_that_stands_still(
    desk: Desk, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    clock = ManualClock()
    journal = desk.journal(clock)
    running = asyncio.ensure_future(journal.run())
    disk.gate.clear()
    journal.wake(await desk.say())
    await until(disk.reached.is_set)
    stopping = asyncio.ensure_future(journal.stop(2.0))
    await clock.advance(1.9)
    assert not stopping.done()
    await clock.advance(0.2)
    await stopping
    await asyncio.wait([running])
    assert _told(caplog, "it catches up at the next start") == 1
    disk.gate.set()
    await until(lambda: not any(thread.name == "journal" for thread in threading.enumerate()))
    await desk.catch_up()
    await desk.check()


async def test_a_store_that_does_not_answer_is_asked_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.say()
    real, failures = desk.store.find, iter([StoreUnavailable("gone"), StoreUnavailable("gone")])

    async def find(**question: Any) -> Any:
        if (failure := next(failures, None)) is not None:
            raise failure
        return await real(**question)

    monkeypatch.setattr(desk.store, "find", find)
    clock = ManualClock()
    async with desk.open(clock) as journal:
        await until(lambda: journal.status()["journal_error"] == "gone")
        await clock.advance(1)
        await clock.advance(5)
        await until(lambda: journal.status()["journal"] == "up to date", clock)
    await desk.check()


async def test_a_thread_that_cannot_be_read_is_told_once_and_keeps_nobody_else_back(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    bad = ThreadId("thr_0_bad")
    await desk.store.offer(bad, "1", Draft("THREAD_CREATED", b"1 00000000 {}"), digest=b"", create=Head("thread"))
    good = await desk.say()
    async with desk.open() as journal:
        await until(lambda: journal.status()["journal"] == "up to date")
        journal.wake(bad)
        journal.wake(good)
        await until(lambda: journal.status()["journal"] == "up to date")
        assert journal.status()["journal_unreadable"] == [bad]
    assert _told(caplog, "a thread cannot be read, so its journal ends here: thr_0_bad record 1") == 1
    assert {thread_id for thread_id, _ in desk.written} == {good}


async def test_a_failure_that_nobody_foresaw_concerns_one_thread_and_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = await desk.say(), await desk.say()
    real = desk.world.threads.entries

    async def entries(thread_id: ThreadId, **bounds: Any) -> Any:
        if thread_id == first:
            raise RecursionError("too deep")
        return await real(thread_id, **bounds)

    monkeypatch.setattr(desk.world.threads, "entries", entries)
    await desk.catch_up()
    assert {thread_id for thread_id, _ in desk.written} == {second}
    (told,) = [
        record for record in caplog.records if "the journal failed on a thread as nobody foresaw" in record.getMessage()
    ]
    assert told.exc_info is not None


# -------------------------------------------------------------------------------------------------- training log


async def test_each_finished_run_gives_one_example_also_over_kills(desk: Desk, disk: Disk) -> None:
    desk.training = TrainingFilter({"sulla": PromptFrame(("You are Sulla.",))})
    thread_id = await desk.say("one")
    for room in range(0, 4000, 190):
        disk.room = room
        async with desk.open() as journal:
            await until(lambda journal=journal: journal.status()["journal"] != "behind")  # type: ignore[misc]  # one each
    disk.room = None
    await desk.say("two", thread_id)
    await desk.catch_up()
    await desk.check()
    examples = lines_of(desk.folder / "training.jsonl")
    assert [example["messages"][1]["content"][:3] for example in examples] == ["one", "two"]


async def test_runs_that_ended_otherwise_give_none_unless_they_are_asked_for(desk: Desk) -> None:
    desk.training = TrainingFilter({"sulla": PromptFrame(("You are Sulla.",))})
    desk.provider.add("I cannot. <AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>")
    thread_id = await desk.world.thread()
    await desk.world.ask(thread_id, "open it")
    await desk.catch_up()
    assert lines_of(desk.folder / "training.jsonl") == []
    desk.training = TrainingFilter(desk.training.frames, ("blocked",))
    desk.provider.add("I cannot. <AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>", DONE)
    await desk.world.ask(thread_id, "open it now")
    await desk.world.ask(thread_id, "thanks")
    await desk.catch_up()
    (example,) = lines_of(desk.folder / "training.jsonl")
    assert example["metadata"]["outcome"]["status"] == "blocked"


async def test_without_a_training_log_there_is_none(desk: Desk) -> None:
    await desk.say()
    await desk.catch_up()
    assert sorted(path.name for path in desk.folder.iterdir()) == ["conversations.jsonl"]
