"""What is left to do of a project: of its plan, or its next open tasks as a plan where it has none. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sulla.core.errors import Conflict, InvalidInput
from sulla.playbooks.plans.plan import TITLE_CHARS, PlanTask, ProjectPlan, plan_json
from sulla.playbooks.plans.read import read_plan, safe_id
from sulla.projects.page import PageTask
from sulla.projects.projects import FoundProject
from sulla.projects.tasks import bare

_ABOUT: Final = "read_project shows the project's file, with what is written below this task. Do not tick it yourself."
_DONE: Final = "Done before, in another run (read_project shows the project's file):"


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


def left_of(plan: ProjectPlan, found: FoundProject) -> ProjectPlan | None:
    """A plan without the tasks that are done in a project's file. What depends on those is told that they are done.

    Args:
        plan: the project's plan.
        found: the project.

    Returns:
        What is left of it; None if nothing is.
    """
    ticked = {(task.id, task.text) for task in found.project.tasks if task.done}
    done = {task.id: task.title for task in plan.tasks if (task.id, bare(task.title)) in ticked}
    if not done:
        return plan
    left = [task for task in plan.tasks if task.id not in done]
    if not left:
        return None
    told = replace(plan, tasks=tuple(_after(task, done, is_told=True) for task in left))
    if isinstance(read_plan(plan_json(told)), ProjectPlan):
        return told
    return replace(plan, tasks=tuple(_after(task, done, is_told=False) for task in left))  # else it is too long


def _after(task: PlanTask, done: Mapping[str, str], *, is_told: bool) -> PlanTask:
    """A task that waits for nothing that is done."""
    before = [done[name] for name in task.depends_on if name in done]
    said = [*filter(None, [task.description]), f"{_DONE} {'; '.join(before)}"] if is_told and before else []
    waits = tuple(name for name in task.depends_on if name not in done)
    return replace(task, depends_on=waits, description="\n\n".join(said) or task.description)


def _is_part(below: PageTask | None, task: PageTask) -> bool:
    return below is not None and below.depth > task.depth


def _task(task: PageTask) -> PlanTask:
    if len(task.text) > TITLE_CHARS:
        said = f"the task {task.text[:60]!r}… has {len(task.text)} characters: expected at most {TITLE_CHARS}"
        raise InvalidInput(f"{said}; say the rest in a remark below it")
    # The number makes it the only one of its name.
    return PlanTask(task.id or f"{safe_id(task.text)[:40].rstrip('_')}_{task.number}", task.text, _ABOUT)
