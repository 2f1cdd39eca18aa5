"""Who has not answered once is not asked twice: the same call, by the same agent, where nobody asked for it."""

from __future__ import annotations

from itertools import count

import pytest

from sulla.agent.approvals.approvals import APPROVAL_S, SHOWN_CHARS
from sulla.agent.approvals.open_questions import MOST_LOOKED, OpenQuestions
from sulla.core.ids import CallId, MessageId, RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.message import ToolCall, ToolResult
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.world import World
from sulla.threads.log.family import Birth
from sulla.threads.log.plays import PLAYBOOK, Play
from sulla.threads.log.records import Answer, Input, RunStarted, Suspended, ThreadCreated
from sulla.threads.log.waits import Wait
from tests.doubles.attacks import Hooks

DONE = "Something else, then. <AGENT_DONE>ok</AGENT_DONE>"


class Desk:
    """An agent that is woken by nobody, and wants to post."""

    def __init__(self, store: MemoryStore) -> None:
        self.clock = ManualClock()
        self.hooks = Hooks()
        self.provider = ScriptedProvider()
        self._store = store
        self._numbers = count(1)
        self.world = self.boot(1)

    def boot(self, number: int) -> World:
        """The home, started once more."""
        tools = (self.hooks.tool("post", "url", "body"), self.hooks.tool("mail", "url", "body"))
        return World(self._store, self.provider, tools=tools, clock=self.clock, boot=number)

    async def wants(
        self,
        *then: str,
        tool: str = "post",
        body: Json = "1",
        agent: str = "sulla",
        birth: Birth | None = None,
        by: str = "beat",
    ) -> ThreadId:
        """A new thread in which it makes a call; what it says to a refusal has to be in the script."""
        number = next(self._numbers)
        thread = await self.world.threads.create(ThreadCreated(agent, birth=birth), f"request:{number}")
        self.provider.add(
            Say("", (ToolCall(CallId(f"call_{number}"), tool, {"url": "https://b.ex/", "body": body}),)), *then
        )
        fact = Input(MessageId(f"m{number}"), "go on", origin="user" if by == "user" else "beat")
        await self.world.threads.send(thread, fact)
        await self.world.turns.attend(thread)
        return thread

    async def waits(self, thread: ThreadId) -> list[Wait]:
        state = await self.world.threads.load(thread)
        assert state is not None
        return list(state.run.waits.values()) if state.run is not None else []

    async def refusal(self, thread: ThreadId) -> str:
        assert await self.waits(thread) == []
        part = self.provider.requests[-1].messages[-1].parts[0]
        assert isinstance(part, ToolResult)
        assert part.is_error
        return part.text


@pytest.fixture
def desk(store: MemoryStore) -> Desk:
    return Desk(store)


async def test_the_same_question_is_not_asked_twice(desk: Desk) -> None:
    first = await desk.wants()
    assert len(await desk.waits(first)) == 1
    second = await desk.wants(DONE)
    said = await desk.refusal(second)
    assert said.startswith("Not run: post needs a person's yes, and the same question is open already until 2")
    assert desk.hooks.done == []
    (kept,) = [entry for entry in await desk.world.log(second) if entry.kind == "TOOL_CALL_RESULT"]
    assert kept.data["failure"] == "denied"
    desk.provider.assert_done()


@pytest.mark.parametrize(
    "other", [{"body": "2"}, {"tool": "mail"}, {"agent": "helper"}, {"by": "user"}], ids=lambda one: next(iter(one))
)
async def test_another_question_is_asked(desk: Desk, other: dict[str, str]) -> None:
    await desk.wants()
    second = await desk.wants(*([DONE] if "by" in other else []), **other)  # type: ignore[arg-type]  # strings by name
    assert len(await desk.waits(second)) == (0 if "by" in other else 1)
    assert len(desk.hooks.done) == ("by" in other)


async def test_a_question_that_is_too_long_to_be_shown_is_like_no_other(desk: Desk) -> None:
    # Only what stands in the middle differs, which the question does not show.
    body = "x" * SHOWN_CHARS
    await desk.wants(body=body + "1" + body)
    assert len(await desk.waits(await desk.wants(body=body + "2" + body))) == 1


@pytest.mark.parametrize("verdict", ["approve", "reject"])
async def test_what_was_answered_may_be_asked_again(desk: Desk, verdict: str) -> None:
    first = await desk.wants()
    (wait,) = await desk.waits(first)
    await desk.world.threads.answer(first, Answer(wait.wait_id, "", verdict))  # type: ignore[arg-type]  # one of two
    desk.provider.add(DONE)
    await desk.world.turns.attend(first)
    assert len(await desk.waits(await desk.wants())) == 1


async def test_what_nobody_answered_in_time_may_be_asked_again(desk: Desk) -> None:
    await desk.wants()
    desk.clock.jump(APPROVAL_S + 1)
    assert len(await desk.waits(await desk.wants())) == 1


async def test_a_daemon_that_starts_again_does_not_refuse_what_it_asks_itself(desk: Desk) -> None:
    first = await desk.wants()
    before = await desk.waits(first)
    desk.world = desk.boot(2)
    await desk.world.turns.attend(first)
    assert await desk.waits(first) == before
    assert "open already" in await desk.refusal(await desk.wants(DONE))


async def test_what_the_children_of_a_thread_ask_is_found_by_where_they_all_come_from(desk: Desk) -> None:
    def born(id_: str, root: str) -> Birth:
        return Birth(id_, "cycle", ThreadId(root), desk_run, ThreadId(root), 1, unattended=True)

    desk_run = (await desk.world.threads.send(await desk.world.thread(), Input(MessageId("m"), "hi"))).run_id
    mine = await desk.wants(body="1", birth=born("a", "thr_root"))
    await desk.wants(body="2", birth=born("b", "thr_other"))
    await desk.wants(body="3")
    questions = OpenQuestions(desk.world.threads, desk.clock)
    (found,) = await questions.of_root(ThreadId("thr_root"), 10)
    assert (found.thread_id, found.agent) == (mine, "sulla")
    assert '"body": "1"' in found.wait.prompt
    desk.clock.jump(APPROVAL_S + 1)
    assert await questions.of_root(ThreadId("thr_root"), 10) == []


async def test_a_look_goes_through_so_many_and_in_pages(desk: Desk) -> None:
    for number in range(120):
        await desk.wants(body=str(number))
    assert MOST_LOOKED >= 120
    for number in (0, 119):
        assert "open already" in await desk.refusal(await desk.wants(DONE, body=str(number)))


@pytest.mark.parametrize("resting", [True, False])
async def test_what_the_steps_of_a_playbook_ask_is_found_from_its_conversation(desk: Desk, *, resting: bool) -> None:
    threads, root = desk.world.threads, await desk.world.thread()

    async def walk(number: int, play: Play, birth: Birth | None = None) -> ThreadId:
        thread = await threads.create(ThreadCreated("sulla", graph=PLAYBOOK, play=play, birth=birth), f"walk:{number}")
        await threads.send(thread, Input(MessageId("m"), "go"))
        session = await threads.attend(thread)
        assert session is not None
        asked = tuple(
            Wait(f"{kind}:{number}", CallId(""), "Shall I?") for kind in ("human", "answer", "ask", "time", "child")
        )
        session.note(RunStarted(2, MessageId("m"), "sulla"), Suspended(asked, resting))
        await session.release()
        return thread

    mine = await walk(1, Play("triage", "d1", "name: triage", thread=root))
    await walk(2, Play("triage", "d1", "name: triage", thread=ThreadId("thr_other")))
    step = await walk(3, Play("triage", "d1", "name: triage"), Birth("c", "call", mine, RunId("r"), root, 0))
    found = await OpenQuestions(threads, desk.clock).of_root(root, 10)
    assert {(one.thread_id, one.wait.wait_id) for one in found} == {
        (mine, "human:1"), (mine, "answer:1"), (step, "human:3"), (step, "answer:3")
    }  # fmt: skip
