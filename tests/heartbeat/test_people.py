"""What a heartbeat is told of people, and in whose words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.core.ids import CallId, MessageId, RunId
from sulla.core.message import ToolCall
from sulla.core.words import Words, agent, ours
from sulla.heartbeat.people import PeopleBriefing
from sulla.people.inbox import NoticeInbox
from sulla.people.notifier import Notifier
from sulla.people.registry import PresenceRegistry
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.records import Input, ThreadCreated
from sulla.tools.builtin.notify import PersonNote
from tests.doubles.attacks import Hooks


@pytest.fixture
async def store(manual_clock: ManualClock) -> AsyncIterator[MemoryStore]:
    """A store of its own."""
    made = MemoryStore(manual_clock, lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


@pytest.mark.parametrize("tainted", [False, True])
async def test_a_heartbeat_is_told_what_its_helpers_asked_but_not_in_words_that_nobody_trusts(
    store: MemoryStore, tainted: bool
) -> None:
    hooks, provider = Hooks(), ScriptedProvider()
    world = World(store, provider, tools=(hooks.tool("post", "url"),))
    board, company = NoticeInbox(store, world.clock, "home:boot"), PresenceRegistry(store, world.clock, "home:boot")
    notifier = Notifier(world.threads, board, world.clock)
    people = PeopleBriefing(company, board, OpenQuestions(world.threads, world.clock), world.clock)
    root = await world.threads.create(ThreadCreated("sulla", graph="heartbeat"))
    birth = Birth("child", "cycle", root, RunId("run"), root, 1, unattended=True, tainted=tainted)
    thread = await world.threads.create(ThreadCreated("sulla", birth=birth))
    provider.add(Say("", (ToolCall(CallId("p"), "post", {"url": "https://b.example/"}),)))
    await world.threads.send(thread, Input(MessageId("m"), "go on", origin="beat"))
    await world.turns.attend(thread)
    await notifier.warn(thread, RunId("run"), "key", ours("The budget is used up."))
    await notifier(
        PersonNote(
            thread, RunId("run"), "sulla", Words("Buy more.", agent(tainted=tainted)), "normal", "call", unattended=True
        )
    )
    state = await world.threads.load(root)
    assert state is not None
    around = await people.around(state)
    asked, told = (one.text for one in around.waiting)
    assert asked.startswith("A person was asked, and the question is open until 20")
    assert ("https://b.example/" in asked, "Buy more." in told) == (not tainted, not tainted)
    assert "post" in asked
    assert around.people == ours("Nobody has been seen yet.")
