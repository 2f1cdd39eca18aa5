"""What the tests of whole runs share: a home that plays, tools whose effects can be counted, and how a run stands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.playbooks.machine.records import RunEnded
from sulla.playbooks.records import PlayState
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.tools import EffectLedger, ledger_tools
from sulla.threads.log.records import Answer
from sulla.threads.log.waits import Wait
from tests.doubles.play_world import PlayWorld
from tests.simulation.history import History, ThreadHistory, breaches

Make = Callable[..., PlayWorld]


@pytest.fixture
def ledger(tmp_path: Path) -> EffectLedger:
    return EffectLedger(tmp_path / "effects")


@pytest.fixture
async def make(ledger: EffectLedger) -> AsyncIterator[Make]:
    """Makes a home over one store; a second one is its next boot. At the end every log is judged."""
    clock = ManualClock()
    made: list[PlayWorld] = []
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()

    def world(provider: ScriptedProvider, *texts: str, more: Sequence[Any] = (), **others: Any) -> PlayWorld:
        named = {text.split("name:", 1)[1].split()[0]: text for text in texts}
        tools = (*ledger_tools(ledger), *more)
        made.append(PlayWorld(store, provider, named, tools=tools, clock=clock, **others))
        return made[-1]

    yield world
    if made:
        await whole(made[-1])


async def whole(world: PlayWorld) -> None:
    """No promise is broken in any thread."""
    threads = [ThreadId(info.key) for info, _ in await world.threads.list(limit=1000)]
    found = [ThreadHistory(thread, tuple(await world.log(thread))) for thread in threads]
    broken = breaches(History(tuple(found)))
    assert not broken, broken


def choose(name: str) -> Say:
    """A model's choice."""
    return Say(calls=(ToolCall(CallId("c"), "choose", {"choice": name}),))


def done(text: str) -> str:
    """An agent's last word."""
    return f"{text}\n<AGENT_DONE>\n<STATUS_REPORT>{text}</STATUS_REPORT>\n</AGENT_DONE>"


def effects(ledger: EffectLedger) -> list[str]:
    """What tools have done."""
    return [line["what"] for line in ledger.read()]


async def at(world: PlayWorld, run: ThreadId) -> PlayState:
    """How a run stands."""
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    return play


async def ended(world: PlayWorld, run: ThreadId) -> RunEnded:
    """How a run's machine ended."""
    (found,) = [fact for fact in (await world.record(run)).facts if isinstance(fact, RunEnded)]
    return found


async def questions(world: PlayWorld, run: ThreadId) -> list[Wait]:
    """What people are asked by a run."""
    state = await world.now(run)
    return [wait for wait in state.run.waits.values() if wait.prompt] if state.run is not None else []


async def question(world: PlayWorld, run: ThreadId) -> Wait:
    """The one thing that people are asked."""
    (wait,) = await questions(world, run)
    return wait


async def say(world: PlayWorld, run: ThreadId, verdict: Any, text: str = "") -> None:
    """Answer it, and let everything go on."""
    wait = await question(world, run)
    await world.threads.answer(run, Answer(wait.wait_id, text, verdict))
    await world.work()


async def later(world: PlayWorld, seconds: float) -> None:
    """Let time pass, and everything go on."""
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(seconds)
    await world.work()
