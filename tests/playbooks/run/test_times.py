"""When a step's attempt ended is when that came about: not when the walk looked before, nor when it looked next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.playbooks.machine.records import StepCompleted, StepFailed, StepRetry, StepStarted
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.records import Answer
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, done, ledger, make, question
from tests.playbooks.run.test_late import child_of

__all__ = ["ledger", "make"]

BEGAN_S = 1_800_000_000
WITHIN = "name: within\nsteps:\n  - {id: ask, human: Sure?}\n"


def slow(*failures: str) -> Tool:
    """A tool that takes twelve seconds, and fails so often with these words."""
    left = list(failures)

    async def slow(context: ToolContext) -> Result:
        """Take twelve seconds."""
        await context.clock.sleep(12)
        return Done(ours(left.pop(0)), is_error=True, passing=True) if left else Done(ours("done"))

    return define(slow, effect="idempotent", category="testing")


async def walked(world: PlayWorld, run: ThreadId, *seconds: float) -> None:
    """Have a run walked while so much time passes, step by step."""
    assert isinstance(world.clock, ManualClock)
    walk = asyncio.create_task(world.work())
    for passed in seconds:
        await world.clock.advance(passed)
    await walk


async def times(world: PlayWorld, run: ThreadId, *kinds: type) -> Sequence[tuple[Any, ...]]:
    """Of each fact of these kinds, its kind and when it came about, in seconds after the test's beginning."""
    facts: Sequence[Any] = (await world.record(run)).facts
    return [(type(fact), fact.at_ms / 1000 - BEGAN_S) for fact in facts if type(fact) in kinds]


def meanwhile(world: PlayWorld, seconds: float) -> None:
    assert isinstance(world.clock, ManualClock)
    world.clock.jump(seconds)


async def test_a_call_ends_when_it_has_an_answer(make: Make) -> None:
    world = make(ScriptedProvider(), "name: one\nsteps:\n  - {id: a, tool: slow}\n", more=[slow()])
    run = await world.play("one")
    await walked(world, run, 5, 7, 3)
    assert await times(world, run, StepStarted, StepCompleted) == [(StepStarted, 0), (StepCompleted, 12)]


async def test_backoff_is_counted_from_the_end_of_an_attempt_that_failed_late(make: Make) -> None:
    text = "name: one\nsteps:\n  - {id: a, tool: slow, retry: {tries: 2, backoff: 10s}}\n"
    world = make(ScriptedProvider(), text, more=[slow("503", "503")])
    run = await world.play("one")
    await walked(world, run, 12)
    meanwhile(world, 10)
    await walked(world, run, 12)
    found = await times(world, run, StepStarted, StepRetry, StepCompleted, StepFailed)
    (retry,) = [fact for fact in (await world.record(run)).facts if isinstance(fact, StepRetry)]
    assert found[:3] == [(StepStarted, 0), (StepRetry, 12), (StepStarted, 22)]
    assert retry.due_ms == (BEGAN_S + 22) * 1000


async def test_an_agent_ends_when_it_says_so_however_late_that_is_heard(make: Make) -> None:
    world = make(ScriptedProvider([done("good")]), "name: one\nsteps:\n  - {id: a, agent: '', prompt: work}\n")
    run = await world.play("one")
    await world.turns.attend(run)
    meanwhile(world, 7)
    await world.turns.attend(await child_of(world, run))
    meanwhile(world, 3)
    await world.work()
    assert await times(world, run, StepStarted, StepCompleted) == [(StepStarted, 0), (StepCompleted, 7)]


async def test_a_person_ends_it_with_the_answer_also_within_another_playbook(make: Make) -> None:
    text = "name: around\nsteps:\n  - {id: a, human: Shall I?}\n  - {id: b, playbook: within}\n"
    world = make(ScriptedProvider(), text, WITHIN)
    run = await world.run_play("around")
    meanwhile(world, 60)
    await world.threads.answer(run, Answer((await question(world, run)).wait_id, "", "approve"))
    meanwhile(world, 5)
    await world.work()
    child = await child_of(world, run)
    meanwhile(world, 30)
    await world.threads.answer(child, Answer((await question(world, child)).wait_id, "", "approve"))
    meanwhile(world, 5)
    await world.turns.attend(child)
    meanwhile(world, 5)
    await world.work()
    ends = [at for _, at in await times(world, run, StepCompleted)]
    assert ends == [60, 100]
    assert [at for _, at in await times(world, child, StepCompleted)] == [95]


async def test_what_takes_longer_than_it_may_ends_when_its_time_is_over(make: Make) -> None:
    text = "name: one\nsteps:\n  - {id: a, tool: slow, timeout: 10s}\n"
    world = make(ScriptedProvider(), text, more=[slow()])
    run = await world.play("one")
    await walked(world, run, 12)
    assert await times(world, run, StepCompleted, StepFailed) == [(StepFailed, 10)]
