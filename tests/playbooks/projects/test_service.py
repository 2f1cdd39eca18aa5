"""A goal is planned by one run, and its plan worked on by another."""

from __future__ import annotations

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.playbooks.projects.plan import ProjectPlan
from sulla.playbooks.projects.service import ProjectDesk, project_of
from tests.playbooks.projects.project_runs import MachineRuns

ANSWER: Json = {"tasks": [{"id": "dig", "title": "Dig"}, {"id": "sow", "title": "Sow", "depends_on": ["dig"]}]}


@pytest.fixture
def runs() -> MachineRuns:
    return MachineRuns()


@pytest.fixture
def desk(runs: MachineRuns) -> ProjectDesk:
    return ProjectDesk(runs, ThreadId("thr_talk"))


async def test_a_goal_is_planned_and_the_plan_worked_on(desk: ProjectDesk, runs: MachineRuns) -> None:
    planning = await desk.plan("garden", " beds in spring ", "k", agents=["writer"])
    runs.ends(planning.run, "plan", ANSWER)
    plan = await desk.plan_of(planning.run)
    assert isinstance(plan, ProjectPlan)
    assert (plan.goal, [task.id for task in plan.tasks]) == ("beds in spring", ["dig", "sow"])
    work = await desk.work("garden", plan, "k")
    for task in ("dig", "sow"):
        assert [step.at for step in runs.books[work.run].open] == [task]
        runs.ends(work.run, task, f"{task} is done")
    assert (await runs.status(work.run)).outputs == {"dig": "dig is done", "sow": "sow is done"}
    begins = list(runs.begun.values())
    assert {(begin.trigger, begin.thread) for begin in begins} == {("project", "thr_talk")}
    assert [begin.playbook for begin in begins] == ["plan-garden", "work-garden"]


async def test_the_same_key_begins_each_once(desk: ProjectDesk, runs: MachineRuns) -> None:
    first = await desk.plan("garden", "g", "k")
    again = await desk.plan("garden", "g", "k")
    assert (first.run, first.first, again.first) == (again.run, True, False)
    runs.ends(first.run, "plan", ANSWER)
    plan = await desk.plan_of(first.run)
    assert isinstance(plan, ProjectPlan)
    assert (await desk.work("garden", plan, "k")).first
    assert not (await desk.work("garden", plan, "k")).first


async def test_what_is_wrong_with_a_plan_is_said_and_goes_into_the_next_one(
    desk: ProjectDesk, runs: MachineRuns
) -> None:
    begun = await desk.plan("garden", "g", "1")
    runs.ends(begun.run, "plan", {"tasks": [{"id": "dig", "title": "Dig", "agent": "digger"}]})
    faults = await desk.plan_of(begun.run, {"writer"})
    assert faults == ("task 'dig' is for the agent 'digger', and there is no such agent. Did you mean 'writer'?",)
    again = await desk.plan("garden", "g", "2", remarks="\n".join(faults))
    assert runs.begun[again.run].inputs["remarks"] == faults[0]


async def test_a_run_that_planned_nothing_says_why(desk: ProjectDesk, runs: MachineRuns) -> None:
    begun = await desk.plan("garden", "g", "1")
    with pytest.raises(Conflict, match="it is running"):
        await desk.plan_of(begun.run)
    runs.breaks(begun.run, "plan")
    with pytest.raises(Conflict, match="it is failed: step 'plan' failed: it broke"):
        await desk.plan_of(begun.run)
    with pytest.raises(NotFound):
        await desk.plan_of("thr_99")


async def test_a_run_of_a_plan_is_no_plan(desk: ProjectDesk, runs: MachineRuns) -> None:
    planning = await desk.plan("garden", "g", "1")
    runs.ends(planning.run, "plan", {"tasks": [{"id": "dig", "title": "Dig"}]})
    plan = await desk.plan_of(planning.run)
    assert isinstance(plan, ProjectPlan)
    work = await desk.work("garden", plan, "1")
    runs.ends(work.run, "dig", "done")
    with pytest.raises(Conflict, match="none that plans a project"):
        await desk.plan_of(work.run)
    assert project_of(await runs.status(planning.run)) == ("plan", "garden")
    assert project_of(await runs.status(work.run)) == ("work", "garden")


@pytest.mark.parametrize("goal", ["", "  ", "x" * 4001])
async def test_a_goal_has_words_and_not_too_many(desk: ProjectDesk, goal: str) -> None:
    with pytest.raises(InvalidInput, match="expected 1 to 4000"):
        await desk.plan("garden", goal, "k")


async def test_a_name_that_is_none_begins_nothing(desk: ProjectDesk, runs: MachineRuns) -> None:
    with pytest.raises(InvalidInput, match="project's name"):
        await desk.plan("../x", "g", "k")
    assert runs.begun == {}
