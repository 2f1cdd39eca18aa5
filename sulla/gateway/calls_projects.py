"""Requests about projects."""

from __future__ import annotations

from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire_projects as wire
from sulla.gateway.commands import Commands
from sulla.gateway.infos import ProjectInfo


async def list_projects(commands: Commands) -> JsonObject:
    """All of them."""
    rows = [_row(info) for info in await commands.list_projects()]
    return wire.ProjectRows(projects=rows).model_dump()


async def get_project(commands: Commands, name: str) -> JsonObject:
    """One of them, whole."""
    found = await commands.get_project(name)
    tasks = [
        wire.TaskRow(
            text=task.text,
            done=task.done,
            blocked=task.blocked,
            depth=task.depth,
            state=task.state,
            id=task.id,
            depends_on=list(task.depends_on),
        )
        for task in found.tasks
    ]
    return wire.ProjectText(about=_row(found.info), tasks=tasks, digest=found.digest, text=found.text).model_dump()


def _row(info: ProjectInfo) -> wire.ProjectRow:
    return wire.ProjectRow(
        project=info.name,
        title=info.title,
        status=info.status,
        priority=info.priority,
        open=info.open,
        tasks=info.tasks,
        last_activity_at=info.last_activity_at,
        trouble=info.trouble,
    )
