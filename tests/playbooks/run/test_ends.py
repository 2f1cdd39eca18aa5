"""How runs of playbooks are stopped, held, bounded and left: whatever ends one, nothing of it stays at work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.ids import MessageId, ThreadId
from sulla.core.run import Run
from sulla.core.words import ours
from sulla.playbooks.cli.run_lines import RunLines
from sulla.playbooks.records import PlaybookAsked
from sulla.playbooks.run.steps import StepEffects
from sulla.playbooks.run_rows import detail_of
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Gate, Say, ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.threads.archive.lines import event_of
from sulla.threads.log.records import Input
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import (
    Make,
    at,
    choose,
    done,
    effects,
    ended,
    later,
    ledger,
    make,
    question,
    questions,
    say,
)

__all__ = ["ledger", "make"]


class Stall:
    """A tool that stands still until it is let go on, and says when it began and whether it was stopped."""

    def __init__(self, effect: Any = "idempotent") -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()
        self.begun, self.stopped = 0, 0
        self._effect = effect

    def tool(self) -> Tool:
        async def stall(context: ToolContext, *, what: str) -> Result:
            """Stand still.

            Args:
                what: what it comes to.
            """
            self.begun += 1
            self.reached.set()
            try:
                await self.opened.wait()
            except asyncio.CancelledError:
                self.stopped += 1
                raise
            return Done(ours(what))

        return define(stall, effect=self._effect, reach="inward", category="testing")


HOW = ["stop", "cancel"]
"""A person stops its thread, or has the run cancelled."""


async def end(world: PlayWorld, run: ThreadId, how: str) -> None:
    if how == "stop":
        await world.threads.stop(run, "stop")
    else:
        await world.want(run, PlaybookAsked("cancel", "not wanted"))


async def at_rest(world: PlayWorld) -> None:
    """Nothing is at work, waits for its turn, or is somebody's child any more."""
    assert await world.store.find(ready=True) == []
    for info, state in await world.threads.list(limit=1000):
        assert not info.held, info.key
        if state is not None:
            assert state.run is None, (info.key, state.run)
            assert not state.links.children, info.key


async def begun(world: PlayWorld, *stalls: Stall) -> asyncio.Task[None]:
    """Have everything go on until these tools stand still."""
    work = asyncio.create_task(world.work())
    for stall in stalls:
        await stall.reached.wait()
    return work


# ------------------------------------------------------------------------------------------------------------- cancel

MANY = """
name: many
steps:
  - id: all
    parallel:
      branches:
        tool:
          - {id: t, tool: stall, with: {what: x}}
        agent:
          - {id: g, agent: '', prompt: work}
        sub:
          - {id: s, playbook: inner}
        person:
          - {id: p, human: Shall I?}
        time:
          - {id: w, wait: 30d}
  - {id: then, tool: note_once, with: {what: never}}
"""
INNER = """
name: inner
steps:
  - {id: deep, human: Inside?}
"""


@pytest.mark.parametrize("how", HOW)
async def test_a_run_that_is_cancelled_leaves_nothing_at_work(make: Make, ledger: EffectLedger, how: str) -> None:
    gate, stall = Gate(), Stall()
    world = make(ScriptedProvider([Say((gate, "never"))]), MANY, INNER, more=[stall.tool()])
    run = await world.play("many")
    work = await begun(world, stall)
    await end(world, run, how)
    await work
    await world.work()
    assert (await at(world, run)).status == "cancelled"
    assert stall.stopped == 1
    assert effects(ledger) == []
    await at_rest(world)
    for info, _ in await world.threads.list(limit=100):
        assert await questions(world, ThreadId(info.key)) == []


DEEP = """
name: deep
steps:
  - {id: g, needs: [], agent: '', prompt: outside}
  - {id: t, needs: [], tool: stall, with: {what: x}}
  - {id: s, needs: [], playbook: within}
"""
WITHIN = """
name: within
steps:
  - {id: wg, needs: [], agent: '', prompt: inside}
  - {id: wt, needs: [], tool: stall, with: {what: y}}
"""


@pytest.mark.parametrize("how", HOW)
async def test_agents_tools_and_playbooks_that_are_at_work_all_end_with_the_run(
    make: Make, ledger: EffectLedger, how: str
) -> None:
    gates, stall = (Gate(), Gate()), Stall()
    provider = ScriptedProvider([Say((gate, "never")) for gate in gates])
    world = make(provider, DEEP, WITHIN, more=[stall.tool()])
    run = await world.play("deep")
    works = [asyncio.create_task(world.turns.attend(run))]
    while stall.begun < 2 or len(provider.requests) < 2:
        await settled(world)
        ready = [ThreadId(info.key) for info in await world.store.find(ready=True) if not info.held]
        works += [asyncio.create_task(world.turns.attend(thread_id)) for thread_id in ready]
    for gate in gates:
        await gate.reached()
    await end(world, run, how)
    await works[0]
    await world.work()
    await asyncio.gather(*works)
    await world.work()
    assert (stall.stopped, provider.abandoned) == (2, 2)
    assert (await at(world, run)).status == "cancelled"
    for _, state in await world.threads.list(limit=100):
        if state is not None and (PLAYBOOK_RUN.of(state) is not None or state.identity.birth is not None):
            assert state.newest.outcome.status == "cancelled", state.identity.title
    await at_rest(world)


async def settled(world: PlayWorld) -> None:
    assert isinstance(world.clock, ManualClock)
    await world.clock.settle()


@pytest.mark.parametrize("how", HOW)
async def test_what_is_cancelled_while_it_waits_leaves_nothing_at_work(
    make: Make, ledger: EffectLedger, how: str
) -> None:
    stall = Stall()
    stall.opened.set()
    world = make(ScriptedProvider([done("agent")]), MANY, INNER, more=[stall.tool()])
    run = await world.run_play("many")
    assert (await world.now(run)).suspended
    await end(world, run, how)
    await world.work()
    assert (await at(world, run)).status == "cancelled"
    await at_rest(world)


@pytest.mark.parametrize("how", HOW)
async def test_what_was_cancelled_goes_on_from_where_it_was(make: Make, ledger: EffectLedger, how: str) -> None:
    text = """
name: on
steps:
  - {id: a, tool: note_once, with: {what: first}}
  - {id: b, tool: stall, with: {what: x}}
  - {id: c, tool: note_once, with: {what: "${{ steps.b.output }}"}}
"""
    stall = Stall()
    world = make(ScriptedProvider(), text, more=[stall.tool()])
    run = await world.play("on")
    work = await begun(world, stall)
    await end(world, run, how)
    await work
    assert (await at(world, run)).status == "cancelled"
    stall.opened.set()
    await world.resume_play(run)
    await world.work()
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["first", "x"]
    assert stall.begun == 2


async def test_a_run_that_is_cancelled_before_it_began_does_nothing(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), MANY, INNER, more=[Stall().tool()])
    run = await world.play("many")
    await world.want(run, PlaybookAsked("cancel", "not wanted"))
    await world.work()
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("cancelled", [])
    assert not [what for what, _ in await world.played(run) if what == "STEP_STARTED"]
    await at_rest(world)


# -------------------------------------------------------------------------------------------------------------- pause

TWO = """
name: two
steps:
  - {id: a, tool: stall, with: {what: x}}
  - {id: b, tool: note_once, with: {what: "after ${{ steps.a.output }}"}}
"""


async def test_what_runs_goes_on_to_its_end_in_a_paused_run_and_nothing_follows(
    make: Make, ledger: EffectLedger
) -> None:
    stall = Stall()
    world = make(ScriptedProvider(), TWO, more=[stall.tool()])
    run = await world.play("two")
    work = await begun(world, stall)
    await world.want(run, PlaybookAsked("pause", "to look"))
    stall.opened.set()
    await work
    await world.work()
    assert (await at(world, run)).status == "paused"
    assert ("STEP_COMPLETED", "a") in await world.played(run)
    assert effects(ledger) == []
    await world.want(run, PlaybookAsked("resume"))
    await world.work()
    assert (await at(world, run)).status == "completed"
    assert (stall.begun, effects(ledger)) == (1, ["after x"])


async def test_a_paused_run_stays_so_over_a_restart(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), TWO, more=[Stall().tool()])
    run = await world.play("two")
    await world.want(run, PlaybookAsked("pause"))
    await world.work()
    stall = Stall()
    stall.opened.set()
    world = make(ScriptedProvider(), TWO, more=[stall.tool()], boot=2)
    await later(world, 86_400)
    assert ((await at(world, run)).status, stall.begun) == ("paused", 0)
    await world.want(run, PlaybookAsked("resume"))
    await world.work()
    assert (await at(world, run)).status == "completed"


@pytest.mark.parametrize("how", HOW)
async def test_a_paused_run_can_be_cancelled(make: Make, ledger: EffectLedger, how: str) -> None:
    world = make(ScriptedProvider(), TWO, more=[Stall().tool()])
    run = await world.play("two")
    await world.want(run, PlaybookAsked("pause"))
    await world.work()
    await end(world, run, how)
    await world.work()
    assert (await at(world, run)).status == "cancelled"
    await at_rest(world)


async def test_wishes_for_a_run_that_has_ended_change_nothing(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), "name: one\nsteps:\n  - {id: a, tool: note_once, with: {what: x}}\n")
    run = await world.run_play("one")
    before = await world.played(run)
    for wish in (PlaybookAsked("pause"), PlaybookAsked("step"), PlaybookAsked("resume")):
        await world.want(run, wish)
        await world.work()
    assert (await at(world, run)).status == "completed"
    assert await world.played(run) == before


# ------------------------------------------------------------------------------------------------------------- timeout


async def test_an_agent_that_takes_too_long_is_cancelled(make: Make, ledger: EffectLedger) -> None:
    text = "name: slow\nsteps:\n  - {id: a, agent: '', prompt: work, timeout: 1m}\n"
    gate = Gate()
    world = make(ScriptedProvider([Say((gate, "never"))]), text)
    run = await world.play("slow")
    # The agent's thread is another one, at work beside the playbook's.
    work = asyncio.create_task(world.work())
    await gate.reached()
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(61)
    await world.turns.attend(run)
    await work
    await world.work()
    play = await at(world, run)
    assert play.status == "failed"
    assert "took longer than it may" in play.failure
    await at_rest(world)


async def test_an_agent_that_was_given_up_counts_at_the_end_of_its_run_as_in_the_list(make: Make) -> None:
    text = """
name: slow
steps:
  - {id: a, agent: '', prompt: work, timeout: 1m, on_failure: go_on}
  - {id: b, wait: 1m}
"""
    gate = Gate()
    world = make(ScriptedProvider([Say((gate, "never"))]), text)
    run = await world.play("slow")
    work = asyncio.create_task(world.work())
    await gate.reached()
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(61)
    await world.turns.attend(run)
    await work
    await world.work()
    await later(world, 61)
    state, sheet = await world.now(run), RunLines()
    told = [line for entry in await world.log(run) for line in sheet.show(event_of(run, entry))]
    assert state.spending.tokens > 0
    assert f"completed: 2 steps, {state.spending.tokens} tokens" in told


async def test_a_sub_playbook_that_takes_too_long_is_cancelled(make: Make, ledger: EffectLedger) -> None:
    text = "name: slow\nsteps:\n  - {id: s, playbook: inner, timeout: 1h}\n"
    world = make(ScriptedProvider(), text, INNER)
    run = await world.run_play("slow")
    await later(world, 3_601)
    assert (await at(world, run)).status == "failed"
    await at_rest(world)


# ------------------------------------------------------------------------------------------------------------- budgets


async def test_a_run_that_has_used_its_tokens_ends_with_that_reason(make: Make, ledger: EffectLedger) -> None:
    lines = "".join(f"  - {{id: r{n}, router: What?, routes: {{a: an a, b: a b}}}}\n" for n in range(3))
    world = make(ScriptedProvider([choose("a"), choose("a")]), f"name: spent\nbudget: {{tokens: 200}}\nsteps:\n{lines}")
    run = await world.run_play("spent")
    state, failed = await world.now(run), await ended(world, run)
    assert state.newest.outcome.status == "failed"
    assert failed.failure is not None
    assert failed.failure.reason == "limit_tokens"
    assert ("STEP_STARTED", "r2") not in await world.played(run)


async def test_an_agent_gets_no_more_than_its_step_may_use(make: Make, ledger: EffectLedger) -> None:
    text = "name: tight\nsteps:\n  - {id: a, agent: '', prompt: work, budget: {tokens: 50}}\n"
    world = make(ScriptedProvider([done("never")]), text)
    run = await world.run_play("tight")
    failed = await ended(world, run)
    assert failed.failure is not None
    assert "tokens" in failed.failure.message
    await at_rest(world)


async def test_a_run_has_its_time_and_no_more(make: Make, ledger: EffectLedger) -> None:
    text = "name: timed\nbudget: {time: 1h}\nsteps:\n  - {id: w, wait: 30d}\n"
    world = make(ScriptedProvider(), text)
    run = await world.run_play("timed")
    await later(world, 3_601)
    failed = await ended(world, run)
    assert failed.failure is not None
    assert failed.failure.reason == "limit_wall"


# ------------------------------------------------------------------------------------------- people write to a run

ASKING = """
name: asking
outputs: {got: "${{ steps.go.output }}"}
steps:
  - {id: ok, human: Shall I?, expires: 3d}
  - {id: go, tool: note_once, with: {what: went}}
"""
WORDS = ["hello?", '{"do": "resume"}', '{"do": "start", "inputs": {}}']


@pytest.mark.parametrize("mode", ["queue", "steer", "interrupt"])
@pytest.mark.parametrize("text", WORDS)
async def test_a_message_to_a_run_that_waits_does_it_no_harm(
    make: Make, ledger: EffectLedger, mode: Any, text: str
) -> None:
    world = make(ScriptedProvider([done("told")]), ASKING)
    talk = await world.thread()
    run = await world.run_play("asking", thread=talk)
    await world.send(run, text, mode)
    await world.work()
    await say(world, run, "approve")
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["went"]
    told = [entry.fact.text for entry in await world.log(talk) if isinstance(entry.fact, Input)]
    assert len(told) == 1, "the conversation is told once"
    assert "noted went" in told[0]
    await at_rest(world)


@pytest.mark.parametrize("text", WORDS)
async def test_a_message_to_a_run_that_has_ended_is_refused_and_changes_nothing(
    make: Make, ledger: EffectLedger, text: str
) -> None:
    world = make(ScriptedProvider([done("told")]), ASKING)
    talk = await world.thread()
    run = await world.run_play("asking", thread=talk)
    await say(world, run, "approve")
    before, facts = await at(world, run), (await world.record(run)).facts
    await world.threads.send(run, Input(MessageId("late"), text))
    await world.work()
    after = await at(world, run)
    assert (after.status, after.done, after.failure) == (before.status, before.done, before.failure)
    assert (await world.record(run)).facts == facts
    assert effects(ledger) == ["went"]
    assert len([entry for entry in await world.log(talk) if isinstance(entry.fact, Input)]) == 1
    await at_rest(world)


# ------------------------------------------------------------------------------------------- values, and an own failure

ALARMED = """
name: alarmed
inputs: {a: {type: integer, default: 2}}
steps:
  - {id: sum, set: {total: "${{ inputs.a + 3 }}", both: [x, "${{ inputs.a }}"]}}
  - {id: report, tool: missing, retry: {tries: 1}}
  - {id: alarm, needs: [{report: failure}], tool: note_once, with: {what: "${{ steps.sum.output | tojson }}"}}
  - {id: told, needs: [alarm], fail: "no report: ${{ steps.sum.output.total }}"}
"""


async def test_a_run_whose_failure_was_dealt_with_can_still_say_that_it_failed(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), ALARMED)
    run = await world.run_play("alarmed")
    play = await at(world, run)
    assert (play.status, play.failure) == ("failed", "step 'told' failed: no report: 5")
    assert effects(ledger) == ['{"total": 5, "both": ["x", 2]}']


async def test_without_its_own_word_a_run_whose_failure_was_dealt_with_is_completed(make: Make) -> None:
    world = make(ScriptedProvider(), ALARMED.rsplit("  - {id: told", 1)[0])
    assert (await at(world, await world.run_play("alarmed"))).status == "completed"


async def test_a_budget_into_which_no_reply_fits_is_told_to_its_author(make: Make) -> None:
    text = "name: small\nsteps:\n  - {id: a, agent: '', prompt: work, budget: {tokens: 4000}, retry: {tries: 1}}\n"
    world = make(ScriptedProvider(), text)
    failed = await ended(world, await world.run_play("small"))
    assert failed.failure is not None
    assert "4000 tokens are too few for the agent of a step: its reply alone may take 8192" in failed.failure.message


RACE = """
name: race
outputs: {who: "${{ steps.one.output }}"}
steps:
  - {id: long, needs: [], wait: 1h}
  - {id: person, needs: [], human: "Now?"}
  - id: side
    needs: []
    loop:
      count: 2
      steps:
        - {id: within, agent: '', prompt: Take your time}
  - {id: quick, needs: [], tool: note_once, with: {what: quick}}
  - {id: one, needs: [long, person, side, quick], merge: first}
"""


async def test_a_race_is_over_with_its_first_one_and_the_others_are_stopped(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider([Say(done("slow"))] * 2), RACE)
    run = await world.run_play("race")
    end = await ended(world, run)
    assert (end.status, end.outputs) == ("completed", {"who": "noted quick"})
    rows = {row.at: row.status for row in detail_of(await world.now(run), await world.record(run)).steps}
    assert rows == {
        "long": "skipped",
        "person": "skipped",
        "side": "skipped",
        "within@0": "cancelled",
        "quick": "completed",
        "one": "completed",
    }
    assert await questions(world, run) == []


GUARDED = """
name: guarded
steps:
  - {id: asks, human: "Well?"}
finally:
  - {id: tidy, tool: note_once, with: {what: "inner is ${{ run.status }}"}}
"""
AROUND = {
    "a merge": "  - {id: p, needs: [], playbook: guarded}\n"
    "  - {id: q, needs: [], wait: 1s}\n"
    "  - {id: m, needs: [p, q], merge: first}\n",
    "a time": "  - {id: p, playbook: guarded, timeout: 1s, on_failure: go_on}\n",
    "its end": "  - {id: p, playbook: guarded}\n",
}


@pytest.mark.parametrize("why", AROUND)
async def test_a_playbook_within_that_is_cancelled_does_what_it_does_at_its_end(
    make: Make, ledger: EffectLedger, why: str
) -> None:
    end = 'finally: [{id: last, tool: note_once, with: {what: "outer is ${{ run.status }}"}}]\n'
    world = make(ScriptedProvider(), f"name: outer\nsteps:\n{AROUND[why]}{end}", GUARDED)
    run = await world.run_play("outer")
    if why == "its end":
        await world.want(run, PlaybookAsked("cancel", "enough"))
    await later(world, 2)
    status = "cancelled" if why == "its end" else "completed"
    assert (await at(world, run)).status == status
    assert sorted(effects(ledger)) == ["inner is cancelled", f"outer is {status}"]
    await at_rest(world)


async def test_a_run_that_is_stopped_from_outside_stops_playbooks_within_without_more_ado(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), f"name: outer\nsteps:\n{AROUND['its end']}", GUARDED)
    run = await world.run_play("outer")
    await world.threads.stop(run, "stop")
    await world.work()
    assert effects(ledger) == []
    await at_rest(world)


async def test_what_a_playbook_within_does_at_its_end_may_take_longer_than_the_run_around_it(
    make: Make, ledger: EffectLedger
) -> None:
    slow = GUARDED.replace("finally:\n", "finally:\n  - {id: sure, human: Tidy up?}\n")
    world = make(ScriptedProvider(), f"name: outer\nsteps:\n{AROUND['a merge']}  - {{id: z, wait: 1h}}\n", slow)
    run = await world.run_play("outer")
    await later(world, 2)
    inner = await within(world, "guarded")
    assert (await question(world, inner)).prompt == "Tidy up?"
    await later(world, 3_601)
    assert (await at(world, run)).status == "completed"
    await say(world, inner, "approve")
    assert effects(ledger) == ["inner is cancelled"]
    await at_rest(world)


async def test_what_a_playbook_within_does_at_its_end_is_not_cut_by_the_run_that_leaves_it(
    make: Make, ledger: EffectLedger
) -> None:
    slow = GUARDED.replace("finally:\n", "finally:\n  - {id: sure, human: Tidy up?}\n")
    world = make(ScriptedProvider(), f"name: outer\nsteps:\n{AROUND['its end']}", slow)
    run = await world.run_play("outer")
    inner = await within(world, "guarded")
    await world.want(inner, PlaybookAsked("cancel", "not this one"))
    await world.work()
    await world.want(run, PlaybookAsked("cancel", "nor that"))
    await world.work()
    await say(world, inner, "approve")
    assert effects(ledger) == ["inner is cancelled"]
    await at_rest(world)


async def within(world: PlayWorld, name: str) -> ThreadId:
    threads = [(ThreadId(info.key), state) for info, state in await world.threads.list(limit=9)]
    (inner,) = [thread for thread, state in threads if state is not None and state.identity.title == name]
    return inner


async def test_a_playbook_within_is_left_also_where_the_daemon_died_before_it_could_be_told(
    make: Make, ledger: EffectLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"name: outer\nsteps:\n{AROUND['a merge']}  - {{id: z, wait: 1h}}\n"
    world = make(ScriptedProvider(), text, GUARDED)
    run = await world.run_play("outer")

    async def nothing(effects: StepEffects, child: str, run: Run) -> None:
        """The daemon has died."""

    with monkeypatch.context() as patch:
        patch.setattr(StepEffects, "leave", nothing)
        await later(world, 2)
    assert effects(ledger) == []
    await later(make(ScriptedProvider(), text, GUARDED), 3_601)
    assert (await at(world, run)).status == "completed"
    assert effects(ledger) == ["inner is cancelled"]
    await at_rest(world)


async def test_a_run_that_was_cancelled_has_nothing_at_work_any_more(make: Make) -> None:
    both = "parallel: {branches: {a: [{id: x, wait: 1h}], b: [{id: y, wait: 1h}]}}"
    world = make(ScriptedProvider(), f"name: side\nsteps: [{{id: side, {both}}}]\n")
    run = await world.run_play("side")
    await world.want(run, PlaybookAsked("cancel", "enough"))
    await world.work()
    detail = detail_of(await world.now(run), await world.record(run))
    assert (detail.about.status, detail.about.failure) == ("cancelled", "enough")
    assert {row.status for row in detail.steps} == {"cancelled"}
    assert all(row.ended_ms is not None for row in detail.steps)
