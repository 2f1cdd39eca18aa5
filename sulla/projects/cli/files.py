"""What each command of `sulla project` does. No daemon has to run: projects are files."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from sulla.core.errors import NotFound
from sulla.projects.projects import PROJECTS, ListedProject, Projects
from sulla.terminal.exits import Exit
from sulla.terminal.output import say, tell
from sulla.terminal.place import settings_of
from sulla.terminal.program import program
from sulla.terminal.table import Table, harmless, one_line, paper
from sulla.tools.nearest import did_you_mean

_HEADS = ("NAME", "STATUS", "URGENCY", "OPEN", "TITLE")
_WIDTHS = (24, 11, 7, 5)


def _list(given: argparse.Namespace) -> Exit:
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    found = _projects(given).all()
    for listed in found:
        print(json.dumps(_row(listed)) if given.json else table.row(_cells(listed)))
    if not found and not given.json:
        tell(f"there are no projects: make a folder with a PROJECT.md in {_folder(given)}")
    return Exit.OK


def _show(given: argparse.Namespace) -> Exit:
    projects = _projects(given)
    known = [listed.slug for listed in projects.all()]
    if given.name not in known:
        hint = did_you_mean(given.name, known) or f" `{program()} project list` shows them."
        raise NotFound(f"there is no project {given.name[:100]!r}.{hint}")
    found = projects.read(given.name)
    if given.json:
        tasks = [
            {
                "text": task.text,
                "done": task.done,
                "blocked": task.blocked,
                "depth": task.depth,
                "state": task.state,
                "id": task.id,
                "depends_on": list(task.after),
            }
            for task in found.project.tasks
        ]
        row = _row(ListedProject(found.slug, found.project))
        print(json.dumps({**row, "tasks": tasks, "digest": found.digest, "text": found.text}))
        return Exit.OK
    on = paper()
    for warning in found.project.warnings:
        say(on.faint(one_line(f"note: {warning}")))
    if planned := [task for task in found.project.tasks if task.id]:
        counts = Counter(task.state for task in planned)
        say(on.faint(f"plan: {', '.join(f'{count} {state}' for state, count in counts.items())}"))
    say(harmless(found.text).rstrip())
    return Exit.OK


def _projects(given: argparse.Namespace) -> Projects:
    return Projects(_folder(given))


def _folder(given: argparse.Namespace) -> Path:
    return settings_of(given).place(PROJECTS)


def _cells(listed: ListedProject) -> tuple[str, ...]:
    project = listed.project
    if project is None:
        return (listed.slug, "", "", "", f"cannot be read: {listed.trouble}")
    return (listed.slug, project.status, project.priority, str(len(project.open_tasks)), project.title)


def _row(listed: ListedProject) -> dict[str, object]:
    project = listed.project
    if project is None:
        return {"project": listed.slug, "trouble": listed.trouble}
    return {
        "project": listed.slug,
        "title": project.title,
        "status": project.status,
        "priority": project.priority,
        "open": len(project.open_tasks),
        "tasks": len(project.tasks),
        "last_activity_at": project.fields.get("last_activity_at", ""),
        "trouble": "; ".join(project.warnings),
    }


LOOKS = {"list": _list, "show": _show}
"""What does each command."""
