"""What clients can ask about projects."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Context
from sulla.rpc.form import Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class ProjectList(Params):
    """`project.list`."""


class ProjectGet(Params):
    """`project.get`."""

    project: Name


@dataclass(frozen=True, slots=True)
class ProjectRow:
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


@dataclass(frozen=True, slots=True)
class ProjectRows:
    """The answer to `project.list`."""

    projects: tuple[ProjectRow, ...]


@dataclass(frozen=True, slots=True)
class TaskRow:
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
    depends_on: tuple[str, ...]
    """The ids of tasks of the plan."""


@dataclass(frozen=True, slots=True)
class ProjectText:
    """The answer to `project.get`."""

    about: ProjectRow
    tasks: tuple[TaskRow, ...]
    digest: str
    """Of the whole file."""
    text: str
    """The whole file."""


class ProjectService(Protocol):
    """Reads the home's projects."""

    async def list_projects(self) -> ProjectRows:
        """All projects, by name."""

    async def get_project(self, name: str) -> ProjectText:
        """One project.

        Raises:
            NotFound: there is none of that name.
            CorruptRecord: its file is no text.
            InvalidInput: the name is none, or the file is too long.
        """


async def _list(service: ProjectService, params: ProjectList, context: Context) -> ProjectRows:
    return await service.list_projects()


async def _get(service: ProjectService, params: ProjectGet, context: Context) -> ProjectText:
    return await service.get_project(params.project)


_PROJECT: Final[JsonObject] = {
    "project": "garden",
    "title": "Garden",
    "status": "active",
    "priority": "p2",
    "open": 1,
    "tasks": 1,
    "last_activity_at": "2027-01-15T08:00:00.000Z",
    "trouble": "",
}
_TASK: Final[JsonObject] = {
    "text": "Dig",
    "done": False,
    "blocked": "",
    "depth": 0,
    "state": "pending",
    "id": "dig",
    "depends_on": [],
}

METHODS: Final[Methods[ProjectService]] = Methods(
    "projects",
    (
        Method(
            "project.list",
            ProjectList,
            ProjectRows,
            "read",
            _list,
            Rest("GET", "/projects", "The projects of the home."),
            Example({"projects": [_PROJECT]}),
        ),
        Method(
            "project.get",
            ProjectGet,
            ProjectText,
            "read",
            _get,
            Rest("GET", "/projects/{project}", "One project, with its tasks and its file."),
            Example(
                {"about": _PROJECT, "tasks": [_TASK], "digest": "a3f1c05e7b9d2468", "text": "# Garden\n\n- [ ] Dig\n"}
            ),
        ),
    ),
)
