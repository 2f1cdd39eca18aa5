"""The home's projects, as clients ask for them."""

from __future__ import annotations

import asyncio
from functools import partial

from sulla.core.clock import Clock
from sulla.projects.file import Project
from sulla.projects.page import TaskState
from sulla.projects.projects import FoundProject, ListedProject, Projects
from sulla.projects.rpc import ProjectRow, ProjectRows, ProjectText, TaskRow
from sulla.projects.tasks import move_task
from sulla.projects.write import change_project


class HomeProjects:
    """Implements `projects_rpc.ProjectService` with a home's files, read in a thread.

    Args:
        projects: the home's.
        clock: all time.
    """

    def __init__(self, projects: Projects, clock: Clock) -> None:
        self._projects = projects
        self._clock = clock

    async def list_projects(self) -> ProjectRows:
        """All of them, by name."""
        return ProjectRows(tuple(map(_listed, await asyncio.to_thread(self._projects.all))))

    async def get_project(self, name: str) -> ProjectText:
        """One of them, whole."""
        return _whole(await asyncio.to_thread(self._projects.read, name))

    async def move_task(self, name: str, number: int, state: TaskState, why: str, digest: str) -> ProjectText:
        """See `projects_rpc.ProjectService`."""
        change = partial(move_task, number=number, state=state, why=why)
        found, _ = await change_project(self._projects, self._clock, name, change, digest)
        return _whole(found)


def _whole(found: FoundProject) -> ProjectText:
    tasks = tuple(
        TaskRow(
            task.text, task.done, task.blocked, task.depth, task.state, task.id, task.after, task.number, task.failed
        )
        for task in found.project.tasks
    )
    return ProjectText(_row(found.slug, found.project), tasks, found.digest, found.text)


def _listed(listed: ListedProject) -> ProjectRow:
    if listed.project is None:
        return ProjectRow(listed.slug, "", "", "", 0, 0, 0, 0, "", listed.trouble)
    return _row(listed.slug, listed.project)


def _row(slug: str, project: Project) -> ProjectRow:
    return ProjectRow(
        slug,
        project.title,
        project.status,
        project.priority,
        len(project.open_tasks),
        len(project.tasks),
        sum(task.done for task in project.tasks),
        sum(task.state == "blocked" for task in project.tasks),
        project.fields.get("last_activity_at", ""),
        "; ".join(project.warnings),
    )
