"""What each command of `sulla project` does. No daemon has to run: projects are files."""

from __future__ import annotations

import argparse
import json

from sulla.cli.exits import Exit
from sulla.cli.place import settings_of
from sulla.cli.table import Table, harmless, one_line, paper
from sulla.registry import PROJECTS, Listed, Projects

_HEADS = ("NAME", "STATUS", "URGENCY", "OPEN", "TITLE")
_WIDTHS = (24, 11, 7, 5)


def _list(given: argparse.Namespace) -> Exit:
    table = Table(_HEADS, _WIDTHS, paper())
    if not given.json:
        print(table.head())
    for listed in _projects(given).all():
        print(json.dumps(_row(listed)) if given.json else table.row(_cells(listed)))
    return Exit.OK


def _show(given: argparse.Namespace) -> Exit:
    found = _projects(given).read(given.name)
    if given.json:
        tasks = [
            {"text": task.text, "done": task.done, "blocked": task.blocked, "depth": task.depth}
            for task in found.project.tasks
        ]
        row = _row(Listed(found.slug, found.project))
        print(json.dumps({**row, "tasks": tasks, "digest": found.digest, "text": found.text}))
        return Exit.OK
    on = paper()
    for warning in found.project.warnings:
        print(on.faint(one_line(f"note: {warning}")))
    print(harmless(found.text).rstrip())
    return Exit.OK


def _projects(given: argparse.Namespace) -> Projects:
    return Projects(settings_of(given).place(PROJECTS))


def _cells(listed: Listed) -> tuple[str, ...]:
    project = listed.project
    if project is None:
        return (listed.slug, "", "", "", f"cannot be read: {listed.trouble}")
    return (listed.slug, project.status, project.priority, str(len(project.open_tasks)), project.title)


def _row(listed: Listed) -> dict[str, object]:
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
