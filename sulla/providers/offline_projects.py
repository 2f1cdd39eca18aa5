"""Work on a project without a language model: its first open task that is worded like a request is done. Pure.

Each step follows from the results of those before it, so a turn that is taken up again goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sulla.core.jsontypes import JsonObject
from sulla.core.message import ToolResult
from sulla.providers.offline_rules import Wish, wish_of

USAGE = "work on garden (a project)"
TOOLS = frozenset({"read_project", "complete_project_task", "block_project_task"})
"""Without these there is no such work."""
_WORK = re.compile(
    r"work on (?:the )?(?:project )?[\"'`]?(?P<project>[a-z0-9][a-z0-9_-]{0,63})[\"'`]?[ .!]*", re.IGNORECASE
)
_OPEN = re.compile(r"[ ]*\d+\. (?P<task>.*) \[open\]")
_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Step:
    """A tool to use next."""

    tool: str
    args: JsonObject


@dataclass(frozen=True, slots=True)
class Ended:
    """There is nothing more to do."""

    said: str
    summary: str


def project_of(request: str) -> str:
    """The project that somebody wants worked on; empty if that is not what they want."""
    found = _WORK.fullmatch(request.strip())
    return found["project"].lower() if found else ""


def next_step(project: str, results: Sequence[ToolResult], tools: frozenset[str]) -> Step | Ended:
    """What to do now.

    Args:
        project: which one.
        results: of the tools used for this request so far.
        tools: what there is.
    """
    if not results:
        return Step("read_project", {"project": project})
    read, *rest = results
    if read.is_error:
        return Ended(f"The project {project} cannot be read: {read.text}", f"Could not read {project}.")
    found = _first(read.text, tools)
    if found is None:
        return Ended(
            f"No open task of {project} is worded like a request that I understand.", f"Nothing to do in {project}."
        )
    task, wish = found
    match rest:
        case []:
            return Step(wish.rule.tool, wish.args)
        case [done]:
            if done.is_error:
                reason = " ".join(done.text.split())[:_REASON_CHARS]
                return Step("block_project_task", {"project": project, "task": task, "reason": reason})
            return Step("complete_project_task", {"project": project, "task": task})
        case [_, *_, last] if last.is_error:
            return Ended(f"The task was worked on, but not written down: {last.text}", f"Worked on {project}.")
        case [done, *_]:
            ended = "is in trouble" if done.is_error else "is done"
            return Ended(f"A task of {project} {ended}: {task}", f"Worked on {project}: {task}"[:_REASON_CHARS])
    raise AssertionError("unreachable: every number of results is looked at")


def _first(listed: str, tools: frozenset[str]) -> tuple[str, Wish] | None:
    """The first open task that a rule fits, and what it asks for."""
    for line in listed.splitlines()[1:]:
        found = _OPEN.fullmatch(line)
        if found is None:
            continue
        wish = wish_of(found["task"])
        if wish is not None and wish.rule.tool in tools:
            return found["task"], wish
    return None
