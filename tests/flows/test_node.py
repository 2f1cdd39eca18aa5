"""A turn is walked by its flow: the seed's drawings node by node, who sees what, and what ends it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import permutations

import pytest

from sulla.agent.limits.limits import RunLimits
from sulla.core.ids import CallId
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.flows.conditions import ConditionRegistry, SessionContext
from sulla.store.memory import MemoryStore
from sulla.testing.provider import Say
from sulla.threads.log.records import RunError, ToolCallResult
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from tests.flows.world import DelegatingProvider, FlowWorld, PartsProvider, answered, facts_of, results_in
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)


async def test_simple_answers_and_needs_no_summary(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple")
    assert world.parts.asked == ["simple"]
    assert await world.shown(thread) == ["simple 1"]
    assert await world.status(thread) == ("done", "")


async def test_simple_with_all_that_can_be_asked_for(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple", deep_thinking=True, plan=True, more_suggest=True)
    assert world.parts.asked == ["task_analysis", "plan", "simple", "query_suggest"]
    assert await world.shown(thread) == ["simple 1"]
    assert ("part", "query_suggest", {"suggestions": ["And tomorrow?"]}) in await world.moved(thread)


async def test_a_plan_that_needs_the_person_begins_no_work_and_is_told_by_the_summary(store: MemoryStore) -> None:
    provider = PartsProvider({"plan": [{"plan": "ask first", "status": "need_user_input"}]})
    world = FlowWorld(store, provider)
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple", plan=True)
    assert provider.asked == ["plan", "task_summary"]
    assert await world.shown(thread) == ["task_summary 1"]


async def test_multi_goes_round_until_the_judge_says_that_it_is_done(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi")
    once = ["task_planning", "task_executor", "task_observation", "task_completion_judge"]
    assert world.parts.asked == [*once, *once, "task_summary"]
    assert await world.shown(thread) == ["task_executor 1", "task_executor 2", "task_summary 1"]


async def test_multi_that_never_is_done_ends_at_its_limit_and_says_so(store: MemoryStore) -> None:
    world = FlowWorld(store, PartsProvider({"task_completion_judge": [{"status": "in_progress", "reason": "no"}]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi", max_loop_count=3)
    assert world.parts.asked.count("task_completion_judge") == 3
    assert ("limit", "task_not_completed", True) in await world.moved(thread)
    assert (await world.shown(thread))[-1] == "task_summary 1"


async def test_fibre_is_done_over_until_the_check_is_passed(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.walk(thread, agent_mode="fibre", plan=True)
    assert world.parts.asked == ["plan", "fibre", "self_check", "plan", "fibre", "self_check"]


async def test_the_next_turn_without_a_flow_is_one_of_the_agent_alone(store: MemoryStore) -> None:
    world = FlowWorld(store, PartsProvider(says={"whole": [Say("Hello. <AGENT_DONE>hi</AGENT_DONE>")]}))
    thread = await world.thread()
    await world.ask(thread, "hello")
    assert world.parts.asked == ["whole"]
    assert await world.begun(thread) == []


async def test_a_part_that_is_blocked_ends_the_turn_there(store: MemoryStore) -> None:
    blocked = Say("I cannot. <AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>")
    world = FlowWorld(store, PartsProvider(says={"task_executor": [blocked]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi")
    assert world.parts.asked == ["task_planning", "task_executor"]
    assert (await world.status(thread))[0] == "blocked"


async def test_a_condition_of_a_package_chooses_and_one_that_fails_is_named(store: MemoryStore) -> None:
    @ConditionRegistry.register("user_paid")
    def user_paid(session_context: SessionContext, session: object = None) -> bool:
        return session_context.system_context["plan"] == "pro"

    world = FlowWorld(store, conditions=[user_paid])
    thread = await world.thread()
    tree = {"type": "if", "condition": "user_paid", "true_body": "archivist", "false_body": "simple"}
    await world.walk(thread, custom_flow={"name": "paid", "root": tree}, system_context={"plan": "pro"})
    assert world.parts.asked == ["archivist"]
    await world.walk(thread, custom_flow={"name": "paid", "root": tree}, plan=True)
    assert await world.status(thread) == ("failed", "flow_failed")
    error = (await world.log(thread))[-1].fact
    assert isinstance(error, RunError)
    assert error.message == "the flow's condition 'user_paid' failed: KeyError: 'plan'"


async def test_an_agent_of_the_home_does_its_part_as_itself(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    await world.walk(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": ["archivist", "simple"]}})
    assert [request.system[0].text for request in world.parts.requests] == ["You keep papers.", "You are Sulla."]


async def test_what_takes_up_a_message_in_the_place_of_the_agent_does_so_before_its_flow(store: MemoryStore) -> None:
    world = FlowWorld(store, opening=partial(answered, "We open at nine."))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi")
    assert world.parts.asked == []
    assert await world.shown(thread) == ["We open at nine."]
    assert (await world.status(thread))[0] == "done"


async def test_branches_work_side_by_side_and_what_they_say_is_told_to_who_comes_next(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    steps = [{"type": "parallel", "branches": ["archivist", "task_executor"]}, "task_summary"]
    await world.walk(thread, custom_flow={"name": "both", "root": {"type": "sequence", "steps": steps}})
    assert sorted(world.parts.asked[:2]) == ["task_executor", "whole"]
    assert world.parts.asked[2:] == ["task_summary"]
    (told,) = results_in(world.parts.requests[-1])
    assert "whole 1" in told
    assert "task_executor 1" in told
    assert await world.shown(thread) == ["task_summary 1"]


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_no_more_branches_work_at_once_than_their_node_says(store: MemoryStore, most: int) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist"] * 5, "max_concurrency": most}
    await world.offer(thread, custom_flow={"name": "five", "root": node})
    await world.turns.attend(thread)
    _, state = await world.threads.get(thread)
    assert state is not None
    assert len(state.links.children) == most
    await world.work()
    assert world.parts.asked == ["whole"] * 5 + ["task_summary"]  # nobody else tells the person
    assert (await world.status(thread))[0] == "done"


BLOCKED = Say("No. <AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON></AGENT_BLOCKED>")


@pytest.mark.parametrize(
    ("policy", "status", "told"),
    [("fail", ("failed", "flow_failed"), False), ("collect", ("done", ""), True), ("ignore", ("done", ""), False)],
)
async def test_a_branch_that_fails_means_what_its_node_says(
    store: MemoryStore, policy: str, status: tuple[str, str], told: bool
) -> None:
    world = FlowWorld(store, PartsProvider(says={"task_executor": [BLOCKED]}))
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist", "task_executor"], "on_failure": policy}
    steps = [node, "task_summary"]
    await world.walk(thread, custom_flow={"name": "both", "root": {"type": "sequence", "steps": steps}})
    assert await world.status(thread) == status
    if status[0] == "done":
        (heard,) = results_in(world.parts.requests[-1])
        assert ("no key" in heard) == told
        return
    (error,) = [fact.message for fact in await facts_of(world, thread) if isinstance(fact, RunError)]
    assert error.startswith("the part 'branches' of the flow has failed: the branch 'task_executor' is blocked: no key")
    assert "flow_" not in error


async def test_a_branch_walks_all_that_is_below_it(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    branch = {"type": "sequence", "steps": ["task_analysis", "task_executor"]}
    node = {"type": "parallel", "branches": [branch, "archivist"]}
    await world.walk(thread, custom_flow={"name": "deep", "root": {"type": "sequence", "steps": [node, "simple"]}})
    assert sorted(world.parts.asked[:-1]) == ["task_analysis", "task_executor", "whole"]
    assert world.parts.asked[-1] == "simple"


def delegates(*tasks: JsonObject) -> Say:
    return Say("", (ToolCall(CallId("d"), "delegate_tasks", {"tasks": [*tasks]}),))


async def test_fibre_has_agents_that_the_turn_brings_along_do_several_tasks(store: MemoryStore) -> None:
    asked = delegates(
        {"agent_id": "data_fetcher", "task_name": "pull", "content": "Pull the sales."},
        {"agent_id": "archivist", "task_name": "file", "content": "File them."},
    )
    says = {"fibre": [asked, Say("Here they are.")], "whole": [Say("Filed."), Say("Filed.")]}
    world = FlowWorld(store, DelegatingProvider(says))
    thread = await world.thread()
    agents = [{"agent_key": "data_fetcher", "system_prompt": "Pulls data.", "available_tools": []}]
    await world.walk(thread, agent_mode="fibre", custom_sub_agents=agents)
    assert "data_fetcher" in world.parts.asked
    (result,) = results_in(world.parts.requests[-2])
    assert "[pull; session_id flow_" in result
    assert "[file; session_id flow_" in result
    assert "Here they are." in await world.shown(thread)


async def test_no_task_begins_if_one_of_them_cannot(store: MemoryStore) -> None:
    asked = delegates(
        {"task_name": "one", "content": "x"}, {"agent_id": "archivits", "task_name": "two", "content": "y"}
    )
    world = FlowWorld(store, DelegatingProvider({"fibre": [asked, Say("Nobody.")]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="fibre")
    assert "CHILD_STARTED" not in await world.kinds(thread)
    (result,) = results_in(world.parts.requests[1])
    assert "Task 2 (two): there is no agent 'archivits' here. Did you mean 'archivist'?" in result


async def test_a_part_that_gives_no_answer_fails_the_turn_and_is_named(store: MemoryStore) -> None:
    world = FlowWorld(store, PartsProvider({"plan": [{"plan": "", "status": "perhaps"}]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple", plan=True)
    assert await world.status(thread) == ("failed", "flow_failed")
    error = (await world.log(thread))[-1].fact
    assert isinstance(error, RunError)
    assert error.message.startswith("the part 'plan' of the flow has failed: The call of give_answer does not fit.")


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
async def test_branches_that_end_in_any_order_come_to_the_same(store: MemoryStore, order: tuple[int, ...]) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist", "task_analysis", "self_check"]}
    await world.offer(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": [node, "task_summary"]}})
    await world.turns.attend(thread)
    _, state = await world.threads.get(thread)
    assert state is not None
    children = [child.thread_id for child in state.links.children.values()]
    for at in order:
        await world.turns.attend(children[at])
        await world.turns.attend(thread)
    (told,) = results_in(world.parts.requests[-1])
    texts = [block.rpartition("\n")[2] for block in told.split("\n\n")]
    assert texts == ["whole 1", "task_analysis 1", '{"passed": false, "missing": "the end"}']
    assert (await world.status(thread))[0] == "done"


async def test_a_stop_ends_all_branches(store: MemoryStore) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist", "task_executor"]}
    await world.offer(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": [node, "simple"]}})
    await world.turns.attend(thread)
    await world.threads.stop(thread, "stop-1")
    await world.turns.attend(thread)
    await world.work()
    assert world.parts.asked == []
    assert (await world.status(thread))[0] == "cancelled"
    kinds = await world.kinds(thread)
    assert kinds.count("CHILD_STARTED") == kinds.count("CHILD_CANCELLED") == 2


async def test_many_rounds_stay_within_what_the_turn_may_use_and_say_which_limit_was_met(store: MemoryStore) -> None:
    provider = PartsProvider({"task_completion_judge": [{"status": "in_progress", "reason": "no"}]})
    world = FlowWorld(store, provider, limits=RunLimits(tokens=3_000, reply_tokens=200))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi", max_loop_count=10)
    assert await world.status(thread) == ("failed", "limit_tokens")
    assert len(provider.asked) < 25


async def test_model_calls_are_counted_for_each_part(store: MemoryStore) -> None:
    provider = PartsProvider({"task_completion_judge": [{"status": "in_progress", "reason": "no"}]})
    world = FlowWorld(store, provider, limits=RunLimits(model_calls=2))
    thread = await world.thread()
    await world.walk(thread, agent_mode="multi", max_loop_count=10)
    assert len(provider.asked) == 41
    assert (await world.status(thread))[0] == "done"


async def test_an_agent_that_a_turn_brings_along_has_no_more_tools_than_it_names(store: MemoryStore) -> None:
    def tool(name: str) -> Tool:
        async def run(context: ToolContext) -> Result:
            """Do something."""
            return Done(ours("done"))

        return replace(define(run, effect="pure"), name=name)

    use = Say("", (ToolCall(CallId("u"), "other", {}),))
    asked = delegates({"agent_id": "data_fetcher", "task_name": "pull", "content": "Pull the sales."})
    says = {"fibre": [asked, Say("Here they are.")], "data_fetcher": [use, Say("No.")] * 2}
    world = FlowWorld(store, DelegatingProvider(says), tools=(tool("pull"), tool("other")))
    agents = [{"agent_key": "data_fetcher", "system_prompt": "Pulls data.", "available_tools": ["pull"]}]
    for flow in ({"agent_mode": "fibre"}, {"custom_flow": {"name": "x", "root": "data_fetcher"}}):
        thread = await world.thread()
        world.parts.requests.clear()
        await world.walk(thread, **flow, custom_sub_agents=agents)
        told = [result for request in world.parts.requests for result in results_in(request)]
        assert any("There is no tool 'other'" in result for result in told)


async def test_a_plan_that_asks_the_person_begins_no_work_in_fibre_either_and_is_told(store: MemoryStore) -> None:
    plan: JsonObject = {"plan": "Which disk?", "status": "need_user_input"}
    values: dict[str, list[JsonObject]] = {"plan": [plan], "self_check": [{"passed": False}]}
    world = FlowWorld(store, PartsProvider(values))
    thread = await world.thread()
    await world.walk(thread, agent_mode="fibre", plan=True)
    assert world.parts.asked == ["plan", "self_check", "task_summary"]
    assert await world.shown(thread) == ["task_summary 1"]


@pytest.mark.parametrize("number", [5, 6, 16])
async def test_every_branch_gets_a_share_of_what_the_turn_may_use(store: MemoryStore, number: int) -> None:
    world = FlowWorld(store, limits=RunLimits(tokens=20_000, reply_tokens=200))
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist"] * number, "max_concurrency": number}
    await world.walk(thread, custom_flow={"name": "many", "root": node})
    assert world.parts.asked.count("whole") == number
    assert (await world.status(thread))[0] == "done"


async def test_what_too_little_is_left_for_is_named(store: MemoryStore) -> None:
    world = FlowWorld(store, limits=RunLimits(tokens=500, reply_tokens=200))
    thread = await world.thread()
    node = {"type": "parallel", "branches": ["archivist"] * 3, "on_failure": "collect"}
    await world.walk(thread, custom_flow={"name": "many", "root": node})
    results = [fact.text for fact in await facts_of(world, thread) if isinstance(fact, ToolCallResult)]
    assert results[0].startswith(
        "Not begun: archivist, archivist, archivist, because of this run's tokens 500 are left"
    )


async def test_loops_within_loops_that_ask_nobody_end_at_a_limit_and_let_others_work(store: MemoryStore) -> None:
    @ConditionRegistry.register("always")
    def always(session_context: SessionContext, session: object = None) -> bool:
        return True

    world = FlowWorld(store, conditions=[always])
    thread = await world.thread()
    tree: JsonObject = {"type": "agent", "agent_key": "memory_recall"}  # there is no memory: nothing is called
    for _ in range(4):
        tree = {"type": "loop", "condition": "always", "body": tree, "max_loops": 100}
    await world.walk(thread, custom_flow={"name": "round", "root": tree})
    assert await world.status(thread) == ("failed", "flow_failed")
    assert len(await world.moved(thread)) == 5_000


async def test_a_suggestion_that_cannot_be_had_takes_no_answer_away(store: MemoryStore) -> None:
    world = FlowWorld(store, PartsProvider({"query_suggest": [{"suggestions": []}]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple", more_suggest=True)
    assert await world.shown(thread) == ["simple 1"]
    assert (await world.status(thread))[0] == "done"


async def test_tasks_are_delegated_in_the_role_that_does_so_and_nowhere_else(store: MemoryStore) -> None:
    asked = delegates({"task_name": "one", "content": "x"})
    world = FlowWorld(store, DelegatingProvider({"simple": [asked, Say("Alone then.")]}))
    thread = await world.thread()
    await world.walk(thread, agent_mode="simple")
    assert "CHILD_STARTED" not in await world.kinds(thread)
    assert results_in(world.parts.requests[1]) == ["There is no tool 'delegate_tasks' here."]


async def test_an_agent_that_a_turn_brings_along_is_told_of_and_speaks_as_itself(store: MemoryStore) -> None:
    asked = delegates({"agent_id": "data_fetcher", "task_name": "pull", "content": "Pull the sales."})
    world = FlowWorld(store, DelegatingProvider({"fibre": [asked, Say("Here.")], "data_fetcher": [Say("Pulled.")]}))
    thread = await world.thread()
    agents = [{"agent_key": "data_fetcher", "description": "Pulls data.", "system_prompt": "You pull data."}]
    await world.walk(thread, agent_mode="fibre", custom_sub_agents=agents)
    first, second = world.parts.requests[:2]
    assert "- data_fetcher: Pulls data." in first.messages[-1].text
    assert second.system[0].text == "You pull data."


@pytest.mark.parametrize(
    ("steps", "status", "begun"),
    [
        (("plan",), ("done", ""), ["archivist"]),
        ((), ("failed", "flow_failed"), []),
    ],
    ids=["of a part of the flow", "of none"],
)
async def test_a_value_of_a_part_that_has_given_nothing_yet_takes_the_default(
    store: MemoryStore, steps: tuple[str, ...], status: tuple[str, str], begun: list[str]
) -> None:
    world = FlowWorld(store)
    thread = await world.thread()
    switch: JsonObject = {"type": "switch", "variable": "plan.status", "cases": {"x": "simple"}, "default": "archivist"}
    planned: list[Json] = [{"type": "if", "condition": "enable_plan", "true_body": one} for one in steps]
    await world.walk(thread, custom_flow={"name": "x", "root": {"type": "sequence", "steps": [*planned, switch]}})
    assert await world.status(thread) == status
    assert await world.begun(thread) == begun
    failed = [fact.message for fact in await facts_of(world, thread) if isinstance(fact, RunError)]
    assert ["no 'status' in 'plan', which is false" in one for one in failed] == [True] * (not steps)
