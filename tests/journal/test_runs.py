"""A run's events are read back from its end, however long it was and whatever lies between."""

from __future__ import annotations

import pytest

from sulla.core.errors import CorruptRecord, NotFound
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.journal import runs
from sulla.journal.runs import events_of
from sulla.testing.provider import Say
from tests.journal.desk import DONE, Desk

LONG = 30


async def _long_run(desk: Desk) -> tuple[ThreadId, RunId, int]:
    """A run with more events than are read at once, and the number of its last one."""
    calls = [ToolCall(CallId(str(number)), "look", {"what": str(number)}) for number in range(LONG)]
    desk.provider.add(*(Say("", (call,)) for call in calls), DONE)
    thread_id = await desk.say()  # takes the first step of the script: a call, and so on to the end
    log = await desk.world.log(thread_id)
    run_id = log[-1].origin.run_id
    assert run_id is not None
    return thread_id, run_id, log[-1].seq


async def test_a_long_run_is_read_from_its_message_to_its_end(desk: Desk) -> None:
    thread_id, run_id, end = await _long_run(desk)
    assert end > runs.PAGE
    found = await events_of(desk.world.threads, thread_id, run_id, end)
    assert [entry.seq for entry in found] == list(range(2, end + 1))


async def test_a_later_run_begins_with_its_own_message(desk: Desk) -> None:
    thread_id = await desk.say()
    first_end = (await desk.world.log(thread_id))[-1].seq
    await desk.say("again", thread_id)
    last = (await desk.world.log(thread_id))[-1]
    assert last.origin.run_id is not None
    found = await events_of(desk.world.threads, thread_id, last.origin.run_id, last.seq)
    assert found[0].seq == first_end + 1
    assert found[0].kind == "INPUT"


async def test_a_run_that_never_began_is_an_error(desk: Desk) -> None:
    thread_id = await desk.say()
    with pytest.raises(CorruptRecord, match="the beginning of the run 'run_x'"):
        await events_of(desk.world.threads, thread_id, RunId("run_x"), 7)


async def test_a_beginning_is_not_looked_for_without_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    thread_id, run_id, end = await _long_run(desk)
    monkeypatch.setattr(runs, "MAX_EVENTS", runs.PAGE // 2)
    with pytest.raises(CorruptRecord, match="is not among its last 32 events"):
        await events_of(desk.world.threads, thread_id, run_id, end)


async def test_a_thread_that_is_gone_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        await events_of(desk.world.threads, ThreadId("thr_x"), RunId("run_x"), 7)
