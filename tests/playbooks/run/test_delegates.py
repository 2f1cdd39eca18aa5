"""Tools of playbooks that set sub-agents to work."""

from __future__ import annotations

from sulla.agent.subagents.child_tools import sub_agent_tools
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import Words
from sulla.testing.provider import Say, ScriptedProvider
from sulla.threads.log.records import StopAsked
from sulla.tools.base import Done, Result, Tool, ToolContext, Waiting
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, ended, ledger, make
from tests.playbooks.run.runs import done as wrapped
from tests.playbooks.run.test_calls import later_only

__all__ = ["ledger", "make"]

DELEGATES = """
name: delegates
outputs: {got: "${{ steps.job.output }}"}
steps:
  - {id: job, tool: spawn_sub_agent, with: {task: look}, timeout: 1h}
"""


def delegating(make: Make, provider: ScriptedProvider, *more: Tool) -> PlayWorld:
    homes: list[PlayWorld] = []
    homes.append(make(provider, DELEGATES, more=[*sub_agent_tools(lambda: homes[0].family), *more]))
    return homes[0]


async def test_what_a_tools_sub_agent_found_is_what_the_call_comes_to(make: Make) -> None:
    world = delegating(make, ScriptedProvider([wrapped("green")]))
    run = await world.run_play("delegates")
    assert (await ended(world, run)).outputs == {"got": "green"}
    assert not (await world.now(run)).context.tainted


async def test_a_tools_sub_agent_that_fails_fails_the_step(make: Make) -> None:
    text = "<AGENT_BLOCKED>\n<BLOCKER_REASON>no key</BLOCKER_REASON>\n</AGENT_BLOCKED>"
    world = delegating(make, ScriptedProvider([text]))
    run = await world.run_play("delegates")
    play = await at(world, run)
    assert play.status == "failed"
    assert "no key" in play.failure


async def test_what_a_tools_sub_agent_has_read_taints_the_run(make: Make) -> None:
    async def page(context: ToolContext, *, what: str) -> Result:
        """Read a page.

        Args:
            what: which.
        """
        return Done(Words(f"the page {what}"), origin="web")

    reads = Say("", (ToolCall(CallId("c"), "page", {"what": "x"}),))
    world = delegating(make, ScriptedProvider([reads, wrapped("green")]), define(page, effect="pure", reach="inward"))
    run = await world.run_play("delegates")
    assert (await ended(world, run)).outputs == {"got": "green"}
    assert (await world.now(run)).context.tainted


async def test_a_tools_sub_agent_that_is_no_longer_waited_for_is_told_to_end(make: Make) -> None:
    world = delegating(make, ScriptedProvider())
    run = await world.play("delegates")
    await world.turns.attend(run)
    (child,) = (await world.now(run)).links.children.values()
    await later_only(world, 2 * 3600)
    await world.work()
    assert (await at(world, run)).status == "failed"
    assert [entry for entry in await world.log(child.thread_id) if isinstance(entry.fact, StopAsked)]


async def test_a_call_that_waits_for_several_at_once_fails_and_says_so(make: Make) -> None:
    async def many(context: ToolContext) -> Result:
        """Wait for two."""
        return Waiting("child:a", "waits", ("child:b",))

    text = "name: many\nsteps:\n  - {id: a, tool: many}\n"
    world = make(ScriptedProvider(), text, more=[define(many, effect="pure", reach="inward")])
    run = await world.run_play("many")
    assert "several at once" in (await at(world, run)).failure
