"""Runs of playbooks that are wide, long, deep, done again, and made of what nobody trusts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.rehearsal.base import RehearsalSetting
from sulla.playbooks.rehearsal.cases import Fixtures
from sulla.playbooks.rehearsal.rehearse import rehearse
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.testing.provider import ScriptedProvider
from sulla.testing.tools import EffectLedger
from sulla.threads.log.records import Input
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.playbooks.run.runs import Make, at, done, effects, ended, later, ledger, make, question, say

__all__ = ["ledger", "make"]

# ---------------------------------------------------------------------------------------------------- merges and width


class Crowd:
    """A tool whose calls stand still until so many have come."""

    def __init__(self, ledger: EffectLedger, size: int) -> None:
        self._ledger, self._size = ledger, size
        self.most = self._now = 0
        self._full = asyncio.Event()

    def tool(self) -> Tool:
        async def crowd(context: ToolContext, *, what: str) -> Result:
            """Wait for the others.

            Args:
                what: the effect.
            """
            self._now += 1
            self.most = max(self.most, self._now)
            if self.most == self._size:
                self._full.set()
            await self._full.wait()
            self._now -= 1
            self._ledger.write("crowd", what, context)
            return Done(ours(what))

        return define(crowd, effect="idempotent", reach="inward", category="testing")


WIDE = """
name: wide
outputs: {n: "${{ steps.all.output | length }}"}
steps:
  - id: all
    parallel:
      branches:
"""


async def test_fifty_branches_are_at_work_at_once(make: Make, ledger: EffectLedger) -> None:
    branches = (f"        b{n}: [{{id: s{n}, tool: crowd, with: {{what: w{n}}}}}]\n" for n in range(50))
    text = f"{WIDE}{''.join(branches)}"
    crowd = Crowd(ledger, 50)
    world = make(ScriptedProvider(), text, more=[crowd.tool()])
    run = await world.run_play("wide")
    assert crowd.most == 50
    assert sorted(effects(ledger)) == sorted(f"w{n}" for n in range(50))
    assert (await ended(world, run)).outputs == {"n": 50}


async def test_no_more_steps_are_at_work_than_the_playbook_says(make: Make, ledger: EffectLedger) -> None:
    lines = "".join(f"  - {{id: s{n}, needs: [], tool: crowd, with: {{what: w{n}}}}}\n" for n in range(12))
    crowd = Crowd(ledger, 3)
    world = make(ScriptedProvider(), f"name: narrow\nat_once: 3\nsteps:\n{lines}", more=[crowd.tool()])
    run = await world.run_play("narrow")
    assert (crowd.most, len(effects(ledger))) == (3, 12)
    assert (await at(world, run)).status == "completed"


RACE = """
name: race
outputs: {won: "${{ steps.one.output }}"}
steps:
  - {id: a, needs: [], tool: note_safe, with: {what: quick}}
  - {id: b, needs: [], wait: 1h}
  - {id: c, needs: [b], tool: note_safe, with: {what: slow}}
  - {id: one, needs: [a, c], merge: first}
  - {id: then, needs: [one], tool: note_once, with: {what: "${{ steps.one.output }}"}}
"""


async def test_what_follows_the_first_does_not_wait_for_the_others_and_is_done_once(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), RACE.replace("merge: first", "merge: first, rest: go_on"))
    run = await world.run_play("race")
    assert effects(ledger) == ["quick", "noted quick"]
    assert (await at(world, run)).status == "running", "others go on to their end"
    await later(world, 3_601)
    assert effects(ledger) == ["quick", "noted quick", "slow"]
    assert (await ended(world, run)).outputs == {"won": "noted quick"}


async def test_the_first_that_succeeds_wins_and_those_that_fail_do_not_count(make: Make, ledger: EffectLedger) -> None:
    text = RACE.replace("tool: note_safe, with: {what: quick}}", "tool: note_safe, with: {oops: 1}, retry: {tries: 1}}")
    world = make(ScriptedProvider(), text)
    run = await world.run_play("race")
    assert effects(ledger) == []
    await later(world, 3_601)
    assert (await ended(world, run)).outputs == {"won": "noted slow"}


async def test_two_hundred_passes_are_done_in_their_order(make: Make, ledger: EffectLedger) -> None:
    text = """
name: long
outputs: {last: "${{ steps.each.output | last }}", n: "${{ steps.each.output | length }}"}
steps:
  - id: each
    loop:
      count: 200
      most: 200
      steps:
        - {id: note, tool: note_once, with: {what: "${{ loop.index }}"}}
"""
    world = make(ScriptedProvider(), text.replace('what: "${{ loop.index }}"', 'what: "n${{ loop.index }}"'))
    run = await world.run_play("long")
    assert effects(ledger) == [f"n{n}" for n in range(200)]
    assert (await ended(world, run)).outputs == {"last": "noted n199", "n": 200}


# ---------------------------------------------------------------------------------------------- playbooks within others


def nested(name: str, inner: str) -> str:
    return f"""
name: {name}
inputs: {{n: {{type: integer, default: 1}}}}
outputs: {{got: "${{{{ steps.s.output.got }}}}"}}
steps:
  - {{id: s, playbook: {inner}, with: {{n: "${{{{ inputs.n + 1 }}}}"}}}}
"""


DEEPEST = """
name: d
inputs: {n: {type: integer, default: 1}}
outputs: {got: "${{ steps.t.output }}"}
steps:
  - {id: ok, human: "Shall I, ${{ inputs.n }}?"}
  - {id: t, tool: note_once, with: {what: "n${{ inputs.n }}"}}
"""


async def test_playbooks_within_playbooks_give_back_what_they_come_to(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), nested("a", "b"), nested("b", "c"), nested("c", "d"), DEEPEST)
    run = await world.run_play("a")
    deep = [
        ThreadId(info.key)
        for info, state in await world.threads.list(limit=10)
        if state and state.identity.title == "d"
    ]
    assert (await question(world, deep[0])).prompt == "Shall I, 4?"
    world = make(ScriptedProvider(), nested("a", "b"), nested("b", "c"), nested("c", "d"), DEEPEST, boot=2)
    await say(world, deep[0], "approve")
    assert (await ended(world, run)).outputs == {"got": "noted n4"}
    assert effects(ledger) == ["n4"]


HALF = "name: half\nsteps:\n  - {id: odd, fail: 9 is odd}\n"
WHOLE = """
name: whole
outputs: {error: "${{ steps.two.error }}"}
steps:
  - {id: two, playbook: half, on_failure: go_on}
"""


async def test_a_playbook_that_fails_within_gives_its_step_the_error_that_a_rehearsal_gives(make: Make) -> None:
    world = make(ScriptedProvider(), WHOLE, HALF)
    real = await ended(world, await world.run_play("whole"))
    whole, half = (check_playbook(text).definition for text in (WHOLE, HALF))
    assert whole is not None
    assert half is not None
    setting = RehearsalSetting({"half": half}.__getitem__, evaluate)
    assert real.outputs == rehearse(whole, {}, Fixtures({}), setting).outputs


async def test_a_failure_deep_within_is_told_outside_with_its_cause(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), nested("a", "b"), nested("b", "d"), DEEPEST)
    run = await world.run_play("a")
    deep = [
        ThreadId(info.key)
        for info, state in await world.threads.list(limit=10)
        if state and state.identity.title == "d"
    ]
    await say(world, deep[0], "give_up", "too deep for me")
    play = await at(world, run)
    assert play.status == "failed"
    assert "too deep for me" in play.failure


@pytest.mark.parametrize("names", ["ab", "abc"])
async def test_a_playbook_that_comes_round_to_itself_is_refused_where_it_would(make: Make, names: str) -> None:
    after = names[1:] + names[0]
    world = make(ScriptedProvider(), *map(nested, names, after))
    run = await world.run_play("a")
    play = await at(world, run)
    assert play.status == "failed"
    assert f"{' → '.join(names)} → a would never end" in play.failure
    runs = [
        state.identity.title
        for _, state in await world.threads.list(limit=100)
        if state is not None and PLAYBOOK_RUN.of(state)
    ]
    assert sorted(runs) == sorted(names), "each began once"


async def test_a_playbook_that_there_is_not_fails_its_step_and_nothing_else(make: Make, ledger: EffectLedger) -> None:
    text = "name: a\nsteps:\n  - {id: s, playbook: missing}\n  - {id: t, needs: [], tool: note_once, with: {what: x}}\n"
    world = make(ScriptedProvider(), text)
    run = await world.run_play("a")
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("failed", ["x"])
    assert "missing" in play.failure


# ------------------------------------------------------------------------------------------------- done again, pinned

FIVE = "name: five\nsteps:\n" + "".join(f"  - {{id: s{n}, tool: note_once, with: {{what: w{n}}}}}\n" for n in range(5))


async def test_a_run_is_done_again_from_a_step_in_the_middle(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), FIVE)
    run = await world.run_play("five")
    await world.resume_play(run, "s2")
    await world.work()
    assert effects(ledger) == ["w0", "w1", "w2", "w3", "w4", "w2", "w3", "w4"]
    play = await at(world, run)
    assert (play.status, play.open) == ("completed", ())


async def test_what_the_file_says_meanwhile_is_for_later_runs(make: Make, ledger: EffectLedger) -> None:
    text = "name: pinned\nsteps:\n  - {id: ok, human: Go?}\n  - {id: t, tool: note_once, with: {what: old}}\n"
    world = make(ScriptedProvider(), text)
    run = await world.run_play("pinned")
    world = make(ScriptedProvider(), text.replace("old", "new"), boot=2)
    await say(world, run, "approve")
    assert effects(ledger) == ["old"]
    second = await world.run_play("pinned")
    await say(world, second, "approve")
    assert effects(ledger) == ["old", "new"]


LOOPED = """
name: looped
inputs: {mark: {type: string, default: x}}
outputs: {all: "${{ steps.each.output }}"}
steps:
  - id: each
    loop:
      for_each: [a, b, c, d]
      steps:
        - {id: one, tool: note_once, with: {what: "1${{ item }}${{ inputs.mark }}"}}
        - {id: two, tool: note_once, with: {what: "2${{ item }}${{ inputs.mark }}"}}
"""


async def test_a_fork_from_within_a_loop_goes_on_in_that_pass_with_the_other_inputs(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), LOOPED)
    run = await world.run_play("looped")
    before = len(effects(ledger))
    fork = await world.fork_play(run, "two@2", inputs={"mark": "y"})
    await world.work()
    assert effects(ledger)[before:] == ["2cy", "1dy", "2dy"]
    assert (await ended(world, fork)).outputs == {"all": ["noted 2ax", "noted 2bx", "noted 2cy", "noted 2dy"]}
    assert (await at(world, run)).status == "completed", "the run that it is of stays as it was"


async def test_a_fork_from_a_step_that_there_is_not_fails_and_says_so(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), FIVE)
    run = await world.run_play("five")
    fork = await world.fork_play(run, "s9")
    await world.work()
    play = await at(world, fork)
    assert play.status == "failed"
    assert "'s9'" in play.failure
    assert len(effects(ledger)) == 5


# ----------------------------------------------------------------------------------------------------------- agents


async def test_an_agent_that_is_blocked_fails_its_step_with_what_it_needs(make: Make) -> None:
    why = "<BLOCKER_REASON>no key</BLOCKER_REASON>"
    needs = "<UNBLOCK_REQUIREMENTS>the key to the shed</UNBLOCK_REQUIREMENTS>"
    blocked = f"<AGENT_BLOCKED>\n{why}\n{needs}\n</AGENT_BLOCKED>"
    world = make(ScriptedProvider([blocked]), "name: shed\nsteps:\n  - {id: a, agent: '', prompt: open it}\n")
    run = await world.run_play("shed")
    play = await at(world, run)
    assert play.status == "failed"
    assert "no key" in play.failure
    assert "the key to the shed" in play.failure


SHAPED = """
name: shaped
outputs: {a: "${{ steps.a.output.a }}", tries: "${{ steps.a.tries }}"}
steps:
  - id: a
    agent: ''
    prompt: Count
    output: {type: object, properties: {a: {type: integer}}, required: [a]}
    retry: {tries: 2, backoff: 5s}
"""


async def test_an_agent_whose_result_is_not_what_was_asked_for_is_set_to_work_again(make: Make) -> None:
    provider = ScriptedProvider([done("no idea"), done("none"), done('{"a": 1}')])
    world = make(provider, SHAPED)
    run = await world.run_play("shaped")
    assert len(provider.requests) == 2
    assert "the answer cannot be used: the result is not JSON" in str(provider.requests[1].messages)
    await later(world, 6)
    assert (await ended(world, run)).outputs == {"a": 1, "tries": 2}
    assert (await world.now(run)).spending.tokens == 360, "all answers are paid for, each once"
    provider.assert_done()


async def test_fifty_agents_work_for_one_run_each_once(make: Make) -> None:
    lines = "".join(f"  - {{id: a{n}, needs: [], agent: '', prompt: task {n} of all}}\n" for n in range(50))
    provider = ScriptedProvider([done("well")] * 50)
    world = make(provider, f"name: crew\nsteps:\n{lines}")
    run = await world.run_play("crew")
    play = await at(world, run)
    assert (play.status, play.done) == ("completed", 50)
    asked = [str(request.messages) for request in provider.requests]
    assert all(sum(f"task {n} of all" in text for text in asked) == 1 for n in range(50))
    assert (await world.now(run)).spending.tokens == 50 * 120
    provider.assert_done()


async def test_agents_among_whom_too_little_is_left_to_share_begin_nothing_and_cost_nothing(make: Make) -> None:
    lines = "".join(f"  - {{id: a{n}, needs: [], agent: '', prompt: work}}\n" for n in range(50))
    provider = ScriptedProvider()
    world = make(provider, f"name: crew\nbudget: {{tokens: 100000}}\nsteps:\n{lines}")
    run = await world.run_play("crew")
    play = await at(world, run)
    assert play.status == "failed"
    assert "tokens" in play.failure
    assert provider.requests == []


# -------------------------------------------------------------------------------------------------------------- taint


def web(origin: Any = "web") -> Tool:
    async def look(context: ToolContext, *, what: str) -> Result:
        """Read a page.

        Args:
            what: which.
        """
        return Done(ours(f"the page {what}"), origin=origin)

    return define(look, effect="pure", category="testing")


READ = """
name: read
outputs: {page: "${{ steps.page.output }}"}
steps:
  - {id: page, tool: look, with: {what: x}}
  - {id: send, tool: post, with: {what: "${{ steps.page.output }}"}}
"""


def post(ledger: EffectLedger) -> Tool:
    async def post(context: ToolContext, *, what: str) -> Result:
        """Send something out.

        Args:
            what: what.
        """
        ledger.write("post", what, context)
        return Done(ours("posted"))

    return define(post, effect="once", category="testing")


async def test_what_a_page_says_is_not_sent_out_without_a_yes_although_a_person_started_it(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider([done("told")]), READ, more=[web(), post(ledger)])
    talk = await world.thread()
    run = await world.run_play("read", thread=talk)
    assert effects(ledger) == []
    assert (await world.now(run)).context.tainted
    await say(world, run, "approve")
    assert effects(ledger) == ["the page x"]
    (told,) = [entry.fact for entry in await world.log(talk) if isinstance(entry.fact, Input)]
    assert told.tainted, "the conversation knows that its words may be a page's"
    assert (await world.now(talk)).context.tainted


async def test_what_is_trusted_taints_nothing(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider([done("told")]), READ, more=[web("tool"), post(ledger)])
    talk = await world.thread()
    run = await world.run_play("read", thread=talk)
    assert effects(ledger) == ["the page x"]
    assert not (await world.now(run)).context.tainted
    assert not (await world.now(talk)).context.tainted


async def test_a_page_that_a_playbook_within_has_read_taints_the_one_around_it(
    make: Make, ledger: EffectLedger
) -> None:
    inner = READ.replace("name: read", "name: inner").replace("page: ", "p: ", 1).partition("  - {id: send")[0]
    outer = """
name: outer
steps:
  - {id: s, playbook: inner}
  - {id: send, tool: post, with: {what: "${{ steps.s.output.p }}"}}
"""
    world = make(ScriptedProvider(), outer, inner, more=[web(), post(ledger)])
    run = await world.run_play("outer")
    assert ((await world.now(run)).context.tainted, effects(ledger)) == (True, [])
    await say(world, run, "reject")
    assert effects(ledger) == []


async def test_taint_is_known_after_a_restart_and_in_a_fork(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), READ, more=[web(), post(ledger)])
    run = await world.run_play("read")
    await say(world, run, "reject")
    world = make(ScriptedProvider(), READ, more=[web(), post(ledger)], boot=2)
    await world.resume_play(run)
    await world.work()
    assert effects(ledger) == []
    assert "send" in (await at(world, run)).open[0].at


# ------------------------------------------------------------------------------------------------------ run and secrets


async def test_a_run_can_name_itself_and_what_started_it(make: Make, ledger: EffectLedger) -> None:
    text = """
name: self
outputs:
  all: "${{ run.playbook }} ${{ run.trigger }} ${{ run.payload.x }} ${{ run.started_at }}"
  id: "${{ run.id }}"
steps:
  - {id: ok, human: Go on?}
"""
    world = make(ScriptedProvider(), text)
    run = await world.run_play("self", trigger="webhook", payload={"x": 5})
    await later(world, 3_600)
    world = make(ScriptedProvider(), text, boot=2)
    await say(world, run, "approve")
    assert (await ended(world, run)).outputs == {"all": "self webhook 5 2027-01-15T08:00:00.000Z", "id": run}


SECRET = """
name: secret
secrets: [key]
steps:
  - {id: before, tool: note_once, with: {what: before}}
  - {id: a, tool: note_once, with: {what: "${{ secrets.key }}"}}
"""


async def test_a_secret_that_is_not_set_fails_its_step_and_the_run_goes_on_when_it_is(
    make: Make, ledger: EffectLedger
) -> None:
    world = make(ScriptedProvider(), SECRET)
    run = await world.run_play("secret")
    play = await at(world, run)
    assert (play.status, effects(ledger)) == ("failed", ["before"])
    assert "'key' is not set" in play.failure
    world = make(ScriptedProvider(), SECRET, secrets={"key": "swordfish"}, boot=2)
    await world.resume_play(run)
    await world.work()
    assert ((await at(world, run)).status, effects(ledger)) == ("completed", ["before", "swordfish"])
