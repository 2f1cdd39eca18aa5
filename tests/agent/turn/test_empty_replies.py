"""A reply without a word is no answer: it is asked for once more, and then the turn fails, also over a kill. Who has
done the work with tools may end without words.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest

from sulla.agent.model.reminders import EMPTY, NUDGE
from sulla.agent.spec import Completion
from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.memory import MemoryStore
from sulla.testing.mortal import Killed, Mortal
from sulla.testing.provider import Say, ScriptedProvider, Step
from sulla.testing.world import World
from sulla.threads.log.records import RunError, RunFinished, TextMessageEnd
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

LOOKS, BREAKS = (Say("", (ToolCall(CallId(name), name, {}),)) for name in ("look", "lift"))
SPEAKS = Say("I look.", (ToolCall(CallId("look"), "look", {}),))


def tools() -> tuple[Tool, ...]:
    async def look(context: ToolContext) -> Result:
        """Look."""
        return Done(ours("it is full"))

    async def lift(context: ToolContext) -> Result:
        """Lift."""
        return Done(ours("too heavy"), is_error=True)

    return define(look, effect="pure", reach="inward"), define(lift, effect="pure", reach="inward")


async def ended(world: World, thread: ThreadId) -> tuple[str, str]:
    """How the newest turn ended, and the reason."""
    last = (await world.log(thread))[-1].fact
    assert isinstance(last, RunFinished | RunError)
    return last.outcome.status, last.outcome.reason


async def shown(world: World, thread: ThreadId) -> list[str]:
    """What people have been told."""
    facts = [entry.fact for entry in await world.log(thread)]
    return [one.text for one in facts if isinstance(one, TextMessageEnd) and not one.hidden and one.text]


FAILED = ("failed", "no_outcome")
SILENT = ("done", "no_words")
ROWS: list[tuple[Completion, list[Step], tuple[str, str], list[str]]] = [
    ("plain", ["", "Paris."], ("done", ""), ["Paris."]),
    ("wrapper", ["", "Paris. <AGENT_DONE>ok</AGENT_DONE>"], ("done", ""), ["Paris."]),
    ("wrapper", ["", "Paris."], ("done", "no_wrapper"), ["Paris."]),
    ("wrapper", ["", "<AGENT_DONE></AGENT_DONE>"], ("done", ""), ["Done."]),
    ("plain", ["", ""], FAILED, []),
    ("wrapper", ["", ""], FAILED, []),
    ("plain", [" \n", "\n"], FAILED, []),
    ("plain", [Say("", stop="refused"), Say("", stop="refused")], FAILED, []),
    ("plain", [Say("", reasoning="hm"), Say("", reasoning="hm")], FAILED, []),
    ("plain", [LOOKS, ""], SILENT, []),
    ("plain", [SPEAKS, ""], SILENT, ["I look."]),
    ("plain", ["", LOOKS, ""], SILENT, []),
    ("plain", [BREAKS, "", "It is too heavy."], ("done", ""), ["It is too heavy."]),
    ("plain", [BREAKS, "", ""], FAILED, []),
    ("plain", [BREAKS, LOOKS, ""], SILENT, []),
    ("wrapper", [LOOKS, "", "<AGENT_DONE></AGENT_DONE>"], ("done", ""), ["Done."]),
    ("wrapper", [LOOKS, "", ""], FAILED, []),
    ("wrapper", [BREAKS, "", ""], FAILED, []),
]


@pytest.mark.parametrize(("completion", "steps", "end", "told"), ROWS)
async def test_an_empty_reply_is_asked_for_once_more_unless_a_tool_has_done_the_work(
    store: MemoryStore, completion: Completion, steps: list[Step], end: tuple[str, str], told: list[str]
) -> None:
    provider = ScriptedProvider(steps)
    world = World(store, provider, tools=tools(), completion=completion)
    thread = await world.thread()
    await world.ask(thread, "capital of France?")
    assert (await ended(world, thread), await shown(world, thread)) == (end, told)
    provider.assert_done()


@pytest.mark.parametrize(
    ("completion", "steps", "reminder"),
    [("plain", ["", ""], EMPTY), ("wrapper", ["", ""], EMPTY), ("wrapper", [LOOKS, "", ""], NUDGE)],
)
async def test_a_model_is_asked_for_what_is_missing_and_people_are_told_what_to_do(
    store: MemoryStore, completion: Completion, steps: list[Step], reminder: str
) -> None:
    provider = ScriptedProvider(steps)
    world = World(store, provider, tools=tools(), completion=completion)
    thread = await world.thread()
    await world.ask(thread, "capital of France?")
    assert provider.requests[-1].messages[-1].text == reminder
    error = (await world.log(thread))[-1].fact
    assert isinstance(error, RunError)
    assert error.message.startswith("the model's reply was empty, also when it was asked once more; ")


async def test_the_next_turn_is_asked_for_once_more_too(store: MemoryStore) -> None:
    provider = ScriptedProvider(["", "Paris.", "", "Rome.", "", ""])
    world = World(store, provider, completion="plain")
    thread = await world.thread()
    for capital in ("of France", "of Italy", "of nowhere"):
        await world.ask(thread, f"capital {capital}?")
    assert await shown(world, thread) == ["Paris.", "Rome."]
    assert await ended(world, thread) == FAILED


class Quiet:
    """Says nothing until it is asked once more, and then what it is to; so a call that is made again has the same
    reply."""

    name = "quiet"

    def __init__(self, then: str) -> None:
        self.then = then
        self.asked: list[bool] = []
        """For each call, whether it was asked once more."""

    async def stream(self, request: Any) -> AsyncIterator[Any]:
        self.asked.append(request.messages[-1].text == EMPTY)
        async for delta in ScriptedProvider([self.then if self.asked[-1] else ""]).stream(request):
            yield delta

    async def close(self) -> None: ...


WRITES = 3
"""How many appends such a turn takes; the row behind the last keeps this honest."""


@pytest.mark.parametrize("at", range(1, WRITES + 2))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("then", ["Paris.", ""], ids=["and then answers", "and says nothing again"])
@pytest.mark.parametrize("completion", ["plain", "wrapper"])
async def test_a_kill_at_any_write_leaves_one_end_and_no_third_question(
    store: MemoryStore, completion: Literal["plain", "wrapper"], then: str, after: bool, at: int
) -> None:
    model: Any = Quiet(then)
    first = World(store, model, completion=completion)
    thread = await first.thread()
    sent = await first.send(thread, "capital of France?")
    mortal: Any = Mortal(store, at, after=after, changes=("append",))
    try:
        await World(mortal, model, completion=completion, boot=2).turns.attend(thread)
    except* Killed:
        pass
    assert mortal.dead == (at <= WRITES)
    later = World(store, model, completion=completion, boot=3)
    await later.turns.attend(thread)
    log = await later.log(thread)
    assert [one.origin.run_id for one in log if one.kind in ("RUN_FINISHED", "RUN_ERROR")] == [sent.run_id]
    assert sum(one.kind == "REMINDER" for one in log) == 1
    assert await shown(later, thread) == [then] * bool(then)
    assert (await ended(later, thread))[0] == ("done" if then else "failed")
    assert model.asked in (
        [False, True],
        [False, False, True],
        [False, True, True],
    )  # a call that was cut off is repeated
