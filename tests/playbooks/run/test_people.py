"""Questions to people in runs of playbooks while other steps are at work, too late, and again."""

from __future__ import annotations

import asyncio

import pytest

from sulla.core.errors import AlreadyAnswered
from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.threads.log.records import Answer
from sulla.threads.log.waits import Wait
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, effects, ended, later, ledger, make, question, questions, say

__all__ = ["ledger", "make"]


def stalling(reached: asyncio.Event, opened: asyncio.Event) -> Tool:
    async def stall(context: ToolContext, *, what: str) -> Result:
        """Stand still.

        Args:
            what: what it comes to.
        """
        reached.set()
        await opened.wait()
        return Done(ours(what))

    return define(stall, effect="idempotent", reach="inward", category="testing")


BESIDE = """
name: beside
steps:
  - {id: slow, needs: [], tool: stall, with: {what: x}}
  - {id: ok, needs: [], human: Shall I?}
  - {id: go, needs: [ok], tool: note_once, with: {what: went}}
  - {id: sure, needs: [go], human: Really?}
  - {id: end, needs: [sure], tool: note_once, with: {what: ended}}
"""


async def asked(world: PlayWorld, run: ThreadId, prompt: str) -> Wait:
    """The question, once people can see it."""
    assert isinstance(world.clock, ManualClock)
    while [wait.prompt for wait in await questions(world, run)] != [prompt]:
        await world.clock.settle()
    return await question(world, run)


async def test_people_are_asked_and_heard_while_other_steps_are_at_work(make: Make, ledger: EffectLedger) -> None:
    reached, opened = asyncio.Event(), asyncio.Event()
    world = make(ScriptedProvider(), BESIDE, more=[stalling(reached, opened)])
    run = await world.play("beside")
    work = asyncio.create_task(world.work())
    await reached.wait()
    first = await asked(world, run, "Shall I?")
    await world.threads.answer(run, Answer(first.wait_id, "", "approve"))
    second = await asked(world, run, "Really?")
    assert effects(ledger) == ["went"], "what follows the answer does not wait for the others"
    await world.threads.answer(run, Answer(second.wait_id, "", "approve"))
    assert isinstance(world.clock, ManualClock)
    while await questions(world, run):
        await world.clock.settle()
    assert not opened.is_set(), "an answered question is asked nobody any more, although the run has not rested"
    opened.set()
    await work
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["went", "ended"]


async def test_a_question_is_answered_once(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), "name: one\nsteps:\n  - {id: ok, human: Shall I?}\n")
    run = await world.run_play("one")
    wait = await question(world, run)
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    with pytest.raises(AlreadyAnswered):
        await world.threads.answer(run, Answer(wait.wait_id, "", "reject"))
    await world.work()
    assert (await at(world, run)).status == "completed"


LATE = """
name: late
steps:
  - {id: ok, needs: [], human: Shall I?, expires: 1h}
  - {id: go, needs: [ok], tool: note_once, with: {what: went}}
  - {id: other, needs: [], human: And this?, expires: never}
"""


async def test_an_answer_that_comes_too_late_counts_for_nothing_and_does_no_harm(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), LATE)
    run = await world.run_play("late")
    wait = next(wait for wait in await questions(world, run) if wait.prompt == "Shall I?")
    await later(world, 3_601)
    assert (await question(world, run)).prompt == "And this?"
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    await world.work()
    assert (await world.now(run)).suspended
    await say(world, run, "approve")
    assert ((await at(world, run)).status, effects(ledger)) == ("failed", [])


@pytest.mark.parametrize("wait_id", ["human:nobody", "answer:nobody", "ask:nobody", "time:next"])
async def test_an_answer_that_nobody_waits_for_is_put_away(make: Make, ledger: EffectLedger, wait_id: str) -> None:
    world = make(ScriptedProvider(), LATE)
    run = await world.run_play("late")
    await world.threads.answer(run, Answer(wait_id, "boo", "approve"))
    await world.work()
    assert len(await questions(world, run)) == 2
    await later(world, 3_601)
    await say(world, run, "approve")
    assert (await at(world, run)).status == "failed"


CHOICE = """
name: choice
outputs: {got: "${{ steps.which.output }}", way: "${{ steps.which.route }}"}
steps:
  - {id: which, human: Which?, choices: [red, blue]}
"""


async def test_an_answer_that_does_not_fit_is_asked_again_and_the_next_one_is_taken(make: Make) -> None:
    world = make(ScriptedProvider(), CHOICE)
    run = await world.run_play("choice")
    await say(world, run, "result", "green")
    assert "'green'" in (await question(world, run)).prompt
    await say(world, run, "result", "blue")
    assert (await ended(world, run)).outputs == {"got": "blue", "way": "blue"}


@pytest.mark.parametrize("verdict", ["approve", "reject", "always"])
async def test_yes_and_no_are_no_choice(make: Make, verdict: str) -> None:
    world = make(ScriptedProvider(), CHOICE)
    run = await world.run_play("choice")
    await say(world, run, verdict)
    assert "did not fit" in (await question(world, run)).prompt
    await say(world, run, "result", "red")
    assert (await ended(world, run)).outputs == {"got": "red", "way": "red"}


async def test_what_was_asked_again_is_asked_so_over_a_restart(make: Make) -> None:
    world = make(ScriptedProvider(), CHOICE)
    run = await world.run_play("choice")
    await say(world, run, "result", "green")
    before = await question(world, run)
    world = make(ScriptedProvider(), CHOICE, boot=2)
    await later(world, 60)
    assert await question(world, run) == before
    await say(world, run, "result", "red")
    assert (await ended(world, run)).outputs["got"] == "red"


FORM = """
name: form
outputs: {n: "${{ steps.f.output.n }}"}
steps:
  - id: f
    human: How many?
    input: {type: object, properties: {n: {type: integer}}, required: [n]}
"""


async def test_a_form_is_filled_in_as_json(make: Make) -> None:
    world = make(ScriptedProvider(), FORM)
    run = await world.run_play("form")
    await say(world, run, "result", '{"n": "three"}')
    await say(world, run, "result", '{"n": 3}')
    assert (await ended(world, run)).outputs == {"n": 3}


TOOL = """
name: tool
outputs: {got: "${{ steps.a.output }}"}
steps:
  - {id: a, tool: ask_person, with: {what: Who?}}
"""


async def test_a_tool_that_asks_by_itself_is_answered_like_any_question(make: Make, ledger: EffectLedger) -> None:
    run = await make(ScriptedProvider(), TOOL).run_play("tool", trigger="manual")
    world = make(ScriptedProvider(), TOOL, boot=2)
    assert (await question(world, run)).prompt == "Who?"
    await say(world, run, "result", "Ann")
    assert (await ended(world, run)).outputs == {"got": "Ann"}
    assert effects(ledger) == ["Who?"]
