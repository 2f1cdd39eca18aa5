"""A process that dies at any write of a handoff leaves a conversation that goes on with the right agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.handoffs.slice import active_agent
from sulla.store.base import Store
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.handoffs.team import TeamWorld
from tests.kits.each_store import redis_server, store
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

__all__ = ["redis_server", "store"]

STEPS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("sulla", "transfer_to_researcher", {"reason": "it is yours"}),
    ("researcher", "note", {"what": "found"}),
    ("researcher", "transfer_to_archivist", {"reason": "file it"}),
    ("archivist", "note", {"what": "filed"}),
    ("archivist", "", {}),
)
"""Who speaks, and what it calls: a handoff three deep."""
WRITES = 14
"""How many appends the whole turn takes; the last test keeps this honest."""


class Model:
    """Answers by what it is shown, so that a repeated call gets the same reply."""

    name = "model"

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []
        """The step of each request, and the prompt's last section of who it is."""

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        step = sum(message.role == "assistant" for message in request.messages)
        base = next(section.text for section in request.system if section.name == "base")
        self.asked.append((step, base))
        _, tool, args = STEPS[min(step, len(STEPS) - 1)]  # who is asked for a wrapper says the same again
        calls = (ToolCall(CallId(f"c{step}"), tool, args),) if tool else ()
        async for delta in ScriptedProvider([Say("" if calls else "Filed.", calls)]).stream(request):
            yield delta

    async def close(self) -> None: ...


def note_tool(done: list[str]) -> Tool:
    async def note(context: ToolContext, *, what: str) -> Result:
        """Note something down.

        Args:
            what: what.
        """
        done.append(f"{context.agent} {what} {context.idempotency_key}")
        return Done(ours("noted"))

    return define(note, effect="idempotent")


def world_of(store: Any, model: Any, done: list[str], boot: int, gone: tuple[str, ...] = ()) -> TeamWorld:
    return TeamWorld(store, model, (note_tool(done),), boot=boot, gone=gone)


@pytest.mark.parametrize("at", range(1, WRITES + 1))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_after_a_death_at_any_write_the_right_agent_goes_on(store: Store, at: int, after: bool) -> None:
    model, done = Model(), list[str]()
    first = world_of(store, model, done, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await world_of(mortal, model, done, 2).turns.attend(thread)
    except* Killed:
        assert mortal.dead
    assert mortal.dead
    later = world_of(store, model, done, 3)
    await later.turns.attend(thread)
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    assert await later.speaker(thread) == [agent for agent, *_ in STEPS]
    assert await later.routed(thread) == [("researcher", "handoff"), ("archivist", "handoff")]
    assert [line.split()[:2] for line in dict.fromkeys(done)] == [["researcher", "found"], ["archivist", "filed"]]
    prompts = {"sulla": "You are Sulla.", "researcher": "You look things up.", "archivist": "You keep papers."}
    assert all(base == prompts[STEPS[step][0]] for step, base in model.asked)
    loaded = await world_of(store, model, done, 4).threads.load(thread)
    assert loaded is not None
    assert active_agent(loaded) == "archivist"


async def test_a_handoff_costs_no_model_call_and_no_write_of_its_own(store: Store) -> None:
    model, done = Model(), list[str]()
    mortal: Any = Mortal(store, 10_000, after=True, changes=("append",))
    world = world_of(mortal, model, done, 1)
    thread = await world.thread()
    await world.ask(thread, "go")
    assert 10_000 - mortal._left == WRITES
    assert [step for step, _ in model.asked] == list(range(len(STEPS)))


@pytest.mark.parametrize("at", range(1, WRITES + 1))
@pytest.mark.parametrize("gone", [("archivist",), ("researcher",), ("researcher", "archivist")], ids="-".join)
async def test_after_a_death_whoever_is_above_an_agent_that_is_gone_goes_on(
    store: Store, at: int, gone: tuple[str, ...]
) -> None:
    model, done = Model(), list[str]()
    first = world_of(store, model, done, 1)
    thread = await first.thread()
    await first.send(thread, "go")
    mortal: Any = Mortal(store, at, after=True, changes=("append",))
    try:
        await world_of(mortal, model, done, 2).turns.attend(thread)
    except* Killed:
        assert mortal.dead
    before = await first.threads.load(thread)
    assert before is not None
    spoke, finished = active_agent(before), before.run is None
    later = world_of(store, model, done, 3, gone)
    await later.turns.attend(thread)
    assert (await later.kinds(thread))[-1] == "RUN_FINISHED"
    if not finished:
        gave_back = [agent for agent, by in await later.routed(thread) if by == "gone"]
        assert bool(gave_back) == (spoke in gone)
    assert len(set(done)) == len({line.split()[-1] for line in done}), "a call was made by two agents"
    after = await later.threads.load(thread)
    assert after is not None
    assert not after.context.transcript.unanswered
    assert finished or active_agent(after) not in gone
