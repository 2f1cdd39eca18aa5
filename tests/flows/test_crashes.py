"""A process that dies at any write of a flow leaves a turn that goes on where it stood, and nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.flows.slice import FlowMoved
from sulla.models.base import ChatRequest, Delta
from sulla.store.base import Store
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say
from sulla.threads.log.records import TextMessageEnd
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.flows.world import PASSES, FlowWorld, PartsProvider
from tests.kits.each_store import redis_server, store
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

__all__ = ["redis_server", "store"]

FLOW = {
    "name": "multi with branches",
    "root": {
        "type": "sequence",
        "steps": [
            {"type": "parallel", "branches": ["archivist", "task_analysis", "memory_recall"], "max_concurrency": 1},
            {
                "type": "loop",
                "condition": "task_not_completed",
                "body": {
                    "type": "sequence",
                    "steps": ["task_planning", "task_executor", "task_observation", "task_completion_judge"],
                },
            },
            "task_summary",
        ],
    },
}
PASS = ("task_planning", "task_executor", "task_observation", "task_completion_judge")
WRITES = 29
"""How many appends the whole turn takes in all its threads; a test keeps this honest."""


def tools(done: list[str]) -> tuple[Tool, ...]:
    async def note(context: ToolContext, *, what: str) -> Result:
        """Note something down.

        Args:
            what: what.
        """
        done.append(context.idempotency_key)
        return Done(ours("noted"))

    async def recall(context: ToolContext, *, about: str, trusted_only: bool) -> Result:
        """Look up.

        Args:
            about: what.
            trusted_only: whose notes.
        """
        assert trusted_only
        return Done(ours(f"remembered of {about}"))

    return define(note, effect="idempotent"), define(recall, effect="pure")


def model() -> PartsProvider:
    noted = Say("", (ToolCall(CallId("n"), "note", {"what": "it"}),))
    return NotingProvider(PASSES, {"task_executor": [noted, noted]})


class NotingProvider(PartsProvider):
    """The executor uses its tool once in each pass, and speaks once the tool has a result."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        newest = request.messages[-1]
        says = self._says
        self._says = {} if newest.role == "tool" else says
        try:
            async for delta in super().stream(request):
                yield delta
        finally:
            self._says = says


def world_of(store: Any, provider: PartsProvider, done: list[str], boot: int) -> FlowWorld:
    return FlowWorld(store, provider, tools=tools(done), boot=boot)


async def moves(world: FlowWorld, thread: ThreadId) -> list[tuple[str, str, object]]:
    """Each move of the walk."""
    facts = [entry.fact for entry in await world.log(thread)]
    return [(fact.what, fact.name, fact.value.get("value")) for fact in facts if isinstance(fact, FlowMoved)]


async def replies(world: FlowWorld, thread: ThreadId) -> int:
    """How many replies of models stand in a thread: what was paid for."""
    facts = [entry.fact for entry in await world.log(thread)]
    return sum(isinstance(fact, TextMessageEnd) and fact.usage.total > 0 for fact in facts)


MOVES = [
    ("part", "branches", None),
    *([("condition", "task_not_completed", True), *(("part", key, None) for key in PASS[:3])]),
    ("part", PASS[3], PASSES[PASS[3]][0]),
    *([("condition", "task_not_completed", True), *(("part", key, None) for key in PASS[:3])]),
    ("part", PASS[3], PASSES[PASS[3]][1]),
    ("condition", "task_not_completed", False),
    ("part", "task_summary", None),
]


@pytest.mark.parametrize("at", range(1, WRITES + 1))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_after_a_death_at_any_write_the_flow_goes_on_where_it_stood(store: Store, at: int, after: bool) -> None:
    provider, done = model(), list[str]()
    first = world_of(store, provider, done, 1)
    thread = await first.thread()
    await first.offer(thread, custom_flow=FLOW)
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await world_of(mortal, provider, done, 2).work()
    except* Killed:
        assert mortal.dead
    assert mortal.dead
    later = world_of(store, provider, done, 3)
    await later.work()
    assert await moves(later, thread) == MOVES
    assert await later.status(thread) == ("done", "")
    assert await later.shown(thread) == ["task_executor 1", "task_executor 2", "task_summary 1"]
    assert await replies(later, thread) == 11
    assert len(set(done)) == 2, "a call was made under another key"
    asked = Counter(provider.asked)
    assert asked["whole"] <= 2
    assert sum(asked.values()) <= 13 + 1, "more than the call that was cut off was made again"


async def test_the_turn_takes_so_many_writes(store: Store) -> None:
    provider, done = model(), list[str]()
    first = world_of(store, provider, done, 1)
    thread = await first.thread()
    await first.offer(thread, custom_flow=FLOW)
    mortal: Any = Mortal(store, 10_000, after=True, changes=("append",))
    await world_of(mortal, provider, done, 2).work()
    assert 10_000 - mortal._left == WRITES
