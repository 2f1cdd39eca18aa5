"""What travels over ``sulla.v1`` about projects, as strict models. Pure."""

from __future__ import annotations

from sulla.gateway.wire_form import Name, Wire


class ProjectList(Wire):
    """`project.list`."""


class ProjectGet(Wire):
    """`project.get`."""

    project: Name


class ProjectRow(Wire):
    """One project."""

    project: str
    """Its name: that of its folder."""
    title: str
    status: str
    priority: str
    """From `p0`, the most urgent, to `p4`."""
    open: int
    """Tasks that can be worked on now."""
    tasks: int
    """All of them."""
    last_activity_at: str
    """When an agent last changed something; empty for never."""
    trouble: str
    """Why its file cannot be read, or what in it was not understood; empty for nothing."""


class ProjectRows(Wire):
    """The answer to `project.list`."""

    projects: list[ProjectRow]


class TaskRow(Wire):
    """One task."""

    text: str
    done: bool
    blocked: str
    """What is in its way; empty for nothing."""
    depth: int
    """How many tasks it is part of."""
    state: str
    """`pending`, `in_progress`, `completed`, `failed` or `blocked`."""
    id: str
    """In a plan; empty for a task of no plan."""
    depends_on: list[str]
    """The ids of tasks of the plan."""


class ProjectText(Wire):
    """The answer to `project.get`."""

    about: ProjectRow
    tasks: list[TaskRow]
    digest: str
    """Of the whole file."""
    text: str
    """The whole file."""
