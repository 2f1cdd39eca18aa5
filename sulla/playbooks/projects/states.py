"""How the tasks of a plan stand, from the steps of its run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.playbooks.plans.plan import PlanTask, ProjectPlan, in_order
from sulla.playbooks.rpc_forms import PlayStatus, StepRow
from sulla.projects.page import TaskState
from sulla.projects.tasks import WAITS

ProjectState = Literal["in_progress", "completed", "blocked", "cancelled"]


@dataclass(frozen=True, slots=True)
class TaskNow:
    """How one task stands."""

    id: str
    state: TaskState
    why: str = ""
    """Why it failed, or what it waits for in vain."""


def states_of(plan: ProjectPlan, rows: Iterable[StepRow], *, is_over: bool = False) -> list[TaskNow]:
    """How each task stands, those before others first.

    A task that has not been begun, and that needs one that failed, is blocked: nothing but another try of that one
    helps it.

    Args:
        plan: the plan.
        rows: the steps of its run.
        is_over: whether the run has ended: then nobody works on what it was cut off in.
    """
    steps = {row.at: row for row in rows if not (is_over and row.status in ("running", "waiting"))}
    found: dict[str, TaskNow] = {}
    for task in in_order(plan.tasks):
        found[task.id] = _state(task, steps.get(task.id), found)
    return list(found.values())


def state_of(status: PlayStatus) -> ProjectState:
    """How a project stands whose plan is worked on by a run of this status."""
    return _PROJECT[status]


_PROJECT: Final[Mapping[PlayStatus, ProjectState]] = {
    "queued": "in_progress",
    "running": "in_progress",
    "waiting": "in_progress",
    "paused": "in_progress",
    "completed": "completed",
    "failed": "blocked",
    "cancelled": "cancelled",
    "transferred": "completed",
}
_STEP: Final[Mapping[str, TaskState]] = {
    "running": "in_progress",
    "waiting": "in_progress",
    "completed": "completed",
    "failed": "failed",
}


def _state(task: PlanTask, row: StepRow | None, before: Mapping[str, TaskNow]) -> TaskNow:
    state = _STEP.get(row.status, "pending") if row is not None else "pending"
    begun = row is not None and row.tries > 0
    if state in ("in_progress", "completed") or (state == "failed" and begun):
        return TaskNow(task.id, state, row.error if row is not None and state == "failed" else "")
    bad = [name for name in task.depends_on if before[name].state in ("failed", "blocked")]
    if bad:
        return TaskNow(task.id, "blocked", WAITS + ", ".join(bad))
    return TaskNow(task.id, state, row.error if row is not None and state == "failed" else "")
