"""A note to people from the tool to whoever reads the thread. The wiring is the real one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from sulla.core.errors import NotFound
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import Author, Words, ours
from sulla.daemon.build import System, build
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.gateway.commands import Advanced, Signal
from sulla.gateway.wire import TurnSend
from sulla.host.place import Place
from sulla.models.catalog import ModelName
from sulla.people.notifier import Notifier
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.builtin.notify import PersonNote
from tests.simulation.history_log import read_log

CALL = ToolCall(CallId("call_1"), "notify_user", {"text": "The report is ready.", "urgency": "high"})
SCRIPT = (Say(calls=(CALL,)), Say("Told. <AGENT_DONE>ok</AGENT_DONE>"))


@pytest.fixture
async def system(tmp_path: Path, manual_clock: ManualClock) -> AsyncIterator[System]:
    """A daemon whose model tells the user something."""
    numbers = count(1)
    place = Place(
        manual_clock,
        lambda prefix: f"{prefix}_{next(numbers)}",
        "home:boot",
        lambda: 0.5,
        wrap_provider=lambda provider: ScriptedProvider(SCRIPT),
    )
    settings = load_settings({"SULLA_STORE": "memory:"}, {}, tmp_path)
    system = build(settings, Choice(ModelName("offline"), "nothing is configured"), place)
    await system.store.open()
    yield system
    await system.store.close()


async def asked(system: System) -> ThreadId:
    """A thread in which a person has asked for it, and it was done."""
    thread_id = ThreadId(await system.service.create_thread(None, "", None, None))
    await system.service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="tell me"), "owner")
    await system.turns.attend(thread_id)
    return thread_id


async def test_a_note_is_a_numbered_event_that_a_client_gets_whenever_it_comes(system: System) -> None:
    thread_id = await asked(system)
    events = await system.service.history(thread_id, 0, None, 100)
    (notice,) = [event for event in events if event.type == "NOTICE"]
    assert notice.data == {"text": "The report is ready.", "urgency": "high", "agent": "sulla"}
    assert notice.run_id == next(event.run_id for event in events if event.type == "RUN_STARTED")
    # It stands before the result of the call that made it: an answer never comes before its note.
    kinds = [event.type for event in events]
    assert kinds.index("TOOL_CALL_START") < kinds.index("NOTICE") < kinds.index("TOOL_CALL_RESULT")
    assert kinds[-1] == "RUN_FINISHED"


async def test_who_listens_is_woken_by_it(system: System) -> None:
    thread_id = ThreadId(await system.service.create_thread(None, "", None, None))
    heard: list[Signal] = []
    async with system.service.listen(thread_id, heard.append):
        await system.service.send(TurnSend(thread_id=thread_id, message_id="msg_1", text="tell me"), "owner")
        await system.turns.attend(thread_id)
    events = await system.service.history(thread_id, 0, None, 100)
    (seq,) = [event.seq for event in events if event.type == "NOTICE"]
    assert seq in [signal.seq for signal in heard if isinstance(signal, Advanced)]


async def test_a_note_of_a_call_that_is_made_again_is_kept_once(system: System) -> None:
    thread_id = await asked(system)
    log = await system.threads.entries(thread_id)
    call = next(entry for entry in log if entry.kind == "TOOL_CALL_START")
    run_id = call.origin.run_id or RunId("")
    again = PersonNote(
        thread_id,
        run_id,
        "sulla",
        Words("The report is ready.", Author.AGENT),
        "high",
        f"{run_id}:{call.data['call_id']}",
    )
    notify = system.host.needed(Notifier)
    await notify(again)
    await notify(replace(again, words=Words(again.words.text)))
    assert [entry.kind for entry in await system.threads.entries(thread_id)] == [entry.kind for entry in log]
    assert read_log(thread_id, log)[0].breaches == []


async def test_a_thread_with_a_note_loads_and_goes_on(system: System) -> None:
    thread_id = await asked(system)
    state = await system.threads.load(thread_id)
    assert state is not None
    assert state.run is None
    assert (await system.service.get_thread(thread_id)).status == "idle"


async def test_a_note_for_a_thread_that_is_gone_is_an_error(system: System) -> None:
    with pytest.raises(NotFound):
        await system.host.needed(Notifier)(
            PersonNote(ThreadId("thr_no"), RunId("run_1"), "", ours("x"), "normal", "key")
        )
