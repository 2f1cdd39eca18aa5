"""The home's projects, as clients ask for them."""

from __future__ import annotations

import asyncio

from sulla.projects.file import Project
from sulla.projects.projects import ListedProject, Projects
from sulla.projects.rpc import ProjectRow, ProjectRows, ProjectText, TaskRow


class HomeProjects:
    """Implements `projects_rpc.ProjectService` with a home's files, read in a thread.

    Args:
        projects: the home's.
    """

    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    async def list_projects(self) -> ProjectRows:
        """All of them, by name."""
        return ProjectRows(tuple(map(_listed, await asyncio.to_thread(self._projects.all))))

    async def get_project(self, name: str) -> ProjectText:
        """One of them, whole."""
        found = await asyncio.to_thread(self._projects.read, name)
        tasks = tuple(
            TaskRow(task.text, task.done, task.blocked, task.depth, task.state, task.id, task.after)
            for task in found.project.tasks
        )
        return ProjectText(_row(found.slug, found.project), tasks, found.digest, found.text)


def _listed(listed: ListedProject) -> ProjectRow:
    if listed.project is None:
        return ProjectRow(listed.slug, "", "", "", 0, 0, "", listed.trouble)
    return _row(listed.slug, listed.project)


def _row(slug: str, project: Project) -> ProjectRow:
    return ProjectRow(
        slug,
        project.title,
        project.status,
        project.priority,
        len(project.open_tasks),
        len(project.tasks),
        project.fields.get("last_activity_at", ""),
        "; ".join(project.warnings),
    )
