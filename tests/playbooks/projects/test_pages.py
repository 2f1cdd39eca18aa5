"""A project's file says how the run of its plan stands, whatever was seen of it, and people's own edits stay."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.calls.file_marks import FileMarks
from sulla.core.jsontypes import Json
from sulla.core.words import Author
from sulla.playbooks.plans.plan import ProjectPlan, plan_json
from sulla.playbooks.plans.read import read_plan
from sulla.playbooks.projects.book import WorkLimits, planner_playbook, to_playbook
from sulla.playbooks.projects.pages import NEW_S, RETRY_S, ProjectPages
from sulla.playbooks.rpc_forms import PlayRow
from sulla.playbooks.service import Begin
from sulla.projects.file import Project
from sulla.projects.projects import Projects
from sulla.testing.clock import ManualClock
from sulla.threads import pending
from tests.playbooks.projects.project_runs import MachineRuns

ANSWER: Json = {
    "goal": "beds in spring",
    "tasks": [
        {"id": "dig", "title": "Dig"},
        {"id": "sow", "title": "Sow", "depends_on": ["dig"]},
        {"id": "sign", "title": "Write a sign"},
    ],
}


class Garden:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = ManualClock()
        self.projects = Projects(root)
        self.runs = MachineRuns()
        self.marks = FileMarks(root.parent / f"{root.name}.marks")
        self.pages = ProjectPages(self.runs, self.projects, self.clock, self.marks)
        self.count = 0

    @property
    def page(self) -> Project:
        return self.projects.read("garden").project

    @property
    def states(self) -> dict[str, str]:
        return {task.id or task.text: task.state for task in self.page.tasks}

    def write(self, before: str, after: str) -> None:
        """A person edits the file."""
        file = self.projects.place("garden")
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))

    async def plan(self, answer: Json = ANSWER) -> str:
        """A plan is made, and heard of."""
        self.count += 1
        inputs: dict[str, Json] = {"project": "garden", "goal": "beds in spring"}
        run = await self.begin("plan-garden", inputs, planner_playbook("garden", "", ()))
        self.runs.ends(run, "plan", answer)
        await self.heard(run)
        return run

    async def work(self, answer: Json = ANSWER) -> str:
        """A plan is begun, and heard of."""
        self.count += 1
        plan = read_plan(answer, goal="beds in spring")
        assert isinstance(plan, ProjectPlan)
        inputs: dict[str, Json] = {"project": "garden", "plan": plan_json(plan)}
        run = await self.begin("work-garden", inputs, to_playbook(plan, "garden", WorkLimits(120)))
        await self.heard(run)
        return run

    async def begin(self, playbook: str, inputs: dict[str, Json], source: str) -> str:
        """A run is begun as the desk does."""
        begin = Begin(playbook, inputs, "project", source=source, by=Author.PERSON)
        return (await self.runs.start(begin, str(self.count))).run

    async def mistrusted(self) -> bool:
        return await self.marks.mistrusted(self.projects.place("garden"), self.root)

    async def heard(self, run: str) -> None:
        self.pages.wake(run)
        assert await self.pages.catch_up()


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    return Garden(tmp_path)


async def test_a_plan_makes_the_project_with_its_tasks(garden: Garden) -> None:
    run = await garden.plan()
    assert garden.projects.read("garden").text == (
        "---\ntitle: Garden\nstatus: planning\nplan: thr_1\nlast_activity_at: '2027-01-15T08:00:00.000Z'\n---\n\n"
        "beds in spring\n\n## Tasks\n\n- [ ] Dig (id: dig)\n- [ ] Sow (id: sow; after: dig)\n"
        "- [ ] Write a sign (id: sign)\n"
    )
    assert run == "thr_1"


@pytest.mark.parametrize("tainted", [True, False])
async def test_what_a_run_that_nobody_trusts_makes_of_a_project_is_marked(garden: Garden, tainted: bool) -> None:
    garden.runs.tainted = tainted
    await garden.plan()
    assert await garden.mistrusted() is tainted
    run = await garden.work()
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    assert await garden.mistrusted() is tainted


async def test_a_change_of_the_daemons_makes_no_marked_project_trusted(garden: Garden) -> None:
    garden.runs.tainted = True
    await garden.plan()
    garden.runs.tainted = False
    await garden.work()  # clean words, beside those that are not
    assert await garden.mistrusted()
    garden.write("beds in spring", "beds in spring, and in autumn")
    assert await garden.mistrusted()  # a person has changed one line, and left the others
    garden.projects.place("garden").write_text("# My garden\n\nAll of it is thought out anew.\n")
    assert not await garden.mistrusted()


async def test_tasks_and_the_project_are_written_down_as_they_get_on(garden: Garden) -> None:
    await garden.plan()
    run = await garden.work()
    assert (garden.page.status, garden.states) == (
        "in_progress",
        {"dig": "in_progress", "sow": "pending", "sign": "in_progress"},
    )
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    assert garden.states == {"dig": "completed", "sow": "in_progress", "sign": "in_progress"}
    for task in ("sow", "sign"):
        garden.runs.ends(run, task, "done")
    await garden.heard(run)
    assert (garden.page.status, set(garden.states.values())) == ("completed", {"completed"})


async def test_a_failure_blocks_what_needs_it_and_at_the_end_the_project(garden: Garden) -> None:
    run = await garden.work()
    garden.runs.breaks(run, "dig")
    await garden.heard(run)
    assert garden.page.status == "in_progress"  # the sign is still written
    garden.runs.ends(run, "sign", "done")
    await garden.heard(run)
    assert (garden.page.status, garden.states) == ("blocked", {"dig": "failed", "sow": "blocked", "sign": "completed"})
    text = garden.projects.read("garden").text
    assert "- [ ] Dig (id: dig) (failed: it broke)\n" in text
    assert "- [ ] Sow (id: sow; after: dig) (blocked: waits for dig)\n" in text


async def test_a_cancelled_run_leaves_the_project_open(garden: Garden) -> None:
    run = await garden.work()
    garden.runs.ends(run, "dig", "dug")
    garden.runs.cancel(run)
    await garden.heard(run)
    assert garden.page.status == "active"
    assert [task.id for task in garden.page.open_tasks] == ["sow", "sign"]


@pytest.mark.parametrize(("box", "status"), [("[ ]", "active"), ("[x]", "completed")])
async def test_a_project_with_an_open_task_of_no_plan_is_not_completed(garden: Garden, box: str, status: str) -> None:
    run = await garden.work()
    garden.write("- [ ] Write a sign (id", f"- {box} Ask the neighbour\n- [ ] Write a sign (id")
    for task in ("dig", "sign", "sow"):
        garden.runs.ends(run, task, "done")
    await garden.heard(run)
    assert (garden.page.status, garden.page.fields["run_state"]) == (status, "completed")


async def test_what_was_missed_is_made_up_for_by_one_look(garden: Garden) -> None:
    await garden.plan()
    run = await garden.work()
    garden.runs.ends(run, "dig", "dug")
    garden.runs.ends(run, "sow", "sown")
    # After a crash: it has heard of nothing.
    later = ProjectPages(garden.runs, garden.projects, garden.clock, garden.marks)
    assert await later.catch_up()
    assert garden.states == {"dig": "completed", "sow": "completed", "sign": "in_progress"}


async def test_looking_again_changes_nothing(garden: Garden) -> None:
    run = await garden.work()
    before = garden.projects.read("garden").text
    await garden.clock.advance(5)
    await garden.heard(run)
    assert garden.projects.read("garden").text == before


async def test_what_people_change_meanwhile_stays(garden: Garden) -> None:
    run = await garden.work()
    garden.write("- [ ] Sow (id", "- [x] Sow the peas (id")
    garden.write("status: in_progress", "status: parked")
    garden.write("beds in spring", "beds in autumn")
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    text = garden.projects.read("garden").text
    assert "- [x] Sow the peas (id: sow; after: dig)\n" in text
    assert (garden.page.status, "beds in autumn" in text) == ("parked", True)


async def test_an_earlier_run_does_not_come_back_over_a_later_one(garden: Garden) -> None:
    first_plan = await garden.plan()
    first = await garden.work()
    later = await garden.work({"goal": "g", "tasks": [{"id": "dig", "title": "Dig"}]})
    garden.runs.ends(first, "dig", "dug")
    before = garden.projects.read("garden").text
    for run in (first, first_plan):
        await garden.heard(run)
    assert garden.projects.read("garden").text == before
    assert garden.page.fields["run"] == later


async def test_what_ended_long_ago_brings_nothing_back_that_people_took_away(garden: Garden) -> None:
    await garden.plan()
    run = await garden.work({"goal": "g", "tasks": [{"id": "dig", "title": "Dig"}]})
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    garden.write("plan: thr_1\n", "")
    garden.write("run: thr_2\n", "")
    before = garden.projects.read("garden").text
    await garden.clock.advance(NEW_S + 1)
    assert await ProjectPages(garden.runs, garden.projects, garden.clock, garden.marks).catch_up()
    assert garden.projects.read("garden").text == before
    shutil.rmtree(garden.root / "garden")
    assert await ProjectPages(garden.runs, garden.projects, garden.clock, garden.marks).catch_up()
    assert garden.projects.all() == []


async def test_a_new_plan_waits_while_a_run_works_on_the_old_one(garden: Garden) -> None:
    await garden.work()
    again = await garden.plan({"tasks": [{"id": "water", "title": "Water"}]})
    assert (garden.page.status, set(garden.states)) == ("in_progress", {"dig", "sow", "sign"})
    assert garden.page.fields["plan"] == again


async def test_a_plan_with_faults_and_a_run_of_no_project_write_nothing(garden: Garden) -> None:
    await garden.plan({"tasks": []})
    run = await garden.work()
    garden.runs.begun[run] = replace(garden.runs.begun[run], inputs={"project": 3})
    other = garden.projects.read("garden").digest
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    assert garden.projects.read("garden").digest == other


async def test_a_run_of_no_project_is_looked_at_once(garden: Garden) -> None:
    run = await garden.work()
    begin = garden.runs.begun[run]
    source = begin.source.replace("work-garden", "morning-brief")
    other = (await garden.runs.start(replace(begin, source=source), "other")).run
    garden.write("run: thr_1", "run: thr_0")
    await garden.heard(other)
    assert garden.page.fields["run"] == "thr_0"
    garden.runs.is_away = True
    await garden.heard(other)  # nobody is asked


async def test_while_the_store_is_away_nothing_is_lost(garden: Garden) -> None:
    run = await garden.work()
    garden.runs.ends(run, "dig", "dug")
    garden.runs.is_away = True
    garden.pages.wake(run)
    assert not await garden.pages.catch_up()
    garden.runs.is_away = False
    assert await garden.pages.catch_up()
    assert garden.states["dig"] == "completed"


async def test_a_project_that_cannot_be_written_does_not_keep_the_others_waiting(
    garden: Garden, caplog: pytest.LogCaptureFixture
) -> None:
    run = await garden.work()
    garden.projects.place("garden").write_bytes(b"\xff")
    garden.runs.ends(run, "dig", "dug")
    await garden.heard(run)
    assert "cannot be brought up to date" in caplog.text
    assert "not UTF-8" in caplog.text


async def test_more_news_than_there_is_room_for_is_a_look_at_everything(garden: Garden) -> None:
    run = await garden.work()
    garden.runs.ends(run, "dig", "dug")
    for number in range(pending.MAX_WOKEN):
        garden.pages.wake(f"thr_x{number}")
    garden.pages.wake(run)
    assert await garden.pages.catch_up()
    assert garden.states["dig"] == "completed"


async def test_what_has_no_room_while_everything_is_looked_at_is_looked_at_then(
    garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await garden.work()
    listed, passed = garden.runs.runs, list[str]()

    async def runs(**asked: Any) -> Sequence[PlayRow]:
        found = await listed(**asked)
        if not found and not passed:  # the last page is known, and now so much happens that there is no room for it
            passed.append(run)
            monkeypatch.setattr(pending, "MAX_WOKEN", 0)
            garden.runs.ends(run, "dig", "dug")
            garden.pages.wake(run)
            return []
        return found

    monkeypatch.setattr(garden.runs, "runs", runs)
    garden.pages.wake(run)
    pages = ProjectPages(garden.runs, garden.projects, garden.clock, garden.marks)
    monkeypatch.setattr(garden, "pages", pages)
    looked: list[str] = []

    async def look_at(found: str) -> None:
        looked.append(found)

    monkeypatch.setattr(pages, "look_at", look_at)
    await pages.catch_up()
    looked.clear()
    await pages.catch_up()
    assert looked == [run]


async def test_a_run_that_is_only_called_like_those_of_projects_is_looked_at_once(garden: Garden) -> None:
    source = "name: work-log\nsteps:\n- {id: a, wait: 1h}\n- {id: b, wait: 1h}\n"
    run = (await garden.runs.start(Begin("work-log", source=source, by=Author.PERSON), "other")).run
    await garden.heard(run)
    garden.runs.is_away = True
    await garden.heard(run)  # nobody is asked


async def test_it_follows_until_it_is_stopped(garden: Garden) -> None:
    run = await garden.work()
    garden.runs.is_away = True
    garden.pages.wake(run)
    following = asyncio.create_task(garden.pages.run())
    await garden.clock.advance(0.1)
    garden.runs.ends(run, "dig", "dug")
    garden.runs.is_away = False
    async with asyncio.timeout(50):
        while garden.states["dig"] != "completed":
            await garden.clock.advance(RETRY_S)
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following
