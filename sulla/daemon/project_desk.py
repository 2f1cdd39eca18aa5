"""Projects as clients see them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sulla.gateway import ProjectInfo, ProjectText, TaskInfo
from sulla.projects import Listed, Project, Projects


async def list_projects(projects: Projects) -> Sequence[ProjectInfo]:
    """All of a home's, by name."""
    return [_info(listed) for listed in await asyncio.to_thread(projects.all)]


async def get_project(projects: Projects, name: str) -> ProjectText:
    """One of them, whole.

    Raises:
        NotFound: there is none of that name.
        CorruptRecord: its file is no text.
        InvalidInput: the name is none, or the file is too long.
    """
    found = await asyncio.to_thread(projects.read, name)
    tasks = tuple(
        TaskInfo(task.text, task.done, task.blocked, task.depth, task.state, task.id, task.after)
        for task in found.project.tasks
    )
    return ProjectText(_known(found.slug, found.project), tasks, found.digest, found.text)


def _info(listed: Listed) -> ProjectInfo:
    if listed.project is None:
        return ProjectInfo(listed.slug, "", "", "", 0, 0, "", listed.trouble)
    return _known(listed.slug, listed.project)


def _known(slug: str, project: Project) -> ProjectInfo:
    return ProjectInfo(
        slug,
        project.title,
        project.status,
        project.priority,
        len(project.open_tasks),
        len(project.tasks),
        project.fields.get("last_activity_at", ""),
        "; ".join(project.warnings),
    )
