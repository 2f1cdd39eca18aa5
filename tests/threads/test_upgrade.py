"""What an older version kept is read, and goes on, under this one.

`data/kept-by-0.1.0.db` is a store as version 0.1.0 wrote it: a conversation with tools, a nudge, a loop and a stop; a
run that waits for an answer; a message that nobody has taken up; a conversation with a summary.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sulla.core.ids import MessageId, ThreadId
from sulla.store.sqlite.store import SqliteStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.records import Answer, Input
from tests.agent.turn.test_turns import Hands

OLD = Path(__file__).with_name("data") / "kept-by-0.1.0.db"
TALK, ASKED, WAITING, SUMMED = (ThreadId(f"thr_1_{number}") for number in (1, 7, 9, 11))
DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    shutil.copy(OLD, tmp_path / "sulla.db")
    clock = ManualClock()
    clock.jump(86_400)
    numbers = iter(range(10**6))
    made = SqliteStore(tmp_path / "sulla.db", clock, lambda prefix: f"{prefix}_new{next(numbers)}")
    await made.open()
    yield made
    await made.close()


def world(store: SqliteStore, *script: str) -> tuple[World, ScriptedProvider]:
    hands, provider = Hands(), ScriptedProvider(script)
    clock = ManualClock()
    clock.jump(86_400)
    return World(store, provider, tools=(hands.tool("look"), hands.asking()), clock=clock, boot=2), provider


async def test_every_record_and_every_head_is_read(store: SqliteStore) -> None:
    here, _ = world(store)
    listed = {info.key: state for info, state in await here.threads.list()}
    assert set(listed) == {TALK, ASKED, WAITING, SUMMED}
    assert all(state is not None for state in listed.values())
    for thread in listed:
        entries = await here.log(ThreadId(thread))
        assert all(entry.fact is not None for entry in entries)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


async def test_a_conversation_goes_on_with_what_was_said(store: SqliteStore) -> None:
    here, provider = world(store, DONE)
    await here.ask(TALK, "do you remember?")
    roles = [message.role for message in provider.requests[0].messages]
    assert roles[:4] == ["user", "assistant", "tool", "assistant"]
    assert provider.requests[0].messages[0].text.startswith("look around")
    assert (await here.kinds(TALK))[-1] == "RUN_FINISHED"


async def test_what_was_asked_can_be_answered(store: SqliteStore) -> None:
    here, provider = world(store, DONE)
    (info, state), *_ = await here.threads.list(status="suspended")
    assert info.key == ASKED
    assert state is not None
    assert state.run is not None
    (wait_id,) = state.run.waits
    await here.threads.answer(ASKED, Answer(wait_id, "you may"))
    await here.turns.attend(ASKED)
    assert "you may" in str(provider.requests[0].messages[-1].parts)
    assert (await here.kinds(ASKED))[-1] == "RUN_FINISHED"


async def test_a_message_that_waited_gets_its_run_and_a_re_send_the_same_one(store: SqliteStore) -> None:
    here, _ = world(store, DONE)
    (entry,) = [entry for entry in await here.log(WAITING) if entry.kind == "INPUT"]
    again = await here.threads.send(WAITING, Input(MessageId(str(entry.data["message_id"])), "not answered yet"))
    assert (again.first, again.run_id) == (False, entry.origin.run_id)
    await here.turns.attend(WAITING)
    assert (await here.kinds(WAITING))[-1] == "RUN_FINISHED"


async def test_an_older_summary_stands_before_the_messages_that_it_does_not_cover(store: SqliteStore) -> None:
    here, provider = world(store, DONE)
    await here.ask(SUMMED, "third")
    messages = provider.requests[0].messages
    assert "They said first." in messages[0].text
    assert [message.text.split("<")[0] for message in messages if message.role == "user"][1:] == ["second", "third"]
