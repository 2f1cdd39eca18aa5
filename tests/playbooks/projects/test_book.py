"""A plan becomes a playbook like any other, and the machine works on it as the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import AgentStep, Budget, Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.machine.records import Failure, StepCompleted, StepFailed, StepStarted
from sulla.playbooks.plans.plan import PLAN_SCHEMA, PlanTask, ProjectPlan, Strategy, plan_json
from sulla.playbooks.projects.asked import PLANNER
from sulla.playbooks.projects.book import WorkLimits, planner_playbook, to_playbook
from tests.playbooks.machine import play
from tests.playbooks.machine.play import BROKEN, Play

LIMITS = WorkLimits(120)


@pytest.fixture(autouse=True)
def _real_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "evaluate", evaluate)


def task(id: str, *depends_on: str, **more: Any) -> PlanTask:
    return PlanTask(id, id.upper(), depends_on=depends_on, **more)


def planned(*tasks: PlanTask, strategy: Strategy = "dag") -> ProjectPlan:
    return ProjectPlan("a goal", tasks, strategy)


def definition_of(text: str, known: KnownNames | None = None) -> Definition:
    checked = check_playbook(text, known or KnownNames())
    assert all(fault.rule == "hidden" for fault in checked.faults), checked.faults
    assert checked.definition is not None
    return checked.definition


def worked(plan: ProjectPlan, work: dict[str, object] | None = None) -> Play:
    inputs: dict[str, Json] = {"project": "garden", "plan": plan_json(plan)}
    return Play(definition_of(to_playbook(plan, "garden", LIMITS)), inputs, work)


def side_by_side(play: Play) -> int:
    """So many tasks were at work at the same time, at the most."""
    open_: set[str] = set()
    most = 0
    for fact in play.facts:
        if isinstance(fact, StepStarted):
            open_.add(fact.at)
        elif isinstance(fact, StepCompleted | StepFailed):
            open_.discard(fact.at)
        most = max(most, len(open_))
    return most


DIAMOND = (task("a"), task("b", "a"), task("c", "a"), task("d", "b", "c"))


@pytest.mark.parametrize(("strategy", "most"), [("sequential", 1), ("parallel", 2), ("dag", 2)])
def test_how_many_tasks_are_at_work_at_once_is_what_the_strategy_says(strategy: Strategy, most: int) -> None:
    play = worked(planned(*DIAMOND, strategy=strategy))
    ended = play.run()
    assert ended is not None
    assert ended.status == "completed"
    assert ended.outputs == {name: name for name in "abcd"}
    assert (play.done[0], play.done[-1]) == ("a", "d")
    assert side_by_side(play) == most


@pytest.mark.parametrize(("strategy", "most"), [("sequential", 1), ("parallel", 5), ("dag", 5)])
def test_tasks_that_depend_on_nothing_begin_at_once_unless_it_is_one_at_a_time(strategy: Strategy, most: int) -> None:
    play = worked(planned(*map(task, "abcde"), strategy=strategy))
    play.run()
    assert side_by_side(play) == most
    assert play.done == list("abcde")


@pytest.mark.parametrize("strategy", ["sequential", "parallel", "dag"])
def test_a_failed_task_fails_what_depends_on_it_and_nothing_else(strategy: Strategy) -> None:
    tasks = (*DIAMOND, task("e"), task("f", "e"))
    play = worked(planned(*tasks, strategy=strategy), {"b": BROKEN})
    ended = play.run()
    assert ended is not None
    assert ended.status == "failed"
    assert play.ends == {"b": "failed", "d": "failed"} | dict.fromkeys("acef", "completed")
    assert (play.failure("b").reason, play.failure("d").reason) == ("broken", "upstream")
    assert "d" not in play.done


def test_a_task_is_told_the_goal_its_work_and_what_came_of_those_before_it() -> None:
    play = worked(planned(task("a"), task("b", "a", description="with care"), task("c")), {"a": "SEEDS"})
    play.run()
    told = {
        fact.at: str((fact.given or {})["prompt"]) for fact in play.facts if isinstance(fact, StepStarted)
    }  # fmt: skip
    for part in ("project garden", "a goal", "Your task: B", "with care", '<task id="a">\nSEEDS\n</task>'):
        assert part in told["b"]
    assert "SEEDS" not in told["c"]


def test_retries_are_those_of_the_failures_class_unless_the_task_says_otherwise() -> None:
    steps = definition_of(to_playbook(planned(task("a"), task("b", tries=1)), "p", LIMITS)).steps
    assert [step.retry.tries if step.retry else None for step in steps] == [None, 1]


@pytest.mark.parametrize(("tries", "done"), [(None, 4), (2, 2)])
def test_a_task_that_fails_for_a_while_is_tried_as_often_as_that_says(tries: int | None, done: int) -> None:
    play = worked(planned(task("a", tries=tries), task("b", "a")), {"a": Failure("transient", "timeout", "no net")})
    ended = play.run()
    assert ended is not None
    assert (ended.status, play.done) == ("failed", ["a"] * done)


def test_agents_tools_and_what_counts_as_done_are_the_steps() -> None:
    whole = task("a", agent="writer", tools=("read_file",), success="it is ${{ green }}")
    does = definition_of(to_playbook(planned(whole), "p", LIMITS)).steps[0].does
    assert isinstance(does, AgentStep)
    assert (does.agent, does.tools) == ("writer", ("read_file",))
    assert does.success is not None
    assert evaluate(does.success, {}) == "it is ${{ green }}"


_WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="".join(map(chr, range(32)))), max_size=40
) | st.sampled_from(["${{ inputs.x }}", "{{ steps.a.output }}", "$${{", "{{{", "}}", "'", '"', "- a: b", "# x", "%"])


@settings(max_examples=150)
@given(_WORDS, _WORDS, _WORDS)
def test_whatever_a_plan_says_is_said_and_never_worked_out(goal: str, title: str, description: str) -> None:
    one = PlanTask("a", title or "x", description + "\n" + goal)
    plan = ProjectPlan(goal, (one,))
    definition = definition_of(to_playbook(plan, "garden", LIMITS))
    does = definition.steps[0].does
    assert isinstance(does, AgentStep)
    prompt = str(evaluate(does.prompt, {"inputs": {"project": "garden", "plan": plan_json(plan)}, "steps": {}}))
    for said in (goal, one.title, one.description):
        assert said in prompt


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(["sequential", "parallel", "dag"]), st.integers(0, 99))
def test_any_plan_is_worked_on_in_the_order_of_its_dependencies(chance: Any, strategy: Strategy, salt: int) -> None:
    names = [f"s{number}" for number in range(chance.randint(1, 12))]
    tasks = [task(name, *(n for n in names[:at] if chance.random() < 0.3)) for at, name in enumerate(names)]
    chance.shuffle(tasks)
    broken = {name for name in names if chance.random() < 0.2}
    play = worked(planned(*tasks, strategy=strategy), dict.fromkeys(broken, BROKEN))
    ended = play.run(lambda started: salt % len(started))
    assert ended is not None
    failed = _failing(tasks, broken)
    assert {name for name, end in play.ends.items() if end == "failed"} == failed
    assert (ended.status == "failed") == bool(failed)
    for one in tasks:
        if one.id in play.done:
            assert all(play.done.index(before) < play.done.index(one.id) for before in one.depends_on)
    if strategy == "sequential":
        assert side_by_side(play) == 1


def _failing(tasks: Sequence[PlanTask], broken: set[str]) -> set[str]:
    failed = set(broken)
    for _ in tasks:
        failed |= {one.id for one in tasks if failed.intersection(one.depends_on)}
    return failed


@pytest.mark.thorough
def test_the_largest_plan_makes_a_playbook_that_is_not_too_large() -> None:
    title, description = "{{" * 100, "\x7f" * 1000
    tasks = [PlanTask(f"t{n}", title, description, depends_on=tuple(f"t{m}" for m in range(n))) for n in range(50)]
    assert len(definition_of(to_playbook(planned(*tasks), "x" * 64, LIMITS)).steps) == 50


def test_a_run_has_the_limits_that_were_asked_for() -> None:
    plan = planned(task("a"))
    assert definition_of(to_playbook(plan, "garden", LIMITS)).budget == Budget(wall_s=7200.0)
    assert definition_of(to_playbook(plan, "garden", WorkLimits(1, 90_000))).budget == Budget(90_000, wall_s=60.0)


@pytest.mark.parametrize("name", ["", "Garden", "../x", "a b", "x" * 65])
def test_what_is_no_projects_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="project's name"):
        to_playbook(planned(task("a")), name, LIMITS)


def test_planning_is_a_playbook_of_one_step_that_answers_with_a_plan() -> None:
    definition = definition_of(planner_playbook("garden", PLANNER, ()), KnownNames(agents={PLANNER}))
    (step,) = definition.steps
    assert isinstance(step.does, AgentStep)
    assert (step.does.agent, step.does.output) == (PLANNER, PLAN_SCHEMA)
    answer: Json = {"tasks": [{"id": "a", "title": "Dig"}]}
    inputs: dict[str, Json] = {"project": "garden", "goal": "${{ beds }}", "agents": ["writer", "reader"]}
    play = Play(definition, inputs, {"plan": lambda attempt: answer})
    ended = play.run()
    assert ended is not None
    assert ended.outputs == {"plan": answer}
    told = next(str((fact.given or {})["prompt"]) for fact in play.facts if isinstance(fact, StepStarted))
    assert "Goal: ${{ beds }}" in told
    assert "writer, reader" in told
    assert "To be thought of" not in told


def test_remarks_on_an_earlier_plan_are_told_and_the_homes_own_agent_may_plan() -> None:
    definition = definition_of(planner_playbook("garden", "", ()), KnownNames(agents=set()))
    play = Play(definition, {"project": "garden", "goal": "g", "remarks": "there is no task 'x'"})
    play.run()
    told = next(str((fact.given or {})["prompt"]) for fact in play.facts if isinstance(fact, StepStarted))
    assert "To be thought of: there is no task 'x'" in told
    assert "Agents that a task may name: none" in told
