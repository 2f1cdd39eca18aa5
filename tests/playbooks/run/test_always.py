"""What `always` allows a playbook's step, over its runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from sulla.agent.limits.rate import RateLimits
from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.daemon.intake import Intake
from sulla.daemon.thread_schema import THREAD_SCHEMA
from sulla.playbooks.machine.records import StepFailed
from sulla.testing.provider import ScriptedProvider
from sulla.threads.log.records import Answer
from sulla.threads.readable import ReadableThreads
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.doubles.play_world import PlayWorld
from tests.playbooks.run.runs import Make, at, ledger, make, question, questions, say

__all__ = ["ledger", "make"]

POST: Final = """
name: post
secrets: [key]
inputs: {host: {default: api.example}}
steps:
  - id: send
    tool: send
    with:
      url: https://${{ inputs.host }}/orders
      method: POST
      headers: {Authorization: "Bearer ${{ secrets.key }}"}
      body: ${{ run.payload }}
"""
RULE: Final = "POST to https://api.example with the secret key, by the step send of the playbook post ("


class Wire:
    """What was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def tool(self) -> Tool:
        async def send(
            context: ToolContext,
            *,
            url: str,
            method: str = "GET",
            headers: dict[str, str] | None = None,
            body: str = "",
        ) -> Result:
            """Send.

            Args:
                url: where.
                method: how.
                headers: fields.
                body: what.
            """
            self.sent.append((str((headers or {}).get("Authorization")), body))
            return Done(ours("sent"))

        return replace(define(send, effect="once"), addressed=True)


async def begun(world: PlayWorld, body: str, **others: Any) -> Any:
    given: dict[str, Any] = {"trigger": "webhook", "origin": "playbook", "tainted": True, "own": True, **others}
    return await world.run_play("post", payload=body, **given)


def intake(world: PlayWorld) -> Intake:
    readable = ReadableThreads(world.threads, world.store, THREAD_SCHEMA)
    return Intake(world.threads, readable, RateLimits(), world.clock)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def world(make: Make, wire: Wire) -> PlayWorld:
    return make(ScriptedProvider(), POST, more=[wire.tool()], secrets={"key": "swordfish"})


async def test_one_always_lets_a_webhooks_playbook_post_with_a_key_whatever_a_message_says(
    world: PlayWorld, wire: Wire
) -> None:
    run = await begun(world, "one")
    wait = await question(world, run)
    assert wait.target.startswith(RULE)
    assert "[secret key]" in wait.prompt
    assert "secret_" not in wait.prompt
    await say(world, run, "always")
    assert (await at(world, await begun(world, "two"))).status == "completed"
    assert wire.sent == [("Bearer swordfish", "one"), ("Bearer swordfish", "two")]


@pytest.mark.parametrize(
    "other",
    [
        {"inputs": {"host": "other.example"}},
        {"trigger": "schedule"},
        {"trigger": "agent"},
        {"trigger": "playbook"},
        {"own": False},
    ],
)
async def test_what_is_not_the_same_step_host_and_beginning_is_asked_about(
    world: PlayWorld, other: dict[str, Any]
) -> None:
    await say(world, await begun(world, "one"), "always")
    assert await questions(world, await begun(world, "two", **other))


async def test_header_fields_that_a_message_fills_in_are_named_in_the_question(make: Make, wire: Wire) -> None:
    fields = 'headers: {Authorization: "Bearer ${{ secrets.key }}", X-Kind: order, X-To: "${{ run.payload }}"}'
    filled = POST.replace('headers: {Authorization: "Bearer ${{ secrets.key }}"}', fields)
    world = make(ScriptedProvider(), filled, more=[wire.tool()], secrets={"key": "swordfish"})
    wait = await question(world, run := await begun(world, "one"))
    assert wait.target.startswith(RULE)
    assert wait.target.endswith(", begun by webhook), whatever its header fields X-To say")
    await say(world, run, "always")
    assert (await at(world, await begun(world, "two"))).status == "completed"


async def test_header_fields_whose_names_a_message_chooses_are_allowed_as_they_are_alone(
    make: Make, wire: Wire
) -> None:
    named = POST.replace('{Authorization: "Bearer ${{ secrets.key }}"}', "${{ run.payload | fromjson }}")
    world = make(ScriptedProvider(), named, more=[wire.tool()], secrets={"key": "swordfish"})
    wait = await question(world, run := await begun(world, '{"x-a": "1"}'))
    assert wait.target.startswith("args:")
    await say(world, run, "always")
    assert await questions(world, await begun(world, '{"x-http-method-override": "DELETE"}'))


async def test_a_changed_playbook_is_asked_about_again(world: PlayWorld) -> None:
    await say(world, await begun(world, "one"), "always")
    world.texts.texts["post"] = POST.replace("/orders", "/others")
    assert await questions(world, await begun(world, "two"))


@pytest.mark.parametrize("trigger", ["agent", "heartbeat", "playbook", "transfer", "project"])
async def test_for_what_an_agent_may_have_begun_always_is_good_for_the_very_call_alone(
    world: PlayWorld, trigger: str
) -> None:
    wait = await question(world, await begun(world, "one", trigger=trigger))
    assert wait.target.startswith("args:")


OUTER: Final = """
name: outer
steps:
  - {id: inner, playbook: post}
"""


async def test_a_step_within_a_playbook_is_allowed_as_what_began_the_outermost_run(make: Make, wire: Wire) -> None:
    world = make(
        ScriptedProvider(),
        POST.replace("run.payload", "run.trigger"),
        OUTER,
        more=[wire.tool()],
        secrets={"key": "swordfish"},
    )
    run = await world.run_play("outer", trigger="schedule", origin="playbook", own=True)
    (child,) = [info.key for info, _ in await world.threads.list(status="suspended") if info.key != run]
    wait = await question(world, ThreadId(child))
    assert wait.target.endswith(", begun by schedule)")
    await say(world, ThreadId(child), "always")
    assert (await at(world, run)).status == "completed"


# -------------------------------------------------------------------------------------------- asked, and not answered


async def test_a_run_that_would_ask_the_same_again_fails_without_a_notice_and_says_how_to_answer(
    world: PlayWorld, wire: Wire
) -> None:
    first = await begun(world, "one", trigger="schedule")
    wait = await question(world, first)
    second = await begun(world, "one", trigger="schedule")
    play = await at(world, second)
    assert (play.status, world.said, wire.sent) == ("failed", [], [])
    assert f"`sulla approvals answer {wait.call_id} yes`" in play.failure
    (failed,) = [fact for fact in (await world.record(second)).facts if isinstance(fact, StepFailed)]
    assert (failed.failure.kind, failed.failure.reason) == ("human_rejected", "asked_already")
    assert [what for what, _ in await world.played(second)].count("STEP_RETRY") == 0
    await say(world, first, "always")
    assert (await at(world, await begun(world, "one", trigger="schedule"))).status == "completed"


async def test_another_question_of_the_same_step_is_asked(world: PlayWorld) -> None:
    await begun(world, "one")
    assert await questions(world, await begun(world, "two"))


async def test_a_run_around_one_whose_call_is_asked_about_already_gives_no_notice_either(
    make: Make, wire: Wire
) -> None:
    inner = POST.replace("${{ run.payload }}", "the same")
    world = make(ScriptedProvider(), inner, OUTER, more=[wire.tool()], secrets={"key": "swordfish"})
    await world.run_play("outer", trigger="schedule", origin="playbook", own=True)
    run = await world.run_play("outer", trigger="schedule", origin="playbook", own=True)
    assert ((await at(world, run)).status, world.said) == ("failed", [])
    (failed,) = [fact for fact in (await world.record(run)).facts if isinstance(fact, StepFailed)]
    assert (failed.failure.kind, failed.failure.reason) == ("human_rejected", "asked_already")
    assert "the playbook 'post' failed: " in failed.failure.message
    (child,) = [info.key for info, state in await world.threads.list(status="suspended") if state and state.is_child]
    await say(world, ThreadId(child), "approve")
    assert wire.sent == [("Bearer swordfish", "the same")]


# --------------------------------------------------------------------------------------------- asked, and answered once


EACH: Final = """
name: post
secrets: [key]
steps:
  - id: all
    loop:
      for_each: [0, 1, 2, 3, 4, 5]
      at_once: 3
      steps:
        - id: send
          tool: send
          with:
            url: https://api.example/orders
            method: POST
            headers: {Authorization: "Bearer ${{ secrets.key }}"}
            body: ${{ run.payload }} ${{ item }}
"""


async def test_one_always_answers_every_open_question_that_it_allows_in_whichever_run(make: Make, wire: Wire) -> None:
    world = make(ScriptedProvider(), EACH, more=[wire.tool()], secrets={"key": "swordfish"})
    one, two = await begun(world, "one"), await begun(world, "two")
    other = await begun(world, "three", trigger="schedule")
    asked = await questions(world, one)
    assert [len(await questions(world, run)) for run in (one, two, other)] == [3, 3, 3]
    _, threads = await intake(world).answer(one, Answer(asked[1].wait_id, "", "always", by="ann"))
    await world.work()
    assert set(threads) == {one, two}
    assert [(await at(world, run)).status for run in (one, two, other)] == ["completed", "completed", "running"]
    assert sorted(body for _, body in wire.sent) == [f"{run} {number}" for run in ("one", "two") for number in range(6)]


async def test_a_yes_answers_no_other_question(make: Make, wire: Wire) -> None:
    world = make(ScriptedProvider(), EACH, more=[wire.tool()], secrets={"key": "swordfish"})
    run = await begun(world, "one")
    asked = await questions(world, run)
    await intake(world).answer(run, Answer(asked[1].wait_id, "", "approve"))
    await world.work()
    left = [wait.wait_id for wait in await questions(world, run)]
    assert left[:2] == [asked[0].wait_id, asked[2].wait_id]
    assert len(left) == 3


async def test_always_of_a_step_is_good_for_as_long_as_the_answer_says(world: PlayWorld) -> None:
    run = await begun(world, "one")
    wait = await question(world, run)
    await world.threads.answer(run, Answer(wait.wait_id, "", "always", for_s=60))
    await world.work()
    (rule,) = await world.permissions.list()
    assert rule.expires_ms - rule.at_ms == 60_000
