"""The tasks of a plan in a project's file: put down, and marked as its run gets on. Pure.

```text
- [x] Clear the beds (id: clear)
- [ ] Dig (id: dig; after: clear) (in progress)
- [ ] Sow (id: sow; after: dig)
```

The words are people's to change, as all of the file is; a task of a plan is found by its id. What a person has ticked
stays ticked, and what a person has blocked stays blocked until it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound
from sulla.projects.file import MOST_TASKS, append_task
from sulla.projects.page import PageTask, ProjectPage, TaskState

WAITS: Final = "waits for "
"""How a reason begins that a run gives for what is blocked; those of people begin otherwise."""
_WHY_CHARS: Final = 200
_MARKS: Final = re.compile(r"\((?=blocked:|failed:|in progress\)|id:)")
"""What would be taken for more than words."""


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task as a plan of playbooks names it."""

    id: str
    """Letters, digits and ``_``."""
    text: str
    """One line."""
    after: tuple[str, ...] = ()
    """The ids of those that it depends on."""


def put_down(text: str, rows: Sequence[PlannedTask]) -> str:
    """The file with the tasks of a plan that is about to be worked on, all of them open.

    Those of an earlier plan go, unless they are done or something is written below them. An open task of the same words
    becomes that of the plan.

    Args:
        text: the file.
        rows: the plan's tasks.

    Raises:
        InvalidInput: the file would have more tasks than it may.
        Conflict: it ends inside a code fence.
    """
    wanted = {row.id: replace(row, text=bare(row.text)) for row in rows}
    for id_ in [task.id for task in ProjectPage(text).tasks() if task.id]:
        text = _settle(text, id_, wanted.get(id_))
    for row in wanted.values():
        text = _put(text, row)
    return text


def mark_task(text: str, id_: str, state: TaskState, why: str = "") -> str:
    """The file with how a task of a plan stands; as it is if it has no such task.

    Args:
        text: the file.
        id_: which task.
        state: how it stands.
        why: for `failed` and `blocked`.
    """
    page = ProjectPage(text)
    task = _of(page.tasks(), id_)
    if task is None or task.done or (task.blocked and not task.blocked.startswith(WAITS) and state != "completed"):
        return text
    said = bare(" ".join(why.split()))[:_WHY_CHARS] or "nobody knows why"
    mark = {"in_progress": "in progress", "failed": f"failed: {said}", "blocked": f"blocked: {said}"}.get(state, "")
    return page.with_box(task, done=state == "completed", mark=mark)


def move_task(text: str, number: int, state: TaskState, why: str = "") -> str:
    """The file with a task as a person says that it stands, whatever it was before.

    Args:
        text: the file.
        number: which task, counted from 1 from the top of the file.
        state: how it stands.
        why: for `failed` and `blocked`, in one line.

    Raises:
        NotFound: there is no task of that number.
        InvalidInput: a reason is missing, or it cannot stand like that.
    """
    page = ProjectPage(text)
    tasks = list(page.tasks())
    task = next((one for one in tasks if one.number == number), None)
    if task is None:
        raise NotFound(f"no task {number}: there are {len(tasks)}, as project.get lists them")
    if state in ("in_progress", "failed") and not task.id:
        raise InvalidInput(f"state: task {number} is of no plan, so it is pending, blocked or completed, not {state}")
    said = bare(" ".join(why.split()))
    if state in ("failed", "blocked") and not said:
        raise InvalidInput(f"why: expected a reason for which it is {state}")
    mark = {"in_progress": "in progress", "failed": f"failed: {said}", "blocked": f"blocked: {said}"}.get(state, "")
    return page.with_box(task, done=state == "completed", mark=mark)


def _settle(text: str, id_: str, row: PlannedTask | None) -> str:
    """The file with what becomes of a task that has an id already."""
    page = ProjectPage(text)
    task = _of(page.tasks(), id_)
    if task is None:
        return text
    if row is None:
        keeps = task.done or page.end_of(task) > task.line + 1
        return text if keeps else page.with_lines(task.line, task.line + 1, [])
    if task.done and task.text != row.text:
        return page.with_box(replace(task, id="", after=()), done=True)  # another one of that name, in its time
    return page.with_box(replace(task, text=row.text, after=row.after), done=False)


def _put(text: str, row: PlannedTask) -> str:
    page = ProjectPage(text)
    tasks = list(page.tasks())
    if _of(tasks, row.id) is not None:
        return text
    same = next((task for task in tasks if task.text == row.text and not task.done and not task.id), None)
    if same is not None:
        mark = f"blocked: {same.blocked}" if same.blocked else ""
        return page.with_box(replace(same, id=row.id, after=row.after), done=False, mark=mark)
    if len(tasks) >= MOST_TASKS:
        raise InvalidInput(f"there are {len(tasks)} tasks, the most that there may be: take out what is done")
    new = PageTask(0, row.text, False, "", 0, 0, row.id, row.after)
    return append_task(page, tasks, new.text + new.tag)


def _of(tasks: Iterable[PageTask], id_: str) -> PageTask | None:
    return next((task for task in tasks if task.id == id_), None)


def bare(words: str) -> str:
    """Words as they stand in the line of a task."""
    return _MARKS.sub("[", words)
