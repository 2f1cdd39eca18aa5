"""Work on a project without a language model: its first open task that is worded like a request is done. Pure.

Each step follows from the results of those before it, so a turn that is taken up again goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolResult
from sulla.models.offline.rules import OfflineCommand, wish_of

USAGE = "work on garden (a project)"
TOOLS = frozenset({"read_project", "complete_project_task", "block_project_task"})
"""Without these there is no such work."""
COMMENT = "comment_project_task"
_WORK = re.compile(
    r"work on (?:the )?(?:project )?[\"'`]?(?P<project>[a-z0-9][a-z0-9_-]{0,63})[\"'`]?[ .!]*", re.IGNORECASE
)
_OPEN = re.compile(r"[ ]*\d+\. (?P<task>.*) \[open\]")
_REASON_CHARS = 200
STRANGE = "no fixed rule fits it; a language model may understand it"
"""What is in the way of a task that is worded otherwise."""


@dataclass(frozen=True, slots=True)
class OfflineStep:
    """A tool to use next."""

    tool: str
    args: JsonObject


@dataclass(frozen=True, slots=True)
class PlannedEnd:
    """There is nothing more to do."""

    said: str
    summary: str


def project_of(request: str) -> str:
    """The project that somebody wants worked on; empty if that is not what they want."""
    found = _WORK.fullmatch(request.strip())
    return found["project"].lower() if found else ""


def next_step(
    project: str, results: Sequence[ToolResult], tools: frozenset[str], *, alone: bool = False
) -> OfflineStep | PlannedEnd:
    """What to do now.

    Args:
        project: which one.
        results: of the tools used for this request so far.
        tools: what there is.
        alone: whether nobody watches: then what was done is remarked below the task, and one that cannot be understood
            is blocked, so that it is not tried at each beat.
    """
    if not results:
        return OfflineStep("read_project", {"project": project})
    read, *rest = results
    if read.is_error:
        return PlannedEnd(f"The project {project} cannot be read: {read.text}", f"Could not read {project}.")
    found = _first(read.text, tools)
    if found is None:
        return _give_up(project, _open_tasks(read.text) if alone else [], rest)
    task, wish = found
    if not rest:
        return OfflineStep(wish.rule.tool, wish.args)
    if alone and COMMENT in tools and not rest[0].is_error:
        if len(rest) == 1:
            remark = " ".join(rest[0].text.split())[:_REASON_CHARS] or "done"
            return OfflineStep(COMMENT, {"project": project, "task": task, "remark": remark})
        rest = [rest[0], *rest[2:]]
    return _written_down(project, task, rest)


def _written_down(project: str, task: str, rest: Sequence[ToolResult]) -> OfflineStep | PlannedEnd:
    """A task was tried: tick it, or say what was in the way; then end."""
    done = rest[0]
    if len(rest) == 1:
        if done.is_error:
            reason = " ".join(done.text.split())[:_REASON_CHARS]
            return OfflineStep("block_project_task", {"project": project, "task": task, "reason": reason})
        return OfflineStep("complete_project_task", {"project": project, "task": task})
    if rest[-1].is_error:
        return PlannedEnd(f"The task was worked on, but not written down: {rest[-1].text}", f"Worked on {project}.")
    ended = "is in trouble" if done.is_error else "is done"
    return PlannedEnd(f"A task of {project} {ended}: {task}", f"Worked on {project}: {task}"[:_REASON_CHARS])


def _give_up(project: str, strange: Sequence[str], rest: Sequence[ToolResult]) -> PlannedEnd | OfflineStep:
    """No open task is understood; the first of those that are to be blocked for that is."""
    if strange and not rest:
        return OfflineStep("block_project_task", {"project": project, "task": strange[0], "reason": STRANGE})
    if strange and not rest[0].is_error:
        return PlannedEnd(
            f"A task of {project} needs a language model: {strange[0]}", f"Blocked in {project}: {strange[0]}"
        )
    return PlannedEnd(
        f"No open task of {project} is worded like a request that I understand.", f"Nothing to do in {project}."
    )


def _first(listed: str, tools: frozenset[str]) -> tuple[str, OfflineCommand] | None:
    """The first open task that a rule fits, and what it asks for."""
    for task in _open_tasks(listed):
        wish = wish_of(task)
        if wish is not None and wish.rule.tool in tools:
            return task, wish
    return None


def _open_tasks(listed: str) -> list[str]:
    return [found["task"] for line in listed.splitlines()[1:] if (found := _OPEN.fullmatch(line)) is not None]
