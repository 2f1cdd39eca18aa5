"""A goal is planned by one run, and its plan worked on by another."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.calls.file_marks import FileMarks
from sulla.core.errors import Conflict, InvalidInput, MessageIdReused, NotFound
from sulla.core.ids import ThreadId
from sulla.core.words import Author
from sulla.playbooks.projects.asked import Asker, PlanWanted, WorkWanted
from sulla.playbooks.projects.pages import ProjectPages
from sulla.playbooks.projects.rpc import ProjectRun
from sulla.playbooks.projects.service import ProjectDesk, project_of
from sulla.projects.projects import Projects
from sulla.testing.clock import ManualClock
from tests.playbooks.projects.project_runs import MachineRuns

ANSWER: dict[str, Any] = {
    "tasks": [{"id": "dig", "title": "Dig"}, {"id": "sow", "title": "Sow", "depends_on": ["dig"]}]
}
PLAN = {"goal": "beds in spring", "execution_strategy": "dag", **ANSWER}
OPEN = "# Garden\n- [x] Choose\n- [ ] Dig\n  - [ ] Buy a spade\n- [ ] Sow (blocked: frost)\n- [ ] Reap\n"
ASKER = Asker(Author.PERSON, "k", ThreadId("thr_talk"))


@pytest.fixture
def runs() -> MachineRuns:
    return MachineRuns()


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path / "projects")


@pytest.fixture
def marks(tmp_path: Path) -> FileMarks:
    return FileMarks(tmp_path / "marks.jsonl")


@pytest.fixture
def desk(runs: MachineRuns, projects: Projects, marks: FileMarks) -> ProjectDesk:
    return ProjectDesk(runs, projects, lambda: ["sulla", "planner", "writer"], marks)


async def planned(desk: ProjectDesk, goal: str = "g", key: str = "k", **wanted: Any) -> ProjectRun:
    return await desk.plan(PlanWanted("garden", goal, **wanted), replace(ASKER, key=key))


async def worked(desk: ProjectDesk, key: str = "k", project: str = "garden", **wanted: Any) -> ProjectRun:
    return await desk.work(WorkWanted(project, **wanted), replace(ASKER, key=key))


async def test_a_goal_is_planned_and_the_plan_worked_on(desk: ProjectDesk, runs: MachineRuns) -> None:
    planning = await planned(desk, " beds in spring ")
    assert (planning.first, planning.status, planning.plan) == (True, "running", None)
    runs.ends(planning.run, "plan", ANSWER)
    done = await planned(desk, "beds in spring")
    assert (done.run, done.first, done.status, done.plan) == (planning.run, False, "completed", PLAN)
    work = await worked(desk, plan=done.plan)
    for task in ("dig", "sow"):
        assert [step.at for step in runs.books[work.run].open] == [task]
        runs.ends(work.run, task, f"{task} is done")
    assert (await worked(desk, plan=done.plan)).status == "completed"
    assert (await runs.status(work.run)).outputs == {"dig": "dig is done", "sow": "sow is done"}
    begins = list(runs.begun.values())
    assert {(begin.trigger, begin.thread) for begin in begins} == {("project", "thr_talk")}
    assert [begin.playbook for begin in begins] == ["plan-garden", "work-garden"]
    assert project_of(await runs.status(planning.run)) == ("plan", "garden")
    assert project_of(await runs.status(work.run)) == ("work", "garden")


async def test_the_same_key_begins_each_once_whatever_the_file_says_by_then(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects
) -> None:
    first, again = await planned(desk), await planned(desk)
    assert (first.run, first.first, again.first) == (again.run, True, False)
    projects.create("garden", OPEN)
    one, two = await asyncio.gather(worked(desk), worked(desk))
    assert (one.run, one.first, two.first) == (two.run, True, False)
    projects.change("garden", lambda text: text.replace("Buy a spade", "Hire a digger"), "2027-01-01")
    third = await worked(desk)
    assert (third.run, third.first, third.plan) == (one.run, False, one.plan)
    assert len(runs.begun) == 2


async def test_a_key_that_asked_for_something_else_is_refused(desk: ProjectDesk, projects: Projects) -> None:
    await planned(desk)
    with pytest.raises(MessageIdReused):
        await planned(desk, "another goal")
    projects.create("garden", OPEN)
    await worked(desk)
    with pytest.raises(MessageIdReused):
        await worked(desk, project="house")


async def test_a_begin_that_was_cut_off_is_made_again(desk: ProjectDesk, runs: MachineRuns) -> None:
    begun = await planned(desk)
    runs.begun[begun.run] = replace(runs.begun[begun.run], inputs={})  # killed before it was told what to do
    assert await planned(desk) == replace(begun, first=False)


async def test_planning_that_failed_says_why(desk: ProjectDesk, runs: MachineRuns) -> None:
    begun = await planned(desk)
    runs.breaks(begun.run, "plan")
    told = await planned(desk)
    assert (told.status, told.plan, told.trouble) == ("failed", None, "step 'plan' failed: it broke")


async def test_a_plan_that_names_what_there_is_not_is_refused_with_all_that_is_wrong(
    desk: ProjectDesk, runs: MachineRuns
) -> None:
    with pytest.raises(InvalidInput, match=r"agent 'writr'.* Did you mean 'writer'\?; task .*depends on 'soil'"):
        await worked(
            desk, plan={"goal": "g", "tasks": [{"id": "dig", "title": "Dig", "agent": "writr", "depends_on": []},
                                               {"id": "sow", "title": "Sow", "depends_on": ["soil"]}]},
        )  # fmt: skip
    assert runs.begun == {}


async def test_the_plan_that_the_file_names_is_worked_on_and_trusted_as_the_run_that_made_it(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects
) -> None:
    made = await planned(desk)
    runs.ends(made.run, "plan", ANSWER)
    projects.create("garden", f"---\nplan: {made.run}\n---\n# Garden\n")
    work = await worked(desk, strategy="sequential")
    assert runs.begun[work.run].made_by == made.run
    assert work.plan is not None
    assert work.plan["execution_strategy"] == "sequential"


async def test_a_later_work_goes_on_with_the_plan_that_was_given_last_and_repeats_nothing(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects, marks: FileMarks
) -> None:
    pages = ProjectPages(runs, projects, ManualClock(), marks)

    async def heard(run: str, *done: str) -> dict[str, bool]:
        for task in done:
            runs.ends(run, task, "done")
        pages.wake(run)
        assert await pages.catch_up()
        return {task.id or task.text: task.done for task in projects.read("garden").project.tasks}

    made = await planned(desk)
    runs.ends(made.run, "plan", ANSWER)
    await heard(made.run)
    await heard((await worked(desk, "1")).run, "dig", "sow")
    later = {"goal": "g", "tasks": [{"id": "a", "title": "A"}, {"id": "b", "title": "B", "depends_on": ["a"]}]}
    given = await worked(desk, "2", plan=later)
    await heard(given.run, "a")
    runs.cancel(given.run)
    assert await heard(given.run) == {"dig": True, "sow": True, "a": True, "b": False}
    assert projects.read("garden").project.fields["plan"] == given.run
    again = await worked(desk, "3", tasks=3)
    assert [step.at for step in runs.books[again.run].open] == ["b"]
    assert "Done before, in another run (read_project shows the project's file): A" in runs.begun[again.run].source
    assert runs.begun[again.run].made_by == given.run
    assert await heard(again.run, "b") == {"dig": True, "sow": True, "a": True, "b": True}
    with pytest.raises(Conflict, match="nothing of garden is open"):
        await worked(desk, "4")
    projects.change("garden", lambda text: text + "- [ ] Reap\n", "2027-01-01")
    assert await heard((await worked(desk, "5")).run) == {
        "dig": True, "sow": True, "a": True, "b": True, "reap_5": False,
    }  # fmt: skip


async def test_a_plan_that_is_gone_or_none_is_told(desk: ProjectDesk, runs: MachineRuns, projects: Projects) -> None:
    projects.create("garden", "---\nplan: thr_99\n---\n# Garden\n")
    with pytest.raises(NotFound, match="thr_99, which is gone: plan it again"):
        await worked(desk)
    made = await planned(desk)
    projects.change("garden", lambda text: text.replace("thr_99", made.run), "2027-01-01")
    with pytest.raises(Conflict, match="has planned nothing: it is running"):
        await worked(desk)


async def test_without_a_plan_the_next_open_tasks_are_worked_on_one_after_another(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects
) -> None:
    projects.create("garden", OPEN)
    work = await worked(desk, tasks=5)
    assert work.plan is not None
    assert [task["title"] for task in work.plan["tasks"]] == ["Buy a spade", "Reap"]  # type: ignore[index,union-attr,call-overload]  # JSON
    assert work.plan["execution_strategy"] == "sequential"
    assert runs.begun[work.run].by is Author.PERSON


async def test_one_that_is_worked_on_is_not_begun_again_until_that_run_ended(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects
) -> None:
    projects.create("garden", OPEN)
    first = await worked(desk, "1")
    with pytest.raises(Conflict, match=f"the run {first.run} works on garden already.*flow cancel {first.run}"):
        await worked(desk, "2")
    runs.cancel(first.run)
    assert (await worked(desk, "2")).first


async def test_words_of_a_marked_file_make_a_run_that_nobody_trusts(
    desk: ProjectDesk, runs: MachineRuns, projects: Projects, marks: FileMarks
) -> None:
    async with marks.writing(projects.place("garden"), tainted=True):
        projects.create("garden", OPEN)
    assert runs.begun[(await worked(desk)).run].by is Author.OUTSIDE


async def test_whose_words_ask_is_whose_words_the_run_is_of(desk: ProjectDesk, runs: MachineRuns) -> None:
    begun = await desk.plan(PlanWanted("garden", "g"), replace(ASKER, by=Author.OUTSIDE))
    assert runs.begun[begun.run].by is Author.OUTSIDE


async def test_limits_stand_in_the_playbook(desk: ProjectDesk, runs: MachineRuns, projects: Projects) -> None:
    projects.create("garden", OPEN)
    work = await worked(desk, time_limit_min=7, tokens=90_000)
    assert (runs.books[work.run].plan.definition.budget.wall_s, runs.books[work.run].plan.definition.budget.tokens) == (
        420,
        90_000,
    )


@pytest.mark.parametrize("goal", ["", "  ", "x" * 4001])
async def test_a_goal_has_words_and_not_too_many(desk: ProjectDesk, goal: str) -> None:
    with pytest.raises(InvalidInput, match="expected 1 to 4000"):
        await planned(desk, goal)


async def test_what_is_not_there_begins_nothing(desk: ProjectDesk, runs: MachineRuns, projects: Projects) -> None:
    with pytest.raises(InvalidInput, match="project's name"):
        await desk.plan(PlanWanted("../x", "g"), ASKER)
    with pytest.raises(NotFound, match=r"no agent 'plannr' to plan with. Did you mean 'planner'"):
        await planned(desk, agent="plannr")
    projects.create("garden", OPEN)
    with pytest.raises(NotFound, match=r"no project 'gardn'. Did you mean 'garden'"):
        await worked(desk, project="gardn")
    with pytest.raises(InvalidInput, match="tasks: 21"):
        await worked(desk, tasks=21)
    projects.create("done", "# Done\n- [x] All\n")
    with pytest.raises(Conflict, match="nothing of done is open"):
        await worked(desk, project="done")
    projects.create("long", f"# Long\n- [ ] {'x' * 300}\n")
    with pytest.raises(InvalidInput, match="300 characters: expected at most 200"):
        await worked(desk, project="long")
    assert runs.begun == {}
