"""Projects in a daemon: their files, and the tools that work with them."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from sulla.agent.calls.file_marks import FileMarks
from sulla.core.errors import SullaError
from sulla.core.words import Words, ours
from sulla.host.host import Built, Host
from sulla.host.shipped import shipped
from sulla.projects.projects import PROJECTS, Projects
from sulla.projects.rpc import METHODS
from sulla.projects.service import HomeProjects
from sulla.projects.told import project_words
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


async def about(projects: Projects, marks: FileMarks, name: str) -> Words:
    """How it is with a project, for turns in threads that are about it.

    Args:
        projects: the home's.
        marks: which files are not to be trusted: of words from outside only the numbers are told.
        name: the project's.
    """
    place = projects.place(name)
    try:
        found = await asyncio.to_thread(projects.read, name)
        # A mark is kept before the words are written, so what was read before this has it by now.
        outside = await marks.mistrusted(place, place.parent)
    except SullaError:
        return ours("its file cannot be read; list_projects names those that there are")
    return project_words(found, outside=outside)


def build(host: Host) -> Built:
    """Make what a daemon does with projects; see `host.Built`."""
    projects = Projects(host.settings.place(PROJECTS))
    return Built(
        provides=(projects,),
        methods=(METHODS.done_by(HomeProjects(projects, host.place.clock)),),
        tools=project_tools(projects),
        about_project=partial(about, projects, host.agents.marks),
        prepare=partial(bring_projects, projects, shipped(PROJECTS)),
    )
