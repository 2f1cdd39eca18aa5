"""A project's file: front matter, prose and tasks, read and changed line by line. Pure.

```text
---
title: Trip to Rome
status: active
priority: p2
---
# Trip to Rome

## Tasks

- [ ] Book the train
  > 2026-11-21 sulla: the night train is full
- [x] Ask for days off
- [ ] Pay (blocked: the card has expired)
```

People keep such files by hand. Every change therefore replaces, adds or removes whole lines, and all others stay as
they are, byte for byte: what is not understood here may mean something to them. Check boxes and headings inside code
fences are text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Final, Literal, cast, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.projects.page import FIELD, PageTask, ProjectPage

Status = Literal[
    "active", "backlog", "planning", "in_progress", "in_review", "blocked", "parked", "done", "completed", "cancelled"
]
Priority = Literal["p0", "p1", "p2", "p3", "p4"]

MOST_TASKS: Final = 500
MOST_CHARS: Final = 256 * 1024
"""Code points of one file; a longer one is a document, not a project's file."""
TASK_CHARS: Final = 500
NOTE_CHARS: Final = 2000
PLAN: Final = "plan"
"""The field that names the run which made the project's plan, or to which it was given."""
RUN: Final = "run"
"""The field that names the run which works on the project's plan."""
TASKS: Final = "Tasks"
"""The section that new tasks go to."""

_BARE = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\n:#]*")
"""What needs no quotes as a value in front matter."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a file says."""

    title: str
    status: Status
    priority: Priority
    fields: dict[str, str]
    """All of the front matter that is ``key: value``, unquoted."""
    tasks: tuple[PageTask, ...]
    headings: tuple[str, ...]
    warnings: tuple[str, ...]
    """What could not be understood, and what was taken for it."""

    @property
    def open_tasks(self) -> tuple[PageTask, ...]:
        """Those that can be worked on now: nothing is in their way, and no run of a plan does them anyway."""
        left = {task.id for task in self.tasks if task.id and not task.done}
        held = self.status == "in_progress" and bool(self.fields.get(RUN))
        return tuple(
            task
            for task in self.tasks
            if task.state == "pending" and left.isdisjoint(task.after) and not (held and task.id)
        )


def read_project(text: str) -> Project:
    """Read a file.

    Raises:
        InvalidInput: it is too long.
    """
    if len(text) > MOST_CHARS:
        raise InvalidInput(f"a project's file of {len(text)} characters: expected at most {MOST_CHARS}")
    page = ProjectPage(text)
    fields, warnings = page.fields()
    tasks = tuple(page.tasks())
    if len(tasks) > MOST_TASKS:
        warnings.append(f"{len(tasks)} tasks: only the first {MOST_TASKS} are known")
    headings = [heading for _, level, heading in page.headings() if level == 2]
    first = next((heading for _, level, heading in page.headings() if level == 1), "")
    return Project(
        fields.get("title") or first,
        cast(Status, _one_of(fields, "status", get_args(Status), "active", warnings)),
        cast(Priority, _one_of(fields, "priority", get_args(Priority), "p2", warnings)),
        fields,
        tasks[:MOST_TASKS],
        tuple(headings),
        tuple(warnings),
    )


def set_field(text: str, key: str, value: str) -> str:
    """The file with a value in its front matter, which is made if there is none.

    Raises:
        InvalidInput: `key` is no name for a field, or `value` has several lines.
    """
    if not FIELD.fullmatch(f"{key}:") or "\n" in value or "\r" in value:
        raise InvalidInput(f"{key[:40]!r}: expected a name and a value of one line")
    page = ProjectPage(text)
    line = f"{key}: {value if _BARE.fullmatch(value) else _quoted(value)}"
    begin, end = page.front()
    for at in range(begin, end):
        if (found := FIELD.match(page.bare(at))) and found[1] == key:
            return page.with_lines(at, at + 1, [line])
    if begin == 0:  # there is none
        return page.with_lines(0, 0, ["---", line, "---"])
    return page.with_lines(end, end, [line])


def add_task(text: str, task: str, part_of: str = "") -> str:
    """The file with one more task: at the end of the list of tasks, or of those that are part of another.

    Raises:
        InvalidInput: it is empty, too long, or has several lines; or there are as many as there may be.
        Conflict: there is an open one of the same words, or what is added would be inside a code fence.
        NotFound: there is no task `part_of`.
    """
    words = _line(task, TASK_CHARS, "a task")
    page = ProjectPage(text)
    tasks = list(page.tasks())
    if len(tasks) >= MOST_TASKS:
        raise InvalidInput(f"there are {len(tasks)} tasks, the most that there may be: finish some first")
    if any(one.text == words and not one.done for one in tasks):
        raise Conflict(f"there is a task {words[:80]!r} already")
    if part_of:
        whole = _find(tasks, part_of)
        indent = page.indent(whole.line) + "  "
        return page.with_lines(at := page.end_of(whole), at, [f"{indent}- [ ] {words}"])
    return append_task(page, tasks, words)


def append_task(page: ProjectPage, tasks: Sequence[PageTask], words: str) -> str:
    """The file with one more task at the end of the list of tasks, whatever there is already.

    Raises:
        Conflict: it would be inside a code fence.
    """
    section = page.section(TASKS)
    if section is None:
        if page.open_fence:
            raise Conflict("the file ends inside a code fence that is not closed: close it first")
        empty = [] if page.ends_blank() else [""]
        return page.with_lines(len(page), len(page), [*empty, f"## {TASKS}", "", f"- [ ] {words}"])
    begin, end = section
    inside = [one for one in tasks if begin <= one.line < end and one.depth == 0]
    if inside:
        last = inside[-1]
        return page.with_lines(at := page.end_of(last), at, [f"{page.indent(last.line)}- [ ] {words}"])
    at = begin + 1
    return page.with_lines(at, at, ["", f"- [ ] {words}"])


def complete_task(text: str, task: str) -> str:
    """The file with a task ticked; one that is done already stays as it is.

    Raises:
        NotFound: there is no such task.
        Conflict: several begin like that.
    """
    page = ProjectPage(text)
    found = _find(list(page.tasks()), task)
    return page.with_box(found, done=True)


def block_task(text: str, task: str, reason: str) -> str:
    """The file with what is in a task's way; with an empty reason nothing is any more.

    Raises:
        NotFound: there is no such task.
        Conflict: several begin like that, or it is done.
        InvalidInput: the reason is too long, or has several lines.
    """
    page = ProjectPage(text)
    found = _find(list(page.tasks()), task)
    if found.done:
        raise Conflict(f"the task {found.text[:80]!r} is done: nothing can be in its way")
    mark = f"blocked: {_line(reason, TASK_CHARS, 'a reason')}" if reason.strip() else ""
    return page.with_box(found, done=False, mark=mark)


def comment_task(text: str, task: str, author: str, day: str, words: str) -> str:
    """The file with a remark below a task.

    Args:
        text: the file.
        task: which one.
        author: who says it.
        day: when, e.g. ``2026-11-21``.
        words: what; line breaks become spaces.

    Raises:
        NotFound: there is no such task.
        Conflict: several begin like that.
        InvalidInput: it is empty or too long.
    """
    page = ProjectPage(text)
    found = _find(list(page.tasks()), task)
    said = _line(" ".join(words.split()), NOTE_CHARS, "a remark")
    at = page.end_of_notes(found)
    return page.with_lines(at, at, [f"{page.indent(found.line)}  > {day} {author}: {said}"])


def section_of(text: str, heading: str) -> str:
    """What stands under a heading of the second level, without the heading itself.

    Raises:
        NotFound: there is no such heading.
    """
    page = ProjectPage(text)
    begin, end = _section(page, heading)
    return page.raw(begin + 1, end)


def patch_section(text: str, heading: str, body: str) -> str:
    """The file with something else under a heading of the second level.

    Raises:
        NotFound: there is no such heading.
        InvalidInput: `body` has a heading of the first or second level itself, or ends inside a code fence.
    """
    inner = ProjectPage(body)
    if any(level <= 2 for _, level, _ in inner.headings()):
        raise InvalidInput("a section cannot hold a heading of its own level or above: use ### or deeper")
    if inner.open_fence:
        raise InvalidInput("a code fence in it is not closed: the rest of the file would become code")
    page = ProjectPage(text)
    begin, end = _section(page, heading)
    lines = ["", *body.strip("\n").splitlines(), *([""] if end < len(page) else [])] if body.strip() else [""]
    return page.with_lines(begin + 1, end, lines)


def _section(page: ProjectPage, heading: str) -> tuple[int, int]:
    found = page.section(heading)
    if found is None:
        known = [words for _, level, words in page.headings() if level == 2]
        near = difflib.get_close_matches(heading, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(map(repr, known[:20])) or 'none'}"
        raise NotFound(f"no section {heading[:80]!r}; {hint}")
    return found


def _find(tasks: Sequence[PageTask], wanted: str) -> PageTask:
    """The task of this id or these words, or the only one that begins with them; open ones before those that are
    done.
    """
    words = wanted.strip()
    for one in tasks:
        if words and one.id == words:
            return one
    for some in ([one for one in tasks if not one.done], tasks):
        exact = [one for one in some if one.text == words]
        found = exact or [one for one in some if words and one.text.casefold().startswith(words.casefold())]
        if len(found) > 1:
            said = ", ".join(repr(one.text[:60]) for one in found[:5])
            raise Conflict(f"{len(found)} tasks are called like {words[:60]!r}: {said}; say the whole of one")
        if found:
            return found[0]
    near = difflib.get_close_matches(words, [one.text for one in tasks], n=3, cutoff=0.4)
    hint = f"the nearest: {', '.join(repr(one[:80]) for one in near)}" if near else "list them first"
    raise NotFound(f"no task {words[:80]!r}; {hint}")


def _line(words: str, most: int, what: str) -> str:
    found = words.strip()
    if not found or len(found) > most or "\n" in found or "\r" in found:
        raise InvalidInput(f"{what}: got {len(found)} characters, expected one line of 1 to {most}")
    return found


def _one_of(fields: dict[str, str], key: str, known: Sequence[str], usual: str, warnings: list[str]) -> str:
    value = fields.get(key, usual).casefold()
    if value in known:
        return value
    warnings.append(f"{key}: got {value[:40]!r}, expected one of {', '.join(known)}; taken for {usual!r}")
    return usual


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
