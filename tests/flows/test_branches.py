"""Branches of a flow: what they used, what people see of them, and what they come to."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from sulla.agent.spec import AgentSpec
from sulla.core.errors import ProviderRejected, ProviderTransient, ProviderUnauthorized, SullaError
from sulla.core.ids import CallId, MessageId, ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.flows.slice import FlowMoved, FlowPartStarted
from sulla.models.base import ChatRequest, Delta, PromptSection
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say
from sulla.threads.log.family import ChildStarted
from sulla.threads.log.records import Input, InputIgnored, RunFinished, TextMessageEnd
from tests.flows.world import SPECS, DelegatingProvider, FlowWorld, PartsProvider, facts_of, parts_of, results_in


@pytest.mark.parametrize("number", [2, 8, 16])
async def test_what_branches_used_counts_for_the_turn_also_where_they_report_at_the_same_time(
    store: MemoryStore, number: int
) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist"] * number, "max_concurrency": number}
    steps = [node, "simple"]
    await world.offer(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": steps}})
    await world.turns.attend(thread)
    _, state = await world.threads.get(thread)
    assert state is not None
    children = [child.thread_id for child in state.links.children.values()]
    for child in children:  # all of them report before anybody looks
        await world.turns.attend(child)
    await world.work()
    ends = [fact for fact in await facts_of(world, thread) if isinstance(fact, RunFinished)]
    spent = [(await world.threads.get(child))[1] for child in children]
    used = sum(one.spending.tokens for one in spent if one is not None)
    own = sum(fact.usage.total for fact in await facts_of(world, thread) if isinstance(fact, TextMessageEnd))
    assert used
    assert ends[-1].counted == used + own
    assert ends[-1].usage.total == used + own
    _, state = await world.threads.get(thread)
    assert state is not None
    assert state.spending.tokens == used + own
    told = {fact.reason for fact in await facts_of(world, thread) if isinstance(fact, InputIgnored)}
    assert told == {"the run has it beside another answer that it waited for"}


def at_once(*branches: Json, then: str = "simple", **more: Json) -> JsonObject:
    node: JsonObject = {"type": "parallel", "branches": [*branches], **more}
    return {"name": "x", "root": {"type": "sequence", "steps": [node, then]}}


def after(*steps: Json) -> JsonObject:
    return {"type": "sequence", "steps": [*steps]}


async def children_of(world: FlowWorld, thread: ThreadId) -> list[ThreadId]:
    """The threads of what a thread has set to work, in order."""
    return [fact.thread_id for fact in await facts_of(world, thread) if isinstance(fact, ChildStarted)]


async def test_a_branch_hides_what_the_flow_would_hide(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    branch = after("task_planning", "task_executor", "task_completion_judge")
    await world.walk(thread, custom_flow=at_once(branch))
    (child,) = await children_of(world, thread)
    begun = [fact.part for fact in await facts_of(world, child) if isinstance(fact, FlowPartStarted)]
    assert [(part.key, part.shown) for part in begun] == [
        ("task_planning", False),
        ("task_executor", True),
        ("task_completion_judge", False),
    ]
    assert await world.shown(child) == ["task_executor 1"]


async def test_a_branch_comes_to_what_its_shown_parts_said_and_to_the_value_of_its_last_part(
    store: MemoryStore,
) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    branch = after("task_planning", "task_executor", "archivist", "task_completion_judge")
    await world.walk(thread, custom_flow=at_once(branch, "task_analysis"))
    (told,) = results_in(world.parts.requests[-1])
    first, second = told.split("[task_analysis;")
    value = '{"status": "in_progress", "reason": "half is missing"}'
    assert first.partition("is done:\n")[2].strip() == f"task_executor 1\n\narchivist 1\n\n{value}"
    assert second.endswith("is done:\ntask_analysis 1")  # nothing of it is shown: then its last words are told


async def test_what_branches_of_a_branch_came_to_is_told_too(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    inner: JsonObject = {"type": "parallel", "branches": ["archivist", "task_executor"]}
    await world.walk(thread, custom_flow=at_once(inner))
    (told,) = results_in(world.parts.requests[-1])
    assert "whole 1" in told
    assert "task_executor 1" in told


async def test_what_parts_of_branches_give_reaches_the_flow_in_the_order_of_the_branches(store: MemoryStore) -> None:
    judged: list[JsonObject] = [{"status": "completed", "reason": "all is there"}]
    world = FlowWorld(store, PartsProvider({"task_completion_judge": judged, "self_check": [{"passed": True}]}))
    thread = await world.thread()
    body: JsonObject = {"type": "parallel", "branches": [after("task_executor", "task_completion_judge"), "self_check"]}
    loop: JsonObject = {"type": "loop", "condition": "task_not_completed", "body": body}
    await world.walk(thread, custom_flow={"name": "x", "root": after(loop, "task_summary")})
    assert world.parts.asked.count("task_completion_judge") == 1
    moved = [fact.values for fact in await facts_of(world, thread) if isinstance(fact, FlowMoved) and fact.values]
    assert moved == [{"task_completion_judge": judged[0], "self_check": {"passed": True}}]


async def test_of_two_branches_that_give_the_same_the_later_one_counts_whoever_is_first(store: MemoryStore) -> None:
    given: list[JsonObject] = [{"passed": False, "missing": "a"}, {"passed": True}]

    class InTurn(PartsProvider):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
            self._values = {"self_check": [given[self.asked.count("self_check")]]}
            async for delta in super().stream(request):
                yield delta

    world = FlowWorld(store, InTurn())
    thread = await world.thread()
    await world.offer(thread, custom_flow=at_once("self_check", "self_check"))
    await world.turns.attend(thread)
    first, second = await children_of(world, thread)
    for child in (second, first):
        await world.turns.attend(child)
        await world.turns.attend(thread)
    moved = [fact.values for fact in await facts_of(world, thread) if isinstance(fact, FlowMoved) and fact.values]
    assert moved == [{"self_check": given[0]}]


@pytest.mark.parametrize("branch", [False, True])
async def test_an_agent_in_the_place_of_a_role_that_gives_a_value_gives_it_as_itself(
    store: MemoryStore, branch: bool
) -> None:
    world = FlowWorld(store, specs=(*SPECS, AgentSpec("plan", "Pia", "You are Pia.", completion="plain")))
    thread = await world.thread()
    root: Json = {"type": "parallel", "branches": ["plan"]} if branch else "plan"
    begins: JsonObject = {"type": "if", "condition": "plan_should_start_execution", "true_body": "simple"}
    await world.walk(thread, custom_flow={"name": "x", "root": after(root, begins)})
    assert world.parts.asked == ["plan", "simple"]
    assert world.parts.requests[0].system[0].text == "You are Pia."
    assert world.parts.requests[0].force == "give_answer"
    assert await world.shown(thread) == ["simple 1"]


@pytest.mark.parametrize("steps", [["task_executor", "task_summary"], ["task_summary"], ["archivist"]])
async def test_a_summary_is_not_asked_for_again_that_says_nothing_and_the_turn_says_so(
    store: MemoryStore, steps: list[Json]
) -> None:
    silent = [Say("")] * 2
    world = FlowWorld(store, PartsProvider(says=dict.fromkeys(("task_executor", "archivist", "task_summary"), silent)))
    thread = await world.thread()
    await world.walk(thread, custom_flow={"name": "x", "root": after(*steps)})
    assert world.parts.asked.count("task_summary") == 1
    assert await world.status(thread) == ("failed", "no_outcome")


async def steered(world: FlowWorld, thread: ThreadId, text: str, **flow: Json) -> None:
    said = Input(MessageId("steer"), text, "steer", flow=flow or None)
    await world.threads.send(thread, said)


async def test_a_message_that_steers_joins_as_the_next_part_begins(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.offer(thread, custom_flow=at_once("archivist", "task_analysis"))
    await world.turns.attend(thread)
    await steered(world, thread, "and in French", agent_mode="multi")
    await world.turns.attend(thread)  # it cannot reach the branches, which go on
    assert len([fact for fact in await facts_of(world, thread) if isinstance(fact, ChildStarted)]) == 2
    await world.work()
    texts = [message.text for message in world.parts.requests[-1].messages if message.role == "user"]
    assert [text for text in texts if "in French" in text] == ["and in French"]
    assert world.parts.asked[-1] == "simple"
    (joined,) = (fact for fact in await facts_of(world, thread) if isinstance(fact, RunFinished) and fact.joined)
    assert "`flow` was left out" in joined.outcome.status_report
    assert len([one for one in world.parts.requests if "in French" in str(one.messages)]) == 1


async def test_a_message_that_joins_where_nothing_more_would_be_said_is_answered(store: MemoryStore) -> None:
    class Steering(PartsProvider):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
            if not self.asked:
                await steered(world, thread, "and in French")
            async for delta in super().stream(request):
                yield delta

    world = FlowWorld(store, Steering({"self_check": [{"passed": True}]}))
    thread = await world.thread()
    await world.walk(
        thread, custom_flow={"name": "x", "root": after("task_executor", "task_observation", "self_check")}
    )
    assert world.parts.asked == ["task_executor", "task_observation", "self_check", "task_summary"]
    assert [text for text in map(str, world.parts.requests[-1].messages) if "in French" in text]
    assert await world.status(thread) == ("done", "")


@pytest.mark.parametrize(
    "error",
    [
        ProviderRejected("400: no"),
        ProviderUnauthorized("401: who"),
        ProviderTransient("529: busy"),
        ProviderTransient("429: too many requests", retry_after_s=90.0),
    ],
    ids=str,
)
async def test_suggestions_that_the_service_refuses_are_passed_over_at_once_and_told(
    store: MemoryStore, error: SullaError
) -> None:
    class Refusing(PartsProvider):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
            if parts_of(request)[-1:] == ["query_suggest"]:
                tries.append(request.certain)
                raise error
            async for delta in super().stream(request):
                yield delta

    tries: list[bool] = []
    world = FlowWorld(store, Refusing())
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple", more_suggest=True)
    assert await world.shown(thread) == ["simple 1"]
    assert await world.status(thread) == ("done", "")
    passed = [fact.passed for fact in await facts_of(world, thread) if isinstance(fact, FlowMoved) and fact.passed]
    assert passed == [error.message]
    assert "RUN_WAITING" not in {entry.kind for entry in await world.log(thread)}
    assert tries == [True], "no failure is waited out, and no other model is asked"
    assert [one.certain for one in world.parts.requests] == [False]


@pytest.mark.parametrize("how", ["delegated", "branch"])
async def test_an_agent_that_a_turn_brings_along_has_no_tools_skills_and_memory_beyond_what_it_names(
    store: MemoryStore, how: str
) -> None:
    skills = PromptSection("skills", ours("Skill: bake."))
    task: JsonObject = {"agent_id": "fetcher", "task_name": "pull", "content": "Pull."}
    call = Say("", (ToolCall(CallId("d"), "delegate_tasks", {"tasks": [task]}),))
    says = {"fibre": [call, Say("Here.")], "fetcher": [Say("Pulled.")]}
    world = FlowWorld(store, DelegatingProvider(says), known=lambda: (skills,))
    thread = await world.thread()
    agents: Json = [{"agent_key": "fetcher", "system_prompt": "You pull."}]
    flow: dict[str, Any] = {"agent_mode": "fibre"} if how == "delegated" else {"custom_flow": at_once("fetcher")}
    await world.walk(thread, **flow, custom_sub_agents=agents)
    (request,) = (one for one in world.parts.requests if parts_of(one)[-1:] == ["fetcher"])
    assert request.tools == ()
    assert "Skill: bake." not in [section.text for section in request.system]
    assert "Skill: bake." in [section.text for section in world.parts.requests[-1].system]
    (child,) = await children_of(world, thread)
    _, state = await world.threads.get(child)
    assert state is not None
    assert state.identity.birth is not None
    assert not state.identity.birth.memory
