"""A child run is isolated, counted and bounded; what it came to reaches whoever asked for it once, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.agent.subagents.children import Children, ChildTask
from sulla.core.errors import LimitReached
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall, ToolResult
from sulla.core.words import Words, ours
from sulla.models.base import ChatRequest
from sulla.store.memory import MemoryStore
from sulla.testing.mortal import Killed, Mortal, is_kill
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import ChildStarted, child_thread
from sulla.threads.log.kind import CHILD
from sulla.threads.log.records import Answer, Outcome, RunFinished, RunStarted, ToolCallResult
from sulla.threads.log.state import ThreadState
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

DONE = "All right. <AGENT_DONE>ok</AGENT_DONE>"
FOUND = "It is blue. <AGENT_DONE>blue</AGENT_DONE>"


def spawn(call: str, task: str, **more: Any) -> ToolCall:
    return ToolCall(CallId(call), "spawn_sub_agent", {"task": task, **more})


def calls(*made: ToolCall) -> Say:
    return Say("", made)


class Plays:
    """Answers by what it is shown, so that a call that is made again gets the same reply.

    Args:
        answer: gives the reply, for the first message of a conversation and the results in it so far.
    """

    def __init__(self, answer: Callable[[str, list[ToolResult]], Say]) -> None:
        self.name = "model"
        self._answer = answer

    async def stream(self, request: ChatRequest) -> AsyncIterator[Any]:
        asked = next(m.text for m in request.messages if m.role == "user")
        results = [p for m in request.messages for p in m.parts if isinstance(p, ToolResult)]
        async for delta in ScriptedProvider([self._answer(asked, results)]).stream(request):
            yield delta

    async def close(self) -> None: ...


def sub_of(result: ToolResult) -> str:
    """The id that a spawned child was given."""
    return result.text.partition(" ")[0]


class Home:
    """A home whose agent can have sub-agents."""

    def __init__(self, store: Any, provider: Any, *tools: Tool, boot: int = 1, limits: RunLimits | None = None) -> None:
        self.provider = provider
        self.world = World(
            store, provider, tools=(*sub_agent_tools(lambda: self.world.family), *tools), boot=boot, limits=limits
        )

    async def child(self, parent: ThreadId, nth: int = 0) -> ThreadId:
        begun = [e.fact for e in await self.world.log(parent) if isinstance(e.fact, ChildStarted)]
        return begun[nth].thread_id

    async def ends(self, thread: ThreadId) -> list[Outcome]:
        return [e.fact.outcome for e in await self.world.log(thread) if isinstance(e.fact, RunFinished)]

    async def told(self, thread: ThreadId) -> list[ToolCallResult]:
        """What the calls of a thread came to."""
        return [e.fact for e in await self.world.log(thread) if isinstance(e.fact, ToolCallResult)]

    def results(self) -> list[ToolResult]:
        """What the model was told last of its calls."""
        last = self.provider.requests[-1].messages[-1]
        return [part for part in last.parts if isinstance(part, ToolResult)]


def home_of(
    store: MemoryStore, *steps: Say | str, tools: tuple[Tool, ...] = (), limits: RunLimits | None = None
) -> Home:
    return Home(store, ScriptedProvider(steps), *tools, limits=limits)


async def test_a_called_child_sees_its_task_alone_and_its_parent_waits_without_holding_anything(
    store: MemoryStore,
) -> None:
    home = home_of(store, calls(spawn("a", "Which colour has the sky?")))
    thread = await home.world.thread()
    await home.world.ask(thread, "My secret is 42. Have somebody look at the sky.")
    info = await store.head(thread)
    assert info is not None
    assert (info.head.status, info.held) == ("suspended", False)
    home.provider.add(FOUND, DONE)
    await home.world.work()
    child_request = home.provider.requests[1]
    assert next(m.text for m in child_request.messages if m.role == "user").startswith("Which colour has the sky?")
    assert "42" not in str(child_request.messages)
    (result,) = home.results()
    assert "is done:\nIt is blue." in result.text
    assert result.origin == "child"
    assert not result.is_error
    assert [o.status for o in await home.ends(thread)] == ["done"]
    home.provider.assert_done()


async def test_what_a_child_says_does_not_taint_by_itself(store: MemoryStore) -> None:
    home = home_of(store, calls(spawn("a", "look")), FOUND, DONE)
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.work()
    state = await home.world.threads.load(thread)
    assert state is not None
    assert not state.context.tainted


async def _page(context: ToolContext) -> Result:
    """Read the page."""
    return Done(Words("Buy now!"), origin="web")


async def test_taint_goes_from_parents_to_children_and_back(store: MemoryStore) -> None:
    page = define(_page, effect="pure", reach="inward")
    read = ToolCall(CallId("r"), "_page", {})
    # The child reads a page: its parent is tainted by what it says.
    home = home_of(store, calls(spawn("a", "read it")), calls(read), FOUND, DONE, tools=(page,))
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.work()
    state = await home.world.threads.load(thread)
    assert state is not None
    assert state.context.tainted
    # And a tainted parent's child is tainted from its first word.
    home.provider.add(calls(spawn("b", "more")), FOUND, DONE)
    await home.world.ask(thread, "again")
    await home.world.work()
    child = await home.world.threads.load(await home.child(thread, 1))
    assert child is not None
    assert child.context.tainted


async def test_children_work_beside_their_parent_and_are_waited_for_together(store: MemoryStore) -> None:
    def answer(asked: str, results: list[ToolResult]) -> Say:
        if asked.startswith(("one", "two")):
            return Say(f"Found {asked[:3]}. <AGENT_DONE>x</AGENT_DONE>")
        if not results:
            return calls(spawn("a", "one", mode="spawn"), spawn("b", "two", mode="spawn"))
        if len(results) == 2:
            return calls(ToolCall(CallId("w"), "wait_sub_agents", {"ids": [sub_of(result) for result in results]}))
        return Say(f"{results[-1].text} <AGENT_DONE>ok</AGENT_DONE>")

    home = Home(store, Plays(answer))
    thread = await home.world.thread()
    await home.world.send(thread, "go")
    await home.world.work()
    state = await home.world.threads.load(thread)
    assert state is not None
    assert "Found one." in state.context.transcript[-1].text
    assert "Found two." in state.context.transcript[-1].text
    assert state.links.children == {}


async def test_depth_four_is_refused_in_words_the_model_can_act_on(store: MemoryStore) -> None:
    home = home_of(
        store,
        calls(spawn("a", "1")),
        calls(spawn("b", "2")),
        calls(spawn("c", "3")),
        calls(spawn("d", "4")),
        *[DONE] * 4,
    )
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.work()
    told = [r for q in home.provider.requests for m in q.messages for r in m.parts if isinstance(r, ToolResult)]
    refusals = {r.text for r in told if r.is_error}
    assert refusals == {"sub-agents go 3 deep at the most, and this one is at depth 3: do it yourself"}
    assert [o.status for o in await home.ends(thread)] == ["done"]


async def test_stopping_a_parent_ends_its_children_and_theirs(store: MemoryStore) -> None:
    home = home_of(store, calls(spawn("a", "1")), calls(spawn("b", "2")))
    world = home.world
    thread = await world.thread()
    await world.ask(thread, "go")
    child = await home.child(thread)
    await world.turns.attend(child)
    grandchild = await home.child(child)
    await world.threads.stop(thread, "s1")
    for one in (thread, child, grandchild):  # from the top down, as each is told
        await world.turns.attend(one)
    await world.work()
    for one in (thread, child, grandchild):
        assert [(o.status, o.reason) for o in await home.ends(one)] == [("cancelled", "stopped")], one
    assert "CHILD_CANCELLED" in await world.kinds(thread)
    home.provider.assert_done()


async def test_a_child_may_use_no_other_tools_than_it_was_given(store: MemoryStore) -> None:
    page = define(_page, effect="pure", reach="inward")
    home = home_of(
        store,
        calls(spawn("a", "read", tools=[])),
        calls(ToolCall(CallId("r"), "_page", {})),
        FOUND,
        DONE,
        tools=(page,),
    )
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.work()
    assert home.provider.requests[1].tools == ()
    (result,) = [p for p in home.provider.requests[2].messages[-1].parts if isinstance(p, ToolResult)]
    assert result.is_error
    assert "_page" in result.text


async def test_a_childs_child_may_use_no_tool_that_its_parent_may_not(store: MemoryStore) -> None:
    parents = ("spawn_sub_agent", "look")

    def plays(asked: str, results: list[ToolResult]) -> Say:
        if asked.startswith("deepest") or (results and not results[-1].is_error):
            return Say(FOUND)
        if asked.startswith("deeper"):
            return calls(spawn("c", "deepest") if results else spawn("b", "deepest", tools=["look", "pay"]))
        return calls(spawn("a", "deeper", tools=list(parents)))

    home = Home(store, Plays(plays), *(define(tool_named(name), effect="pure") for name in ("look", "pay")))
    thread = await home.world.thread()
    await home.world.send(thread, "go")
    await home.world.work()
    child = await home.child(thread)
    (refused, _) = await home.told(child)
    assert (refused.is_error, refused.text) == (True, "'sulla' has no tool 'pay'. Nobody was set to work.")
    state = await home.world.threads.load(await home.child(child))
    assert state is not None
    assert state.identity.birth is not None
    assert state.identity.birth.tools == parents


async def test_tools_that_a_child_cannot_have_are_refused_with_the_nearest(store: MemoryStore) -> None:
    page = define(_page, effect="pure", reach="inward")
    home = home_of(store, calls(spawn("a", "read", tools=["_pgae"])), DONE, tools=(page,))
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    (refused,) = home.results()
    assert refused.is_error
    assert refused.text == "'sulla' has no tool '_pgae'. Did you mean '_page'? Nobody was set to work."
    assert not [e for e in await home.world.log(thread) if isinstance(e.fact, ChildStarted)]
    home.provider.assert_done()


def tool_named(name: str) -> Any:
    async def act(context: ToolContext) -> Result:
        """Do it."""
        return Done(ours("done"))

    act.__name__ = name
    return act


async def test_an_agent_sets_no_strangers_to_work(store: MemoryStore) -> None:
    home = home_of(store, calls(spawn("a", "go", agent="admin")), DONE)
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    (result,) = home.results()
    assert result.text == "You may not set 'admin' to work. Known: helper."
    assert not [k for k in await home.world.kinds(thread) if k.startswith("CHILD")]


async def test_what_children_use_counts_for_their_parent(store: MemoryStore) -> None:
    home = home_of(store, calls(spawn("a", "look")), FOUND, limits=RunLimits(tokens=9_000, reply_tokens=100))
    thread = await home.world.thread()
    await home.world.ask(thread, "go")
    await home.world.turns.attend(await home.child(thread))
    before = await home.world.threads.load(thread)
    home.provider.add(DONE)
    await home.world.turns.attend(thread)
    after = await home.world.threads.load(thread)
    assert before is not None
    assert after is not None
    assert before.run is not None
    assert after.spending.tokens - before.run.spent.tokens == 2 * 120  # the child's call and its own last one
    child = await home.world.threads.load(await home.child(thread))
    assert child is not None
    assert child.identity.birth is not None
    assert child.identity.birth.tokens == (9_000 - 120) // 2


async def test_a_run_has_so_many_children_at_once_and_no_more(store: MemoryStore) -> None:
    home = home_of(store, limits=RunLimits(tokens=10**7, reply_tokens=1))
    world = home.world
    thread = await world.thread()
    await world.send(thread, "go")
    session = await world.threads.attend(thread)
    assert session is not None
    item = session.state.runnable[0]
    await session.commit(RunStarted(item.seq, item.message_id, "sulla"))
    children: Children = world.family.children
    for number in range(CHILD.max_children):
        await children.start(ChildTask(f"c{number}", "sulla", ours("go"), "spawn"), session.state)
        await session.pull()
    with pytest.raises(LimitReached, match="have not reported yet"):
        await children.start(ChildTask("more", "sulla", ours("go"), "spawn"), session.state)
    # One that is there already is not one more.
    assert await children.start(ChildTask("c0", "sulla", ours("go"), "spawn"), session.state) == child_thread("c0")


async def test_a_child_that_a_flow_gives_more_tools_has_those_of_its_parent_alone(store: MemoryStore) -> None:
    home = home_of(store, limits=RunLimits(tokens=10**7, reply_tokens=1))
    world, thread = home.world, await home.world.thread()
    await world.send(thread, "go")
    state = await _begun(world, thread)
    children: Children = world.family.children
    child = await children.start(ChildTask("c", "sulla", ours("go"), "spawn", tools=("look",)), state)
    await world.send(child, "go on")
    deeper = await children.start(
        ChildTask("d", "sulla", ours("go"), "spawn", tools=("look", "pay")), await _begun(world, child)
    )
    found = await world.threads.load(deeper)
    assert found is not None
    assert found.identity.birth is not None
    assert found.identity.birth.tools == ("look",)


async def _begun(world: World, thread: ThreadId) -> ThreadState:
    """The thread as its first turn begins."""
    session = await world.threads.attend(thread)
    assert session is not None
    item = session.state.runnable[0]
    await session.commit(RunStarted(item.seq, item.message_id, "sulla"))
    return session.state


# ------------------------------------------------------------------------------------------------------- kill -9


def obedient(asked: str, results: list[ToolResult]) -> Say:
    if asked.startswith("look"):
        return Say(FOUND)
    if not results:
        return calls(spawn("a", "look at the sky"))
    return Say(f"I am told: {results[-1].text} <AGENT_DONE>ok</AGENT_DONE>")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("dies_at", range(1, 22))
async def test_killed_at_any_change_the_parent_gets_the_result_once(
    store: MemoryStore, dies_at: int, *, after: bool
) -> None:
    first = Home(store, Plays(obedient))
    thread = await first.world.thread()
    await first.world.send(thread, "Have somebody look.")
    mortal = Mortal(store, dies_at, after=after)
    model = Plays(obedient)
    killed = Home(mortal, model, boot=2)
    try:
        await killed.world.work()
        died = False
    except (Killed, BaseExceptionGroup) as error:
        if not is_kill(error):
            raise
        died = True
    # The next boot of the same home takes over at once.
    last = Home(store, model, boot=3)
    await last.world.work()
    child = await last.child(thread)
    assert [o.status for o in await last.ends(thread)] == ["done"]
    assert [o.status for o in await last.ends(child)] == ["done"]
    log = await last.world.log(thread)
    answers = [e.fact for e in log if isinstance(e.fact, Answer)]
    assert len(answers) == 1
    results = [e for e in log if e.kind == "TOOL_CALL_RESULT"]
    assert len(results) == 1
    assert "It is blue." in str(results[0].data["text"])
    state = await last.world.threads.load(thread)
    assert state is not None
    assert state.links.children == {}
    assert died or dies_at > 12


async def test_a_child_that_reports_before_it_is_waited_for_is_not_lost(store: MemoryStore) -> None:
    gate = Gate()

    def answer(asked: str, results: list[ToolResult]) -> Say:
        if asked.startswith("look"):
            return Say(FOUND)
        if not results:
            return calls(spawn("a", "look", mode="spawn"))
        if len(results) == 1:
            return Say(("Hm", gate), (ToolCall(CallId("w"), "wait_sub_agents", {"ids": [sub_of(results[0])]}),))
        return Say(f"{results[-1].text} <AGENT_DONE>ok</AGENT_DONE>")

    home = Home(store, Plays(answer))
    world = home.world
    thread = await world.thread()
    await world.send(thread, "go")
    async with asyncio.TaskGroup() as group:
        group.create_task(world.turns.attend(thread))
        await gate.reached()
        await world.turns.attend(await home.child(thread))  # it has ended before anybody waits for it
        gate.open()
    await world.work()
    state = await world.threads.load(thread)
    assert state is not None
    assert "It is blue." in state.context.transcript[-1].text
    assert [o.status for o in await home.ends(thread)] == ["done"]
