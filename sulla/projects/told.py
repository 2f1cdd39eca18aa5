"""What a turn that belongs to a project is told of it unasked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sulla.core.words import Author, Words, ours
from sulla.projects.page import PageTask, ProjectPage
from sulla.projects.projects import FoundProject

MOST_CHARS: Final = 1_000
"""Of all that is told; a turn pays for it once each time it has changed."""
GOAL_CHARS: Final = 300
TASK_CHARS: Final = 120
_CUT: Final = " … (cut)"
_MARKS: Final = {ord("<"): "(", ord(">"): ")"}
"""What could close the section that it stands in."""


def project_words(found: FoundProject, *, outside: bool) -> Words:
    """How it is with a project: its state, its goal and its open tasks, with what was left out.

    Args:
        found: the project.
        outside: whether its file holds words from outside: then only numbers are told, and `read_project`, which knows
            whose words they are, has the rest.
    """
    project = found.project
    counted = f"{len(project.open_tasks)} open of {len(project.tasks)} tasks"
    if outside:
        return ours(f"{counted}; it holds words from outside, which read_project shows")
    lines = [
        f"{counted}; read_project has its text and tasks",
        f"{_short(project.title or found.slug, TASK_CHARS)} ({project.status}, {project.priority})",
    ]
    if goal := ProjectPage(found.text).lead():
        lines.append(f"Goal: {_short(goal, GOAL_CHARS)}")
    lines += _tasks(project.open_tasks, MOST_CHARS - sum(len(line) + 1 for line in lines))
    return Words("\n".join(lines), Author.AGENT)


def _tasks(tasks: Sequence[PageTask], room: int) -> list[str]:
    lines: list[str] = []
    for number, task in enumerate(tasks):
        line = f"- {_short(task.text, TASK_CHARS)}"
        more = f"and {len(tasks) - number} more open tasks"
        if len(line) + 1 + (len(more) + 1) * (number < len(tasks) - 1) > room:
            return [*lines, more]
        lines.append(line)
        room -= len(line) + 1
    return lines


def _short(text: str, most: int) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split()).translate(_MARKS)
    return line if len(line) <= most else line[: most - len(_CUT)] + _CUT
