"""What `always` allows a playbook's step, over its runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from sulla.core.ids import ThreadId
from sulla.core.words import ours
from sulla.playbooks.machine.records import StepFailed
from sulla.testing.provider import ScriptedProvider
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
