"""Clients are told how the tasks of a project stand."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.projects.page import TaskState
from sulla.projects.projects import Projects
from sulla.projects.service import HomeProjects
from sulla.testing.clock import ManualClock

TEXT = """# Garden

- [x] Clear (id: clear)
- [ ] Dig (id: dig; after: clear) (in progress)
  - [ ] Buy a spade
- [ ] Fence (id: fence) (failed: no wood)
- [ ] Sow (blocked: frost)
"""

OF_NO_PLAN = (3, 5)


async def test_a_list_counts_the_tasks_that_are_done_and_those_with_something_in_their_way(tmp_path: Path) -> None:
    projects = Projects(tmp_path)
    projects.create("garden", TEXT)
    projects.create("house", "# House\n\n- [x] Roof (blocked: rain)\n- [ ] Door (blocked: hinges)\n- [x] Wall\n")
    projects.create("idea", "# Idea\n")
    rows = (await HomeProjects(projects, ManualClock()).list_projects()).projects
    assert [(row.project, row.tasks, row.done, row.blocked, row.open) for row in rows] == [
        ("garden", 5, 1, 1, 1),
        ("house", 3, 2, 1, 0),
        ("idea", 0, 0, 0, 0),
    ]


async def test_a_task_is_told_with_its_state_and_its_place_in_a_plan(tmp_path: Path) -> None:
    projects = Projects(tmp_path)
    projects.create("garden", TEXT)
    found = await HomeProjects(projects, ManualClock()).get_project("garden")
    assert [(task.text, task.state, task.id, task.depends_on, task.depth) for task in found.tasks] == [
        ("Clear", "completed", "clear", (), 0),
        ("Dig", "in_progress", "dig", ("clear",), 0),
        ("Buy a spade", "pending", "", (), 1),
        ("Fence", "failed", "fence", (), 0),
        ("Sow", "blocked", "", (), 0),
    ]


@pytest.fixture
def board(tmp_path: Path) -> HomeProjects:
    projects = Projects(tmp_path)
    projects.create("garden", TEXT)
    return HomeProjects(projects, ManualClock())


@pytest.mark.parametrize(
    ("number", "state"),
    [
        (number, state)
        for number in range(1, 6)
        for state in get_args(TaskState)
        if number not in OF_NO_PLAN or state not in ("in_progress", "failed")
    ],
)
async def test_a_card_that_is_moved_stands_there_and_no_other_line_changes(
    board: HomeProjects, number: int, state: TaskState
) -> None:
    before = await board.get_project("garden")
    after = await board.move_task("garden", number, state, "no (blocked: x) wood", before.digest)
    assert after.tasks[number - 1].state == state
    assert after == await board.get_project("garden")
    was, now = before.text.splitlines(), after.text.splitlines()
    changed = [line for line in now if line not in was and not line.startswith(("---", "last_activity_at"))]
    assert len(changed) <= 1
    others = [task for task in after.tasks if task.number != number]
    assert others == [task for task in before.tasks if task.number != number]


async def test_a_reason_is_asked_for_and_one_that_is_missing_changes_nothing(board: HomeProjects) -> None:
    before = await board.get_project("garden")
    for state in ("blocked", "failed"):
        with pytest.raises(InvalidInput, match="why: expected a reason"):
            await board.move_task("garden", 1, state, " ", before.digest)
    for number in OF_NO_PLAN:
        with pytest.raises(InvalidInput, match="is of no plan"):
            await board.move_task("garden", number, "in_progress", "", before.digest)
    with pytest.raises(NotFound, match="no task 9"):
        await board.move_task("garden", 9, "completed", "", before.digest)
    assert await board.get_project("garden") == before


async def test_who_has_read_another_file_moves_nothing(board: HomeProjects) -> None:
    before = await board.get_project("garden")
    await board.move_task("garden", 3, "completed", "", before.digest)
    with pytest.raises(Conflict, match="changed since it was read"):
        await board.move_task("garden", 5, "completed", "", before.digest)
    assert (await board.get_project("garden")).tasks[4].state == "blocked"
