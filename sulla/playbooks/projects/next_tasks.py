"""The next open tasks of a project as a plan, for a project that has none. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import Conflict, InvalidInput
from sulla.playbooks.plans.plan import TITLE_CHARS, PlanTask, ProjectPlan
from sulla.playbooks.plans.read import safe_id
from sulla.projects.page import PageTask
from sulla.projects.projects import FoundProject

_ABOUT: Final = "read_project shows the project's file, with what is written below this task. Do not tick it yourself."


def next_tasks(found: FoundProject, count: int) -> ProjectPlan:
    """A plan of the next open tasks, one after another.

    A task with parts that are open waits for these, as a list that people keep is read.

    Args:
        found: the project.
        count: how many tasks at most.

    Raises:
        Conflict: none is open.
        InvalidInput: one is too long to be planned.
    """
    project = found.project
    left = [task for task in project.tasks if not task.done]
    whole = {task.number for task, below in zip(left, [*left, None][1:], strict=True) if not _is_part(below, task)}
    chosen = [task for task in project.open_tasks if task.number in whole][:count]
    if not chosen:
        raise Conflict(
            f"nothing of {found.slug} is open: its {len(project.tasks)} tasks are done, blocked or worked on; "
            "add one, or plan a goal"
        )
    return ProjectPlan(project.title or found.slug, tuple(_task(task) for task in chosen), "sequential")


def _is_part(below: PageTask | None, task: PageTask) -> bool:
    return below is not None and below.depth > task.depth


def _task(task: PageTask) -> PlanTask:
    if len(task.text) > TITLE_CHARS:
        said = f"the task {task.text[:60]!r}… has {len(task.text)} characters: expected at most {TITLE_CHARS}"
        raise InvalidInput(f"{said}; say the rest in a remark below it")
    # The number makes it the only one of its name.
    return PlanTask(task.id or f"{safe_id(task.text)[:40].rstrip('_')}_{task.number}", task.text, _ABOUT)
