"""Runs of playbooks, whole: the real threads, turns, tools and children, over a store in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sulla.core.ids import CallId, ThreadId
from sulla.core.message import ToolCall
from sulla.playbooks.machine.records import RunEnded
from sulla.playbooks.records import PlaybookAsked
from sulla.playbooks.slice import PLAYBOOK_RUN
from sulla.store.memory import MemoryStore
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.testing.tools import EffectLedger, ledger_tools
from sulla.threads.log.records import Answer
from tests.doubles.play_world import PlayWorld

Make = Callable[..., PlayWorld]


@pytest.fixture
def ledger(tmp_path: Path) -> EffectLedger:
    return EffectLedger(tmp_path / "effects")


@pytest.fixture
async def make(ledger: EffectLedger) -> Make:
    clock = ManualClock()
    store = MemoryStore(clock, lambda prefix: f"{prefix}_mem")
    await store.open()

    def world(provider: ScriptedProvider, *texts: str, **others: Any) -> PlayWorld:
        named = {text.split("name:", 1)[1].split()[0]: text for text in texts}
        return PlayWorld(store, provider, named, tools=ledger_tools(ledger), clock=clock, **others)

    return world


def choose(name: str) -> Say:
    return Say(calls=(ToolCall(CallId("c"), "choose", {"choice": name}),))


def done(text: str) -> str:
    return f"{text}\n<AGENT_DONE>\n<STATUS_REPORT>{text}</STATUS_REPORT>\n</AGENT_DONE>"


def effects(ledger: EffectLedger) -> list[str]:
    return [line["what"] for line in ledger.read()]


async def outputs(world: PlayWorld, run: ThreadId) -> Any:
    (ended,) = [fact for fact in (await world.record(run)).facts if isinstance(fact, RunEnded)]
    return ended.outputs


CHAIN = """
name: chain
inputs: {what: {type: string}}
outputs: {said: "${{ steps.b.output }}"}
steps:
  - id: a
    tool: note_safe
    with: {what: "first ${{ inputs.what }}"}
  - id: b
    tool: note_once
    with: {what: "${{ steps.a.output }}"}
"""


async def test_a_chain_of_tools_is_done_in_order_and_gives_back_its_outputs(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), CHAIN)
    run = await world.run_play("chain", {"what": "x"})
    state = await world.now(run)
    assert effects(ledger) == ["first x", "noted first x"]
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert (play.status, state.newest.outcome.status, play.done) == ("completed", "done", 2)
    assert await outputs(world, run) == {"said": "noted noted first x"}


ROUTED = """
name: routed
steps:
  - id: kind
    router: What is it?
    routes: {sales: wants to buy, other: anything else}
  - id: sell
    needs: [kind.sales]
    tool: note_once
    with: {what: sold}
  - id: leave
    needs: [kind.other]
    tool: note_once
    with: {what: left}
"""


async def test_a_model_chooses_the_way_by_name(make: Make, ledger: EffectLedger) -> None:
    provider = ScriptedProvider([choose("other")])
    world = make(provider, ROUTED)
    state = await world.now(await world.run_play("routed"))
    assert effects(ledger) == ["left"]
    assert state.spending.tokens == 120
    provider.assert_done()


async def test_a_model_that_names_no_way_is_asked_once_more_and_then_the_step_fails(
    make: Make, ledger: EffectLedger
) -> None:
    provider = ScriptedProvider([choose("not sales"), choose("sales?")])
    world = make(provider, ROUTED)
    state = await world.now(await world.run_play("routed"))
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert play.status == "failed"
    assert "sales?" in play.failure
    assert effects(ledger) == []
    provider.assert_done()


RESEARCH = """
name: research
inputs: {what: {type: string}}
outputs: {facts: "${{ steps.look.output.facts }}"}
steps:
  - id: look
    agent: ''
    prompt: Find facts about ${{ inputs.what }}
    output: {type: object, properties: {facts: {type: array}}, required: [facts]}
"""


async def test_an_agent_step_is_a_child_run_and_its_json_is_read(make: Make) -> None:
    provider = ScriptedProvider([done('{"facts": ["tall"]}')])
    world = make(provider, RESEARCH)
    run = await world.run_play("research", {"what": "trees"})
    state = await world.now(run)
    assert await outputs(world, run) == {"facts": ["tall"]}
    assert "Find facts about trees" in str(provider.requests[0].messages)
    assert state.spending.tokens == 120
    assert not state.links.children


ASKING = """
name: asking
steps:
  - id: ok
    human: Shall I?
    expires: 3d
  - id: go
    tool: note_once
    with: {what: went}
  - id: stay
    needs: [ok.no]
    tool: note_once
    with: {what: stayed}
"""


@pytest.mark.parametrize(("verdict", "what"), [("approve", "went"), ("reject", "stayed")])
async def test_a_person_is_waited_for_and_nothing_is_held(
    make: Make, ledger: EffectLedger, verdict: Any, what: str
) -> None:
    world = make(ScriptedProvider(), ASKING)
    run = await world.run_play("asking")
    state = await world.now(run)
    assert state.suspended
    assert state.run is not None
    (wait,) = [one for one in state.run.waits.values() if one.prompt]
    assert wait.prompt == "Shall I?"
    await world.threads.answer(run, Answer(wait.wait_id, "", verdict))
    await world.work()
    assert effects(ledger) == [what]
    assert (await world.now(run)).newest.outcome.status == "done"


async def test_a_question_of_three_days_expires(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), ASKING)
    run = await world.run_play("asking")
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(3 * 86_400 + 1)
    await world.work()
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert (play.status, effects(ledger)) == ("failed", [])
    assert "nobody answered" in play.failure


WAITING = """
name: waiting
steps:
  - id: long
    wait: 30d
  - id: then
    tool: note_once
    with: {what: later}
"""


async def test_a_wait_of_thirty_days(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), WAITING)
    run = await world.run_play("waiting")
    assert isinstance(world.clock, ManualClock)
    await world.clock.advance(29 * 86_400)
    await world.work()
    assert effects(ledger) == []
    await world.clock.advance(86_400 + 1)
    await world.work()
    assert effects(ledger) == ["later"]
    assert (await world.now(run)).newest.outcome.status == "done"


LOOPED = """
name: looped
steps:
  - id: each
    loop:
      for_each: [a, b, c]
      at_once: 2
      steps:
        - id: note
          tool: note_safe
          with: {what: "${{ item }}"}
  - id: both
    parallel:
      branches:
        left:
          - {id: l, tool: note_safe, with: {what: left}}
        right:
          - {id: r, tool: note_safe, with: {what: right}}
  - id: end
    tool: note_safe
    with: {what: "${{ steps.each.output | length }}"}
"""


async def test_loops_and_branches(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), LOOPED)
    state = await world.now(await world.run_play("looped"))
    assert state.newest.outcome.status == "done", state.newest.outcome
    assert sorted(effects(ledger)[:3]) == ["a", "b", "c"]
    assert sorted(effects(ledger)[3:5]) == ["left", "right"]
    assert effects(ledger)[5:] == ["3"]


OUTER = """
name: outer
outputs: {got: "${{ steps.sub.output.said }}"}
steps:
  - id: sub
    playbook: chain
    with: {what: deep}
"""


async def test_another_playbook_is_run_as_a_step(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OUTER, CHAIN)
    run = await world.run_play("outer")
    assert await outputs(world, run) == {"got": "noted noted first deep"}
    assert effects(ledger) == ["first deep", "noted first deep"]


OVER = """
name: over
steps:
  - id: first
    tool: note_once
    with: {what: begun}
  - id: hand
    transfer: chain
    with: {what: over}
"""


async def test_a_run_hands_over_to_another_once(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), OVER, CHAIN)
    state = await world.now(await world.run_play("over"))
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert play.status == "transferred"
    assert effects(ledger) == ["begun", "first over", "noted first over"]


TEN = (
    "name: ten\nsteps:\n"
    + "".join(f"  - {{id: s{n}, agent: '', prompt: do {n}}}\n" for n in range(9))
    + "  - {id: s9, tool: note_once, with: {what: '${{ steps.s8.output }}', oops: 1}}\n"
)


async def test_what_failed_is_resumed_without_paying_for_what_came_before(make: Make, ledger: EffectLedger) -> None:
    text = TEN.replace(", oops: 1", "").replace("tool: note_once", "agent: ''\n    prompt: x") if False else TEN
    provider = ScriptedProvider([done(f"did {n}") for n in range(9)])
    world = make(provider, text)
    run = await world.run_play("ten")
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert play.status == "failed"
    assert len(provider.requests) == 9
    await world.resume_play(run)
    await world.work()
    assert len(provider.requests) == 9
    again = await world.now(run)
    play = PLAYBOOK_RUN.of(again)
    assert play is not None
    assert play.status == "failed"
    played = await world.played(run)
    assert played.count(("STEP_STARTED", "s9")) == 2
    assert played.count(("STEP_STARTED", "s8")) == 1


async def test_a_paused_run_takes_one_step_at_a_time(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), CHAIN)
    run = await world.play("chain", {"what": "x"})
    await world.want(run, PlaybookAsked("pause", "to look"))
    await world.work()
    assert effects(ledger) == []
    await world.want(run, PlaybookAsked("step"))
    await world.work()
    assert effects(ledger) == ["first x"]
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert play.status == "paused"
    await world.want(run, PlaybookAsked("resume"))
    await world.work()
    assert effects(ledger) == ["first x", "noted first x"]


async def test_a_stopped_run_is_cancelled_and_can_go_on(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), ASKING)
    run = await world.run_play("asking")
    await world.threads.stop(run, "stop")
    await world.work()
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert play.status == "cancelled"
    await world.resume_play(run)
    await world.work()
    state = await world.now(run)
    assert state.suspended
    assert state.run is not None
    (wait,) = [one for one in state.run.waits.values() if one.prompt]
    await world.threads.answer(run, Answer(wait.wait_id, "", "approve"))
    await world.work()
    assert effects(ledger) == ["went"]


async def test_a_fork_does_part_of_a_run_again_with_other_inputs(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), CHAIN)
    run = await world.run_play("chain", {"what": "x"})
    fork = await world.fork_play(run, "b", inputs={"what": "y"})
    await world.work()
    assert effects(ledger) == ["first x", "noted first x", "noted first x"]
    assert (await world.now(fork)).newest.outcome.status == "done"


SECRET = """
name: secret
secrets: [key]
steps:
  - id: a
    tool: note_once
    with: {what: "${{ secrets.key }}"}
"""


async def test_a_secret_reaches_the_tool_and_never_the_log(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), SECRET, secrets={"key": "swordfish-123"})
    run = await world.run_play("secret")
    assert effects(ledger) == ["swordfish-123"]
    kept = [json.dumps(entry.data, default=str) for entry in await world.log(run) if entry.kind == "PLAYBOOK"]
    assert not [line for line in kept if "STARTED" in line and "swordfish" in line]


TALK = """
name: talk
steps:
  - id: ask
    prompt: What do you think?
  - id: tell
    respond: "It thinks: ${{ steps.ask.output }}"
"""


async def test_the_conversation_hears_of_a_run_and_its_end(make: Make) -> None:
    world = make(ScriptedProvider([done("fine")]), ASKING)
    talk = await world.thread()
    run = await world.play("asking", thread=ThreadId(talk))
    await world.work()
    await world.threads.stop(run, "stop")
    await world.work()
    state = await world.now(talk)
    assert state.newest.outcome.status == "done"
    assert "has been cancelled" in str(state.context.transcript[0])


async def test_a_cancelled_run_says_why_and_ends_what_waits(make: Make, ledger: EffectLedger) -> None:
    world = make(ScriptedProvider(), ASKING)
    run = await world.run_play("asking")
    await world.want(run, PlaybookAsked("cancel", "too late"))
    await world.work()
    state = await world.now(run)
    play = PLAYBOOK_RUN.of(state)
    assert play is not None
    assert (play.status, play.failure, state.newest.outcome.status) == ("cancelled", "too late", "cancelled")
    assert ("STEP_CANCELLED", "ok") in await world.played(run)
    assert effects(ledger) == []
