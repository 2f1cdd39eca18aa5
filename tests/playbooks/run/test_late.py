"""Runs that are taken up late, or by somebody else: what came in time counts, and nobody works on for nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.agent.subagents.children import ChildTask
from sulla.core.ids import ThreadId
from sulla.playbooks.machine.records import StepCompleted
from sulla.playbooks.records import PlaybookAsked, PlaybookEnded
from sulla.testing.clock import ManualClock
from sulla.testing.mortal import Mortal, is_kill
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.threads.log.family import ChildStarted
from sulla.threads.log.records import Answer, StopAsked
from sulla.threads.log.state import ThreadState
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, choose, done, effects, later, ledger, make, question, questions, say
from tests.playbooks.run.test_calls import OUT, sender, unattended

__all__ = ["ledger", "make"]

DAY_S = 86_400
TOLD = "Told. <AGENT_DONE>ok</AGENT_DONE>"

EXPIRES = """
name: expires
steps:
  - {id: ok, human: Shall I?, expires: 3d}
  - {id: go, tool: note_once, with: {what: went}}
"""


def meanwhile(world: PlayWorld, seconds: float) -> None:
    """Time passes, and nobody works on anything."""
    assert isinstance(world.clock, ManualClock)
    world.clock.jump(seconds)


def again(world: PlayWorld, boot: int, store: Any = None) -> PlayWorld:
    """The same home, opened anew."""
    tools = tuple(world.effects.calls.toolbox)
    provider = ScriptedProvider([TOLD] * 9)
    texts = dict(world.texts.texts)
    return PlayWorld(store or world.store, provider, texts, tools=tools, clock=world.clock, boot=boot)


async def child_of(world: PlayWorld, run: ThreadId) -> ThreadId:
    """Who works for a run."""
    (child,) = [entry.fact.thread_id for entry in await world.log(run) if isinstance(entry.fact, ChildStarted)]
    return child


# --------------------------------------------------------------------------------------------------------- answers


async def test_an_answer_given_in_time_counts_however_late_it_is_heard(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), EXPIRES)
    run = await world.run_play("expires")
    wait = await question(world, run)
    meanwhile(world, 2 * DAY_S)
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    meanwhile(world, 2 * DAY_S)
    await world.work()
    assert effects(ledger) == ["went"]


@pytest.mark.parametrize(("limit", "why"), [("expires: 1h", "in time"), ("timeout: 1h", "longer than it may")])
async def test_an_answer_given_too_late_does_not_count(make: Make, ledger: EffectLedger, limit: str, why: str) -> None:
    world = make(ScriptedProvider(), EXPIRES.replace("expires: 3d", limit))
    run = await world.run_play("expires")
    wait = await question(world, run)
    meanwhile(world, 0.5 * DAY_S)
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    await world.work()
    assert effects(ledger) == []
    assert why in (await at(world, run)).failure


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("dies_at", range(1, 9))
async def test_a_yes_that_was_taken_up_before_a_crash_is_not_waited_for_again(
    make: Make, ledger: EffectLedger, dies_at: int, *, after: bool
) -> None:
    world = make(ScriptedProvider(), OUT, more=[sender(ledger)])
    run = await unattended(world)
    wait = await question(world, run)
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    try:
        await again(world, 2, Mortal(world.store, dies_at, after=after)).work()
    except BaseException as error:
        if not is_kill(error):
            raise
    world = again(world, 3)
    await later(world, 60)
    if (asked := await questions(world, run)) and asked[0].wait_id.startswith("review:"):
        await say(world, run, "result", "sent to ann")  # it was cut off while it was made
    assert (await at(world, run)).status == "completed"
    assert effects(ledger).count("sent ann") <= 1


# ---------------------------------------------------------------------------------------------------------- agents

WORKING = """
name: working
steps:
  - {id: job, needs: [], agent: '', prompt: work, timeout: 1h, on_failure: go_on}
  - {id: slow, needs: [], human: Ever?}
"""


@pytest.mark.parametrize("wants", [False, True])
async def test_an_agent_of_a_step_knows_its_task_alone_unless_the_step_says_otherwise(
    make: Make, *, wants: bool
) -> None:
    text = WORKING.replace("prompt: work", "prompt: work, memory: true") if wants else WORKING
    world = make(ScriptedProvider([done("good")]), text)
    run = await world.run_play("working")
    birth = (await world.now(await child_of(world, run))).identity.birth
    assert birth is not None
    assert birth.memory is wants


async def test_an_agent_that_was_done_in_time_counts_however_late_it_is_heard(make: Make) -> None:
    world = make(ScriptedProvider([done("good")]), WORKING)
    run = await world.play("working")
    await world.turns.attend(run)
    await world.turns.attend(await child_of(world, run))
    meanwhile(world, 2 * 3600)
    await world.work()
    facts = (await world.record(run)).facts
    assert [fact.value for fact in facts if isinstance(fact, StepCompleted)] == ["good"]


@pytest.mark.parametrize("boot", [1, 2])
async def test_an_agent_that_is_no_longer_waited_for_is_told_to_end(make: Make, boot: int) -> None:
    world = make(ScriptedProvider(), WORKING)
    run = await world.play("working")
    await world.turns.attend(run)
    world = world if boot == 1 else again(world, boot)
    meanwhile(world, 2 * 3600)
    await world.work()
    told = [entry.fact for entry in await world.log(await child_of(world, run))]
    assert [fact for fact in told if isinstance(fact, StopAsked)]
    assert not (await world.now(run)).links.children


async def test_an_agent_that_is_being_set_to_work_when_its_time_is_over_is_told_to_end(make: Make) -> None:
    text = "name: slow\nsteps:\n  - {id: job, agent: '', prompt: work, timeout: 10s, on_failure: go_on}\n"
    text += "  - {id: then, needs: [job], human: Ever?}\n"
    world = make(ScriptedProvider([done("in vain")]), text)
    start, reached, opened = world.family.children.start, asyncio.Event(), asyncio.Event()

    async def late(child_task: ChildTask, parent: ThreadState) -> ThreadId:
        reached.set()
        try:
            await opened.wait()
        except asyncio.CancelledError:
            await start(child_task, parent)  # begun is ended
            raise
        return await start(child_task, parent)

    world.family.children.start = late  # type: ignore[method-assign]  # one that is slow
    run = await world.play("slow")
    walk = asyncio.create_task(world.turns.attend(run))
    await reached.wait()
    await world.clock.advance(11)  # type: ignore[attr-defined]  # it is a ManualClock
    opened.set()
    await walk
    child = [entry.fact for entry in await world.log(await child_of(world, run))]
    assert [fact for fact in child if isinstance(fact, StopAsked)]
    await world.work()


WITHIN = """
name: within
steps:
  - {id: ask, human: Sure?}
"""
AROUND = """
name: around
steps:
  - {id: s, playbook: within}
  - {id: then, tool: note_once, with: {what: went on}}
"""


async def test_a_playbook_within_goes_on_after_a_restart_when_its_file_is_gone(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), AROUND, WITHIN)
    run = await world.run_play("around")
    world = make(ScriptedProvider(), AROUND, boot=2)
    for ask in ("pause", "resume"):  # somebody looks at it
        await world.want(run, PlaybookAsked("pause" if ask == "pause" else "resume"))
        await world.work()
    await say(world, await child_of(world, run), "approve")
    assert ((await at(world, run)).status, effects(ledger)) == ("completed", ["went on"])


# ---------------------------------------------------------------------------------------------------------- limits

CHOICES = """
name: choices
steps:
  - id: each
    loop:
      count: 30
      steps:
        - {id: r, router: What?, routes: {a: x, b: y}}
"""


async def test_choices_of_a_model_stay_within_what_a_run_may_use(make: Make) -> None:
    provider = ScriptedProvider([choose("a")] * 30)
    world = make(provider, CHOICES, limits=RunLimits(play_tokens=1200))
    run = await world.run_play("choices")
    play = await at(world, run)
    assert play.status == "failed"
    assert "limit (tokens) is 1200" in play.failure
    assert (await world.now(run)).spending.tokens == 1200


# ------------------------------------------------------------------------------------------ before it begins, and after


async def test_a_run_that_is_stopped_before_it_begins_is_cancelled_and_its_conversation_hears_of_it(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider([TOLD]), EXPIRES)
    run = await world.play("expires", thread=await world.thread())
    await world.threads.stop(run, "stop")
    await world.work()
    play = await at(world, run)
    assert (play.status, play.told, effects(ledger)) == ("cancelled", True, [])


async def test_orders_that_are_stopped_before_they_begin_leave_nothing_behind(make: Make) -> None:
    world = make(ScriptedProvider([TOLD]), EXPIRES)
    run = await world.play("expires", thread=await world.thread())
    await world.resume_play(run)
    await world.threads.stop(run, "stop")
    await world.work()
    assert not (await world.now(run)).inbox.waiting
    assert (await at(world, run)).told


async def test_a_run_that_was_stopped_before_it_began_begins_when_it_is_resumed(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), EXPIRES)
    run = await world.play("expires")
    await world.threads.stop(run, "stop")
    await world.work()
    await world.resume_play(run)
    await world.work()
    await say(world, run, "approve")
    assert ((await at(world, run)).status, effects(ledger)) == ("completed", ["went"])


HANDS_OVER = """
name: hands
steps:
  - {id: h, transfer: missing}
"""


async def test_a_run_that_finds_nobody_to_hand_over_to_has_failed_and_says_so(make: Make) -> None:
    world = make(ScriptedProvider([TOLD]), HANDS_OVER)
    run = await world.run_play("hands", thread=await world.thread())
    play = await at(world, run)
    assert (play.status, play.told) == ("failed", True)
    assert "missing" in play.failure


QUICK = """
name: quick
steps:
  - {id: a, tool: note_safe, with: {what: x}}
"""


@pytest.mark.parametrize("dies_at", range(1, 13))
async def test_an_end_is_told_once_whatever_comes_between(make: Make, dies_at: int) -> None:
    world = make(ScriptedProvider(), QUICK)
    talk = await world.thread()
    run = await world.play("quick", thread=talk)
    try:
        await again(world, 2, Mortal(world.store, dies_at, after=True)).turns.attend(run)
    except BaseException as error:
        if not is_kill(error):
            raise
    meanwhile(world, 60)
    await world.want(run, PlaybookAsked("pause"))  # it comes too late, and is put away
    world = again(world, 3)
    await world.work()
    if (await world.now(run)).run is not None:
        await world.want(run, PlaybookAsked("resume"))
        await world.work()
    assert len([entry for entry in await world.log(talk) if isinstance(entry.fact, PlaybookEnded)]) == 1


# ------------------------------------------------------------------------------------------------------------- deaths

FIVE = "name: five\nsteps:\n" + "".join(f"  - {{id: s{n}, tool: note_safe, with: {{what: '{n}'}}}}\n" for n in range(5))


async def lives(world: PlayWorld, run: ThreadId, *dies_at: int) -> PlayWorld:
    """A life after the other, each of which ends at one of its changes of the store."""
    store = world.store
    for boot, last in enumerate(dies_at, 2):
        meanwhile(world, 60)
        try:
            await again(world, boot, Mortal(store, last, after=True)).turns.attend(run)
        except BaseException as error:
            if not is_kill(error):
                raise
    meanwhile(world, 60)
    return again(world, len(dies_at) + 2)


async def test_a_run_that_gets_on_between_deaths_is_taken_up_each_time(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), FIVE)
    run = await world.play("five")
    world = await lives(world, run, 4, 4, 4, 4, 4)
    taken = [entry.data["reason"] for entry in await world.log(run) if entry.kind == "RESUMED"]
    assert taken.count("crashed") >= 3
    await world.work()
    assert (await at(world, run)).status == "completed"
    assert sorted(set(effects(ledger))) == ["0", "1", "2", "3", "4"]


async def test_a_run_that_ends_the_daemon_at_one_place_ends_at_its_third_death(make: Make) -> None:
    world = make(ScriptedProvider(), FIVE)
    run = await world.play("five")
    world = await lives(world, run, 3, 2, 2)
    await world.work()
    play = await at(world, run)
    assert play.status == "failed"
    assert "stopped 3 times" in play.failure
