"""Projects: the PROJECT.md that people and agents write in at once, and its tasks."""

from sulla.projects.file import RUN, Project, read_project, set_field
from sulla.projects.page import TaskState
from sulla.projects.projects import PROJECTS, Found, Listed, Projects
from sulla.projects.tasks import WAITS, Planned, mark_task, put_down
from sulla.projects.tools import project_tools
from sulla.projects.write import change_project

__all__ = [
    "PROJECTS",
    "RUN",
    "WAITS",
    "Found",
    "Listed",
    "Planned",
    "Project",
    "Projects",
    "TaskState",
    "change_project",
    "mark_task",
    "project_tools",
    "put_down",
    "read_project",
    "set_field",
]
