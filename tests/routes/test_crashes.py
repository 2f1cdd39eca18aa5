"""A process that dies at any write of a turn with a route leaves one that goes on there, and nothing is done twice."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest

from sulla.core.errors import ProviderUnauthorized
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.models.base import ChatRequest, Delta
from sulla.store.base import Store
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.kits.each_store import redis_server, store
from tests.routes.test_node import FACTS, FIXED, HELP, table
from tests.routes.world import RouteWorld

__all__ = ["redis_server", "store"]


def called(name: str) -> Say:
    return Say("Nine.", (ToolCall(CallId("c"), name, {"question": "?"}),))


OBEYS: Mapping[str, Step] = {
    "grounded_lookup": called("grounded_lookup"),
    "helplines": called("helplines"),
    "": "Call 112.",
}
SKIPS: Mapping[str, Step] = {"grounded_lookup": "Nine million.", "helplines": "I need no number.", "": "Call 112."}
FAILS: Mapping[str, Step] = {name: ProviderUnauthorized("no key") for name in ("grounded_lookup", "helplines", "")}

COURSES: Mapping[str, tuple[str, Mapping[str, Step], list[str], int]] = {
    "grounded, obeyed": ("How many people live in Paris?", OBEYS, [FACTS], 4),
    "grounded, skipped": ("How many people live in Paris?", SKIPS, [FACTS], 4),
    "grounded, without a model": ("How many people live in Paris?", FAILS, [FACTS], 4),
    "incident, obeyed": ("We are on fire", OBEYS, ["Call 112."], 5),
    "incident, skipped": ("We are on fire", SKIPS, ["Call 112."], 5),
    "incident, without a model": ("We are on fire", FAILS, [f"{FIXED}\n\nCall 112."], 4),
}
"""By a name: what is said, what the model does by the tool that is forced, what is shown, and how many writes it takes.
"""
DEATHS = [
    pytest.param(name, at, after, id=f"{name}, {'after' if after else 'before'} write {at}")
    for name, (_, _, _, writes) in COURSES.items()
    for at in range(1, writes + 1)
    for after in (False, True)
]


class PlaysByForce(ScriptedProvider):
    """Does what it is told by the tool that a request forces, however often it is asked."""

    def __init__(self, plays: Mapping[str, Step]) -> None:
        super().__init__()
        self._plays = plays

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """See `models.Provider.stream`."""
        self.add(self._plays[request.force])
        async for delta in super().stream(request):
            yield delta


def tools(keys: list[str]) -> tuple[Tool, ...]:
    async def grounded_lookup(context: ToolContext, *, question: str) -> Result:
        """Look it up.

        Args:
            question: what is wanted.
        """
        keys.append(context.idempotency_key)
        return Done(ours(FACTS))

    async def helplines(context: ToolContext, *, question: str) -> Result:
        """Look it up.

        Args:
            question: what is wanted.
        """
        keys.append(context.idempotency_key)
        return Done(ours(HELP))

    return tuple(define(one, effect="idempotent", reach="inward") for one in (grounded_lookup, helplines))


def world_of(store: Any, plays: Mapping[str, Step], keys: list[str], boot: int) -> RouteWorld:
    return RouteWorld(store, table(), PlaysByForce(plays), tools(keys), boot=boot)


@pytest.mark.parametrize(("course", "at", "after"), DEATHS)
async def test_after_a_death_at_any_write_a_turn_goes_on_along_its_route(
    store: Store, course: str, at: int, after: bool
) -> None:
    said, plays, shown, _ = COURSES[course]
    keys: list[str] = []
    first = world_of(store, plays, keys, 1)
    thread = await first.thread()
    await first.offer(thread, said)
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await world_of(mortal, plays, keys, 2).work()
    except* Killed:
        assert mortal.dead
    assert mortal.dead
    later = world_of(store, plays, keys, 3)
    await later.work()
    assert await later.shown(thread) == shown
    assert (await later.status(thread))[0] == "done"
    assert len(set(keys)) == 1, "a call was made under another key"
    went = [what for what, _ in await later.went(thread)]
    assert len(went) == len(set(went)), "something was noted twice"


@pytest.mark.parametrize("course", COURSES)
async def test_a_turn_takes_so_many_writes(store: Store, course: str) -> None:
    said, plays, _, writes = COURSES[course]
    first = world_of(store, plays, [], 1)
    thread = await first.thread()
    await first.offer(thread, said)
    mortal: Any = Mortal(store, 10_000, after=True, changes=("append",))
    await world_of(mortal, plays, [], 2).work()
    assert 10_000 - mortal._left == writes
