"""A goal is planned and worked on from the command line; runs are played behind a real door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.playbooks.cli import project_runs as project_run
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.service import Begin
from sulla.projects.file import set_field
from sulla.terminal.exits import Exit
from tests.cli.stage import Said, Stage, fact
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]
GOOD: dict[str, Any] = {
    "goal": "beds",
    "execution_strategy": "dag",
    "tasks": [{"id": "dig", "title": "Dig"}, {"id": "sow", "title": "Sow", "depends_on": ["dig"]}],
}
BAD = {"tasks": [{"id": "dig", "title": "Dig", "depends_on": ["soil"]}]}


def ended(status: str = "completed", **outputs: Any) -> list[Said]:
    return [fact("RUN_STARTED", playbook="plan-garden", inputs={}), fact("RUN_ENDED", status=status, outputs=outputs)]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """The door of a daemon that has a planner."""
    made = Stage(tmp_path / "home")
    made.agents.append("planner")
    monkeypatch.setattr(project_run, "PATIENCE_S", 0.0)  # nobody writes the file here
    monkeypatch.setenv("SULLA_HOME", str(made.home))
    with made.open():
        yield made


def answers(stage: Stage, monkeypatch: pytest.MonkeyPatch, *plans: Any) -> None:
    """Each run of a planner comes to the next of these."""
    left, start = list(plans), stage.office.start

    async def begin(asked: Begin, key: str) -> PlayBegun:
        begun = await start(asked, key)
        outputs = {"plan": left.pop(0)} if "goal" in asked.inputs and left else {}
        found = stage.office.details[begun.run]
        about = replace(found.about, status="completed", playbook=asked.playbook)
        stage.office.details[begun.run] = replace(found, about=about, inputs=dict(asked.inputs), outputs=outputs)
        return begun

    monkeypatch.setattr(stage.office, "start", begin)
    stage.acts(*(ended(plan=plan) for plan in plans), ended(dig="dug"))


def project(stage: Stage, **fields: str) -> None:
    """There is a project with these fields."""
    text = "# Garden\n"
    for key, value in fields.items():
        text = set_field(text, key, value)
    folder = stage.home / "projects" / "garden"
    folder.mkdir(parents=True)
    (folder / "PROJECT.md").write_text(text)


def begun(stage: Stage) -> list[Begin]:
    return list(stage.office.begun.values())


def test_a_goal_is_planned_and_its_tasks_are_shown(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    answers(stage, monkeypatch, GOOD)
    done = typed(capsys, "project", "plan", "garden", "beds in spring", "--remark", "no roses")
    assert done.code == Exit.OK, done.err
    assert [line.split() for line in done.out.splitlines()] == [
        ["TASK", "AFTER", "AGENT", "WHAT"],
        ["dig", "Dig"],
        ["sow", "dig", "Sow"],
    ]
    assert "`sulla project work garden` has it done, dag" in done.err
    assert "the file of garden does not name the plan" in done.err
    (asked,) = begun(stage)
    assert {key: asked.inputs[key] for key in ("project", "goal", "remarks")} == {
        "project": "garden",
        "goal": "beds in spring",
        "remarks": "no roses",
    }
    assert asked.inputs["agents"]
    checked = check_playbook(asked.source)
    assert (checked.faults, checked.definition and checked.definition.name) == ((), "plan-garden")


def test_as_json_the_plan_alone_is_printed_so_that_it_can_be_kept_and_worked_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys, tmp_path: Path
) -> None:
    answers(stage, monkeypatch, GOOD)
    done = typed(capsys, "project", "plan", "garden", "beds", "--json")
    assert (done.code, json.loads(done.out)) == (Exit.OK, GOOD)
    (tmp_path / "plan.json").write_text(done.out)
    work = typed(capsys, "project", "work", "garden", "--plan", str(tmp_path / "plan.json"), "--strategy", "sequential")
    assert work.code == Exit.OK, work.err
    assert json.loads(work.out) == {"dig": "dug"}
    asked = begun(stage)[-1]
    assert asked.made_by == ""  # a file of the person's
    sequential = {**GOOD, "execution_strategy": "sequential"}
    assert asked.inputs == {"project": "garden", "plan": sequential, "given": True}
    definition = check_playbook(asked.source).definition
    assert definition is not None
    assert (definition.name, definition.at_once) == ("work-garden", 1)


def test_one_that_cannot_be_worked_on_is_a_failure_that_says_what_is_wrong(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    answers(stage, monkeypatch, BAD)
    done = typed(capsys, "project", "plan", "garden", "beds")
    assert (done.code, done.out, len(begun(stage))) == (Exit.FAILED, "", 1)
    assert "depends on 'soil', and there is no such task" in done.err


def test_who_is_to_plan_has_to_be_there(stage: Stage, capsys: Capsys) -> None:
    done = typed(capsys, "project", "plan", "garden", "beds", "--agent", "plnner")
    assert done.code == Exit.REFUSED
    assert "there is no agent 'plnner' to plan with." in done.err
    assert "Did you mean 'planner'?" in done.err
    assert begun(stage) == []


def test_planning_that_failed_is_a_failure(stage: Stage, capsys: Capsys) -> None:
    stage.acts(ended("failed"))
    assert typed(capsys, "project", "plan", "garden", "beds").code == Exit.FAILED
    assert len(begun(stage)) == 1


def test_the_plan_that_a_project_names_is_worked_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    answers(stage, monkeypatch, GOOD)
    typed(capsys, "project", "plan", "garden", "beds")
    (run,) = stage.office.begun
    project(stage, plan=run)
    done = typed(capsys, "project", "work", "garden", "--detach")
    assert done.code == Exit.OK, done.err
    assert done.out.strip() == list(stage.office.begun)[-1]
    assert begun(stage)[-1].inputs["plan"] == GOOD
    assert begun(stage)[-1].made_by == run


def test_with_nothing_open_it_says_so_and_with_another_name_the_nearest(stage: Stage, capsys: Capsys) -> None:
    project(stage)
    done = typed(capsys, "project", "work", "garden")
    assert (done.code, "nothing of garden is open" in done.err) == (Exit.REFUSED, True), done.err
    done = typed(capsys, "project", "work", "gardn")
    assert (done.code, "Did you mean 'garden'?" in done.err) == (Exit.REFUSED, True), done.err


def test_without_a_plan_the_next_open_tasks_are_worked_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    answers(stage, monkeypatch)
    project(stage)
    (stage.home / "projects/garden/PROJECT.md").write_text("# Garden\n- [ ] Dig\n- [ ] Sow\n- [ ] Reap\n")
    done = typed(capsys, "project", "work", "garden", "--tasks", "2", "--minutes", "5", "--tokens", "90000", "--detach")
    assert done.code == Exit.OK, done.err
    (asked,) = begun(stage)
    assert [task["title"] for task in asked.inputs["plan"]["tasks"]] == ["Dig", "Sow"]  # type: ignore[call-overload,index,union-attr]  # JSON, as it was asked for
    definition = check_playbook(asked.source).definition
    assert definition is not None
    assert (definition.budget.wall_s, definition.budget.tokens) == (300, 90000)


@pytest.mark.parametrize("wrong", ["0", "x", "-1", "99999999999"])
def test_a_count_is_a_whole_number_from_one(stage: Stage, capsys: Capsys, wrong: str) -> None:
    done = typed(capsys, "project", "work", "garden", "--tasks", wrong)
    assert (done.code, "expected a whole number from 1" in done.err) == (Exit.USAGE, True), done.err


def test_what_is_being_worked_on_is_not_begun_again(stage: Stage, capsys: Capsys) -> None:
    project(stage, run="thr_9", run_state="in_progress")
    stage.office.make("thr_9", "running")
    done = typed(capsys, "project", "work", "garden")
    assert done.code == Exit.REFUSED
    assert "the run thr_9 works on garden already" in done.err
    assert "sulla flow cancel thr_9" in done.err
    assert begun(stage) == []


def test_what_failed_may_be_all_that_has_to_be_done_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys, tmp_path: Path
) -> None:
    answers(stage, monkeypatch)
    project(stage, run="thr_9", run_state="blocked")
    (tmp_path / "plan.json").write_text(json.dumps(GOOD))
    done = typed(capsys, "project", "work", "garden", "--plan", str(tmp_path / "plan.json"))
    assert done.code == Exit.OK
    assert "`sulla flow resume thr_9` does what failed alone" in done.err


def test_a_plan_of_ones_own_is_judged_like_any_other(stage: Stage, capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps({"goal": "g", **BAD}))
    done = typed(capsys, "project", "work", "garden", "--plan", str(tmp_path / "plan.json"))
    assert done.code == Exit.REFUSED
    assert "task 'dig' depends on 'soil'" in done.err
    assert begun(stage) == []


@pytest.mark.parametrize("there", [True, False])
def test_a_run_that_is_over_or_gone_works_on_nothing_whatever_the_file_says(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: Capsys, tmp_path: Path, there: bool
) -> None:
    project(stage, run="thr_9", run_state="in_progress")
    if there:
        stage.office.make("thr_9", "cancelled")
    answers(stage, monkeypatch)
    (tmp_path / "plan.json").write_text(json.dumps(GOOD))
    done = typed(capsys, "project", "work", "garden", "--plan", str(tmp_path / "plan.json"))
    assert (done.code, len(begun(stage))) == (Exit.OK, 1), done.err


def test_who_has_no_planner_is_told_where_one_comes_from(stage: Stage, capsys: Capsys) -> None:
    stage.agents.remove("planner")
    done = typed(capsys, "project", "plan", "garden", "beds")
    assert (done.code, "`sulla init` brings one along" in done.err) == (Exit.REFUSED, True), done.err
