"""Projects in a daemon: their files, and the tools that work with them."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from sulla.core.errors import SullaError
from sulla.core.words import Words, ours
from sulla.host.host import Built, Host
from sulla.host.shipped import shipped
from sulla.projects.projects import PROJECTS, Projects
from sulla.projects.rpc import METHODS
from sulla.projects.service import HomeProjects
from sulla.projects.tools import project_tools


def bring_projects(projects: Projects, samples: Path) -> None:
    """Give a home that has no projects yet those that Sulla brings along.

    Args:
        projects: the home's.
        samples: the folder that they are brought along in.
    """
    if projects.exists or not samples.is_dir():
        return
    for sample in Projects(samples).all():
        if sample.project is not None:
            projects.create(sample.slug, Projects(samples).read(sample.slug).text)


async def about(projects: Projects, name: str) -> Words:
    """How it is with a project, for turns in threads that are about it. Numbers alone: what its file says is for
    `read_project`, which knows whose words they are.

    Args:
        projects: the home's.
        name: the project's.
    """
    try:
        project = (await asyncio.to_thread(projects.read, name)).project
    except SullaError:
        return ours("its file cannot be read; list_projects names those that there are")
    open_tasks, all_tasks = len(project.open_tasks), len(project.tasks)
    return ours(f"{open_tasks} open of {all_tasks} tasks; read_project has its text and tasks")


def build(host: Host) -> Built:
    """Make what a daemon does with projects; see `host.Built`."""
    projects = Projects(host.settings.place(PROJECTS))
    return Built(
        provides=(projects,),
        methods=(METHODS.done_by(HomeProjects(projects)),),
        tools=project_tools(projects),
        about_project=partial(about, projects),
        prepare=partial(bring_projects, projects, shipped(PROJECTS)),
    )
