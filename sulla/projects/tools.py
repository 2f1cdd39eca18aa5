"""What an agent can do with projects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from sulla.core.jsontypes import FrozenJson
from sulla.core.stamp import stamp
from sulla.core.words import Author, Words, ours
from sulla.projects.file import (
    add_task,
    block_task,
    comment_task,
    complete_task,
    patch_section,
    read_project,
    section_of,
)
from sulla.projects.page import PageTask
from sulla.projects.projects import FoundProject, ListedProject, Projects
from sulla.projects.write import change_project
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.origins import FileOrigins
from sulla.tools.schema import Bounds

_MOST_LISTED = 100


def project_tools(projects: Projects) -> tuple[Tool, ...]:
    """Tools to list, read and work on projects.

    Args:
        projects: the home's.
    """
    functions = _ProjectTools(projects)

    def touched(args: FrozenJson, context: ToolContext) -> Path:
        return projects.place(str(args.get("project", "")))

    both = partial(define, reach="inward", category="projects", timeout_s=30.0, files=touched)
    look, change = partial(both, effect="pure"), partial(both, effect="idempotent", parallel=False)
    return (
        replace(look(functions.list_projects), files="told"),
        look(functions.read_project, rest="Read one section."),
        change(functions.add_project_task),
        change(functions.complete_project_task),
        change(functions.block_project_task),
        change(functions.comment_project_task),
        change(functions.patch_project_section),
    )


class _ProjectTools:
    """The functions behind the tools of projects, which share the home's files."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects

    async def list_projects(self, context: ToolContext) -> Result:
        """List all projects with their status, priority, open tasks and last activity."""
        found = await asyncio.to_thread(self._projects.all)
        if not found:
            return Done(ours("There are no projects."), origin="file")
        lines = await asyncio.to_thread(self._rows, found[:_MOST_LISTED], context.origins)
        cut = f"and {len(found) - _MOST_LISTED} more" if len(found) > _MOST_LISTED else ""
        return Done(Words("\n".join(filter(None, (*lines, cut))), Author.AGENT), origin="file", cut=cut)

    def _rows(self, found: Sequence[ListedProject], origins: FileOrigins) -> list[str]:
        places = [self._projects.place(listed.slug).resolve() for listed in found]
        # A mark is kept before the words are written, so what was read before this has it by now.
        outside = [origins.is_outside(place, b"") for place in places]
        return [_row(listed, outside=is_outside) for listed, is_outside in zip(found, outside, strict=True)]

    async def read_project(self, context: ToolContext, *, project: str, section: str = "") -> Result:
        """Read a project's file: its tasks with their numbers, its sections and its text. The digest in the first line
        is needed to change a section.

        Args:
            project: The project's name.
            section: A heading to read only what stands below it; empty for the whole file.
        """
        found = await asyncio.to_thread(self._projects.read, project)
        text = section_of(found.text, section) if section else found.text
        return Done(Words(f"{_heading(found)}\n{text}", Author.AGENT), origin="file")

    async def add_project_task(self, context: ToolContext, *, project: str, task: str, part_of: str = "") -> Result:
        """Add a task to a project.

        Args:
            project: The project's name.
            task: What is to be done, in one line.
            part_of: The words of the task that it is part of; empty for none.
        """

        def change(text: str) -> str:
            return text if _is_open(text, task) else add_task(text, task, part_of)

        return await self._change(context, project, change, f"Added: {task}")

    async def complete_project_task(self, context: ToolContext, *, project: str, task: str) -> Result:
        """Tick a task of a project as done.

        Args:
            project: The project's name.
            task: Its words, or enough of the first.
        """
        return await self._change(context, project, lambda text: complete_task(text, task), f"Done: {task}")

    async def block_project_task(self, context: ToolContext, *, project: str, task: str, reason: str = "") -> Result:
        """Say what is in a task's way, or that nothing is any more.

        Args:
            project: The project's name.
            task: Its words, or enough of the first.
            reason: What is in its way, in one line; empty for nothing.
        """
        said = f"Blocked: {task}" if reason else f"Nothing is in the way any more: {task}"
        return await self._change(context, project, lambda text: block_task(text, task, reason), said)

    async def comment_project_task(self, context: ToolContext, *, project: str, task: str, remark: str) -> Result:
        """Write a remark below a task of a project.

        Args:
            project: The project's name.
            task: Its words, or enough of the first.
            remark: What is to be said.
        """
        day, author = stamp(round(context.clock.now() * 1000))[:10], context.agent or "agent"

        def change(text: str) -> str:
            after = comment_task(text, task, author, day, remark)
            return text if _says_already(text, after) else after

        return await self._change(context, project, change, f"Remarked on: {task}")

    async def patch_project_section(
        self,
        context: ToolContext,
        *,
        project: str,
        heading: str,
        content: str,
        digest: Annotated[str, Bounds(16, 16)],
    ) -> Result:
        """Replace what stands under a heading of a project's file. If somebody has changed the file since it was read,
        nothing is changed: read it again then.

        Args:
            project: The project's name.
            heading: A heading of the second level, without the marks.
            content: All that shall stand below it.
            digest: Of the file as it was read.
        """

        def change(text: str) -> str:
            return patch_section(text, heading, content)

        return await self._change(context, project, change, f"Replaced the section {heading}", digest)

    async def _change(
        self, context: ToolContext, project: str, change: Callable[[str], str], said: str, digest: str = ""
    ) -> Result:
        found, changed = await change_project(self._projects, context.clock, project, change, digest)
        remark = "" if changed else " (it was so already; nothing was changed)"
        return Done(Words(f"{said}{remark}\n{_heading(found)}", Author.AGENT))


def _heading(found: FoundProject) -> str:
    project = found.project
    counted = f"{len(project.open_tasks)} open of {len(project.tasks)} tasks"
    lines = [f"{found.slug}: {project.title} ({project.status}, {project.priority}), {counted}, digest {found.digest}"]
    lines += [f"note: {warning}" for warning in project.warnings]
    lines += [_task(task, project.open_tasks) for task in project.tasks]
    return "\n".join(lines)


def _task(task: PageTask, ready: Sequence[PageTask]) -> str:
    state = {
        "completed": "done",
        "blocked": f"blocked: {task.blocked}",
        "failed": f"failed: {task.failed}",
        "in_progress": "in progress",
        "pending": "open" if task in ready else f"planned{', after ' * bool(task.after)}{', '.join(task.after)}",
    }[task.state]
    return f"{'  ' * task.depth}{task.number}. {task.text} [{state}]"


def _row(listed: ListedProject, *, outside: bool) -> str:
    """A line of the list; of a project that holds words from outside nothing but its folder and numbers."""
    project = listed.project
    if project is None:
        return f"{listed.slug}: cannot be read{'' if outside else f': {listed.trouble}'}"
    tasks = f"{len(project.open_tasks)} open of {len(project.tasks)} tasks"
    if outside:
        return f"{listed.slug}: {tasks}; it holds words from outside, which read_project shows"
    last = project.fields.get("last_activity_at", "never")
    return f"{listed.slug}: {project.title} ({project.status}, {project.priority}), {tasks}, last activity {last}"


def _is_open(text: str, task: str) -> bool:
    return any(one.text == task.strip() and not one.done for one in read_project(text).tasks)


def _says_already(before: str, after: str) -> bool:
    """Whether the remark that would be added is the last one already: then this is a repeat of the same call."""
    old, new = before.splitlines(), after.splitlines()
    at = next(index for index, line in enumerate(new) if index >= len(old) or old[index] != line)
    return at > 0 and new[at - 1] == new[at]
