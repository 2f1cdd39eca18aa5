"""What clients can ask about projects."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Protocol

from pydantic import Field, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.projects.file import MOST_TASKS
from sulla.projects.page import TaskState
from sulla.rpc.caller import Context
from sulla.rpc.form import LINE_PATTERN, Label, Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class ProjectList(Params):
    """`project.list`."""


class ProjectGet(Params):
    """`project.get`."""

    project: Name


class ProjectTaskMove(Params):
    """`project.task.move`."""

    project: Name
    number: Annotated[int, Field(ge=1, le=MOST_TASKS)]
    """The task's, in the file of that digest."""
    state: Literal["pending", "in_progress", "completed", "failed", "blocked"]
    why: Annotated[str, StringConstraints(max_length=200, pattern=LINE_PATTERN)] = ""
    """For `failed` and `blocked`."""
    digest: Label
    """What `project.get` gave."""


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
    done: int
    """Those that are done."""
    blocked: int
    """Those that something is in the way of."""
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
    number: int = 0
    """Counted from 1, from the top of the file."""
    failed: str = ""
    """Why a run of the plan failed in it; empty if none did."""


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

    async def move_task(self, name: str, number: int, state: TaskState, why: str, digest: str) -> ProjectText:
        """Change how a task stands; the project as it is then.

        Args:
            name: the project's.
            number: the task's.
            state: how it stands now.
            why: for `failed` and `blocked`.
            digest: of the file that the number is of.

        Raises:
            NotFound: there is no such project, or no such task.
            Conflict: the file is another one by now, or is being written all the time.
            InvalidInput: a reason is missing.
        """


async def _list(service: ProjectService, params: ProjectList, context: Context) -> ProjectRows:
    return await service.list_projects()


async def _get(service: ProjectService, params: ProjectGet, context: Context) -> ProjectText:
    return await service.get_project(params.project)


async def _move(service: ProjectService, params: ProjectTaskMove, context: Context) -> ProjectText:
    return await service.move_task(params.project, params.number, params.state, params.why, params.digest)


_PROJECT: Final[JsonObject] = {
    "project": "garden",
    "title": "Garden",
    "status": "active",
    "priority": "p2",
    "open": 1,
    "tasks": 1,
    "done": 0,
    "blocked": 0,
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
    "number": 1,
    "failed": "",
}
_WHOLE: Final[JsonObject] = {
    "about": _PROJECT,
    "tasks": [_TASK],
    "digest": "a3f1c05e7b9d2468",
    "text": "# Garden\n\n- [ ] Dig\n",
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
            Example(_WHOLE),
        ),
        Method(
            "project.task.move",
            ProjectTaskMove,
            ProjectText,
            "write",
            _move,
            Rest("POST", "/projects/{project}/tasks", "Say how a task stands."),
            Example(_WHOLE, {"number": 1, "state": "completed", "digest": "a3f1c05e7b9d2468"}),
        ),
    ),
)
