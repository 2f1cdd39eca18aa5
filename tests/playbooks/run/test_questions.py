"""A playbook asks a conversation's agent, with both at work: every answer comes, once, whatever happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from itertools import product
from typing import Any, Final

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import ChatRequest, Delta
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Killed, Mortal, is_kill
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import Answer, RunFinished
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.kits.points import some
from tests.simulation.history import History, ThreadHistory, breaches

BREW: Final = """
name: brew
outputs: {tea: "${{ steps.pour.output }}"}
steps:
  - id: leaf
    prompt: Which leaf?
  - id: pour
    needs: [leaf]
    tool: pour
    with: {leaf: "${{ steps.leaf.output }}"}
    check: orchestrator
"""
BESIDE: Final = """
name: beside
outputs: {both: "${{ steps.one.output }} ${{ steps.two.output }}"}
steps:
  - id: one
    prompt: The first?
  - id: two
    prompt: The second?
"""

Answers = Callable[[ChatRequest], dict[str, Any] | str]


class Agent:
    """Plays the conversation's agent: what it is shown decides what it answers, so a repeated call gets the same."""

    def __init__(self, answers: Answers) -> None:
        self.name = "model"
        self.asked: list[str] = []
        self._answers = answers

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        self.asked.append(request.force)
        say: Say | str = "Told. <AGENT_DONE>ok</AGENT_DONE>"
        if request.force:
            given = self._answers(request)
            say = given if isinstance(given, str) else Say("", (ToolCall(CallId("c"), request.force, given),))
        async for delta in ScriptedProvider([say]).stream(request):
            yield delta

    async def close(self) -> None: ...


class Kettle:
    """What was poured."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}

    def tool(self) -> Tool:
        async def pour(context: ToolContext, *, leaf: str) -> Result:
            """Pour.

            Args:
                leaf: of what.
            """
            self.keys[context.idempotency_key] = leaf
            return Done(ours(f"{leaf} tea"))

        return define(pour, effect="idempotent")


def home(store: Any, agent: Agent, kettle: Kettle, boot: int = 1) -> PlayWorld:
    return PlayWorld(store, agent, {"brew": BREW, "beside": BESIDE}, tools=(kettle.tool(),), boot=boot)


async def ended(world: PlayWorld, run: ThreadId) -> tuple[str, str]:
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    ends = [entry.fact.outcome for entry in await world.log(run) if isinstance(entry.fact, RunFinished)]
    return play.status, ends[-1].response if ends else ""


async def whole(world: PlayWorld, *threads: ThreadId) -> None:
    """No promise is broken."""
    found = [ThreadHistory(thread, tuple(await world.log(thread))) for thread in threads]
    assert breaches(History(tuple(found))) == []


def agreeing(request: ChatRequest) -> dict[str, Any]:
    return {"reply": "green"} if request.force == "reply" else {"verdict": "confirm"}


@pytest.fixture
async def store() -> AsyncIterator[MemoryStore]:
    made = MemoryStore(ManualClock(), lambda prefix: f"{prefix}_mem")
    await made.open()
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("ruling", "poured"),
    [
        ({"verdict": "confirm"}, ["green"]),
        ({"verdict": "edit", "args": {"leaf": "black"}}, ["black"]),
        ({"verdict": "refuse", "notes": "no cup"}, []),
    ],
    ids=["confirmed", "edited", "refused"],
)
async def test_a_conversations_agent_answers_and_rules_on_a_call(
    store: MemoryStore, ruling: dict[str, Any], poured: list[str]
) -> None:
    agent, kettle = Agent(lambda request: {"reply": "green"} if request.force == "reply" else ruling), Kettle()
    world = home(store, agent, kettle)
    thread = await world.thread()
    play = await world.run_play("brew", thread=thread)
    assert list(kettle.keys.values()) == poured
    assert agent.asked == ["reply", "check_call", ""]  # and then it tells the person
    status, response = await ended(world, play)
    assert (status, response) == ("completed", f'{{"tea":"{poured[0]} tea"}}') if poured else status == "failed"
    await whole(world, thread, play)


POST: Final = """
name: post
secrets: [key]
steps:
  - id: send
    tool: post
    with: {to: ann, keys: ["${{ secrets.key }}"], more: {key: "${{ secrets.key }}", text: hello}}
    check: orchestrator
"""
_SHOWN: Final = "[secret key]"


@pytest.mark.parametrize(
    ("ruling", "sent"),
    [
        ({"verdict": "confirm"}, {"to": "ann", "keys": ["swordfish"], "more": {"key": "swordfish", "text": "hello"}}),
        (
            {"args": {"to": "bob", "keys": [_SHOWN], "more": {"key": _SHOWN, "text": "bye"}}},
            {"to": "bob", "keys": ["swordfish"], "more": {"key": "swordfish", "text": "bye"}},
        ),
        (
            {"args": {"to": _SHOWN, "keys": ["", _SHOWN], "more": {"text": _SHOWN}}},
            {"to": _SHOWN, "keys": ["", _SHOWN], "more": {"text": _SHOWN}},
        ),
    ],
    ids=["confirmed", "left where they stand", "moved"],
)
async def test_an_agent_that_rules_on_a_call_sees_no_secret_and_can_send_none_elsewhere(
    store: MemoryStore, ruling: dict[str, Any], sent: dict[str, Any]
) -> None:
    seen, made = list[str](), list[dict[str, Any]]()

    def rules(request: ChatRequest) -> dict[str, Any]:
        seen.append(request.messages[-1].text)
        return {"verdict": "edit", **ruling}

    async def post(context: ToolContext, *, to: str, keys: list[str], more: dict[str, str]) -> Result:
        """Post something.

        Args:
            to: to whom.
            keys: what opens doors.
            more: what else.
        """
        made.append({"to": to, "keys": keys, "more": more})
        return Done(ours("posted"))

    tools = (define(post, effect="idempotent"),)
    world = PlayWorld(store, Agent(rules), {"post": POST}, tools=tools, secrets={"key": "swordfish"})
    await world.run_play("post", thread=await world.thread())
    assert made == [sent]
    assert _SHOWN in seen[0]
    assert "swordfish" not in seen[0]
    assert "secret_" not in seen[0], "nor what stands for it"


async def test_steps_side_by_side_ask_one_after_the_other(store: MemoryStore) -> None:
    def answer(request: ChatRequest) -> dict[str, Any]:
        return {"reply": "1" if "The first?" in request.messages[-1].text else "2"}

    agent = Agent(answer)
    world = home(store, agent, Kettle())
    thread = await world.thread()
    play = await world.run_play("beside", thread=thread)
    assert agent.asked == ["reply", "reply", ""]
    assert await ended(world, play) == ("completed", '{"both":"1 2"}')
    await whole(world, thread, play)


async def test_an_agent_that_does_not_answer_fails_the_step_and_not_its_conversation(store: MemoryStore) -> None:
    agent, kettle = Agent(lambda request: "green"), Kettle()
    world = home(store, agent, kettle)
    thread = await world.thread()
    play = await world.run_play("brew", thread=thread)
    assert kettle.keys == {}
    assert isinstance(world.clock, ManualClock)
    for _ in range(3):  # it is tried again, some seconds later
        await world.clock.advance(60)
        await world.turns.attend(play)
        await world.work()
    state = await world.now(play)
    kept = PLAYBOOK_RUN.of(state)
    assert kept is not None
    assert kept.status == "failed"
    assert "the agent did not answer" in kept.failure
    assert "did not call reply" in kept.failure
    assert "RUN_ERROR" not in await world.kinds(thread)
    await world.ask(thread, "Hello")
    assert (await world.kinds(thread))[-1] == "RUN_FINISHED"
    await whole(world, thread, play)


@pytest.mark.parametrize(
    ("dies_at", "after"), some(list(product(range(1, 41), (False, True))), 8, "a playbook's questions")
)
async def test_killed_at_any_change_each_answer_comes_once(store: MemoryStore, dies_at: int, *, after: bool) -> None:
    agent, kettle = Agent(agreeing), Kettle()
    first = home(store, agent, kettle)
    thread = await first.thread()
    play = await first.play("brew", thread=thread)
    try:
        await home(Mortal(store, dies_at, after=after), agent, kettle, boot=2).work()
        died = False
    except (Killed, BaseExceptionGroup) as error:
        if not is_kill(error):
            raise
        died = True
    last = home(store, agent, kettle, boot=3)
    await last.work()
    assert await ended(last, play) == ("completed", '{"tea":"green tea"}')
    answers = [entry.fact.text for entry in await last.log(play) if isinstance(entry.fact, Answer)]
    assert answers == ['{"reply":"green"}', '{"verdict":"confirm"}']
    assert list(kettle.keys.values()) == ["green"]  # a repeat has the same key
    assert len(agent.asked) <= 4  # at most the call that was cut off is made again
    await whole(last, thread, play)
    assert died or dies_at > 25
