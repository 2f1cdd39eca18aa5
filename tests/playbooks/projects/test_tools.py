"""An agent has a project planned and worked on, and its turn is over."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import Origin, ToolCall, ToolResult
from sulla.core.words import Author, Words
from sulla.playbooks.projects.asked import PlanWanted, WorkWanted
from sulla.playbooks.projects.tools import plan_tools
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.testing.world import World
from sulla.threads.log.records import Input
from sulla.tools.base import Done, Result, ToolContext
from sulla.tools.define import define
from tests.doubles.plans import MemoryPlans


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    store = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_1")
    await store.open()
    yield store
    await store.close()


async def page(context: ToolContext) -> Result:
    """Read a page."""
    return Done(Words("buy now", Author.OUTSIDE))


def call(tool: str, /, **args: Json) -> ToolCall:
    return ToolCall(CallId("c1"), tool, {"project": "garden", **args})


class Home:
    def __init__(self, store: MemoryStore, *said: Step) -> None:
        self.plans = MemoryPlans()
        self.provider = ScriptedProvider(list(said))
        tools = (*plan_tools(self.plans, World(store, self.provider).threads), define(page, effect="pure"))
        self.world = World(store, self.provider, tools=tools)

    async def ask(self, *, origin: Origin = "user", thread: ThreadId | None = None) -> list[str]:
        """Have one message worked on; what the tools said, or the last words."""
        thread = thread if thread is not None else await self.world.thread()
        await self.world.threads.send(thread, Input(MessageId("m1"), "go", origin=origin))
        await self.world.work()
        state = await self.world.threads.load(thread)
        assert state is not None
        said = [state.context.transcript[-1].text]
        for message in state.context.transcript:
            said += [part.text for part in message.parts if isinstance(part, ToolResult)]
        return said


async def test_planning_ends_the_turn_and_is_told_with_the_run(store: MemoryStore) -> None:
    home = Home(store, Say("", (call("plan_project", goal="beds"),)))
    said = await home.ask()
    assert len(home.provider.requests) == 1
    (run,) = home.plans.asked
    assert said[0] == f"garden is being planned: {run}. You will be told what comes of it."
    assert home.plans.asked[run] == PlanWanted("garden", "beds")
    asker = home.plans.askers[run]
    assert (asker.by.tainted, bool(asker.thread), bool(asker.run_id)) == (False, True, True)


async def test_work_is_begun_for_so_many_tasks(store: MemoryStore) -> None:
    home = Home(store, Say("", (call("work_on_project", tasks=3),)))
    assert "garden is being worked on: " in (await home.ask())[0]
    assert list(home.plans.asked.values()) == [WorkWanted("garden", tasks=3)]


async def test_a_conversation_that_has_read_a_page_asks_with_words_from_outside(store: MemoryStore) -> None:
    read = Say("", (ToolCall(CallId("c0"), "page", {}),))
    home = Home(store, read, Say("", (call("plan_project", goal="beds"),)))
    await home.ask()
    assert [asker.by.tainted for asker in home.plans.askers.values()] == [True]


@pytest.mark.parametrize(("tool", "args"), [("plan_project", {"goal": "beds"}), ("work_on_project", {})])
async def test_a_step_of_a_playbook_and_a_turn_that_tells_of_one_begin_nothing(
    store: MemoryStore, tool: str, args: dict[str, Json]
) -> None:
    home = Home(store, Say("", (call(tool, **args),)), Say("All right. <AGENT_DONE>ok</AGENT_DONE>"))
    said = await home.ask(origin="playbook")
    assert any("only tells what came of a playbook" in words for words in said), said
    assert home.plans.asked == {}
