"""Which files a playbook's commands name as those that they change, as far as its file tells: such as programs run,
and one that several append to side by side. Pure.

Behind text from outside nobody changes such a file unasked (`tools/program_files.py`): of a command all that it changed
is given up, and before `write_file` a person is asked. What a command really changes is known when it has run; what
is read off here are the plain ways of shells to write a file by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sulla.agent.subagents.reports import COMMAND, WRITERS
from sulla.playbooks.definition import LoopStep, Template, ToolStep
from sulla.playbooks.expression.expression import split
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_skipped import around
from sulla.playbooks.file.read_sketch import Sketch, StepAt
from sulla.tools.program_files import PROGRAMS

_OPEN: Final = "\0"
"""Stands for an expression, of which nobody knows what it comes to."""
_PARTS: Final = re.compile(r"&&|\|\||[;|&\n]|\$\(|[()`{}]")
"""What stands between two commands."""
_WRITTEN: Final = re.compile(r"(?<![0-9<>&])[0-9]?>{1,2}[ \t]*([^\s<>&;|]+)")
_APPENDED: Final = re.compile(r"(?<![0-9<>&])[0-9]?>>[ \t]*([^\s<>&;|]+)")
_WORDS: Final = re.compile(r"[^\s<>]+")
_EACH: Final = frozenset("touch tee truncate rm unlink".split())
"""Commands that write or remove whatever they name."""
_LAST: Final = frozenset("cp mv ln install".split())
"""Commands that write what they name last, or into it where that is a folder."""
_GIT: Final = frozenset(
    "add am apply branch checkout cherry-pick clean clone commit config fetch gc init merge pull push rebase reset "
    "restore revert rm stash submodule switch tag worktree".split()
)
"""What git does that changes `.git`, or files that it keeps."""


def changed(does: ToolStep) -> str:
    """The first file that programs run among those that a call says it writes; empty for none.

    Args:
        does: the call, as its file has it.
    """
    said = does.args.get("command" if does.tool == COMMAND else "path")
    if does.tool not in (COMMAND, *WRITERS):
        return ""
    text = _literal(said)
    names = _named(text) if does.tool == COMMAND else (text,)
    found = next((name for name in names if _is_programs(name)), "")
    return found.replace(_OPEN, "…")


def runs(path: str) -> bool:
    """Whether programs run or obey a file.

    Args:
        path: where it is in the workspace.
    """
    return bool(PROGRAMS.reader(_parts(path)))


def appended_beside(sketch: Sketch) -> Iterator[PlaybookFault]:
    """What is told of commands that append to one file side by side: in branches, or in passes of a loop.

    Args:
        sketch: the file.
    """
    if sketch.definition.at_once == 1:
        return
    known: dict[str, list[StepAt]] = {}
    for step in sketch.root.walk():
        for name in _appended(step):
            where = "in passes of a loop" if _in_passes(step) else ""
            before = next((one for one in known.get(name, ()) if _in_branches(one, step)), None)
            if where or before is not None:
                place = step.keys["tool"][1].place
                yield PlaybookFault(place.line, place.column, "side-by-side", _told(name, where, before))
            known.setdefault(name, []).append(step)


def _told(name: str, where: str, before: StepAt | None) -> str:
    where = where or (f"beside {before.id!r}" if before is not None else "")
    return (
        f"this appends to {name!r} side by side ({where}): as soon as anything from outside lies in the workspace, a "
        "file that another one has changed meanwhile is not overwritten, and the step fails; have each write a file of "
        "its own and join them behind, or do them one behind the other"
    )


def _appended(step: StepAt) -> list[str]:
    """The files of a name that stands in the playbook to which a step appends."""
    does = step.does
    if not isinstance(does, ToolStep) or does.tool != COMMAND:
        return []
    found: dict[str, None] = {}
    for part in _PARTS.split(_literal(does.args.get("command"))):
        found |= dict.fromkeys(map(_plain, _APPENDED.findall(part)))
        words = _WORDS.findall(_WRITTEN.sub(" ", part))
        if words[:1] == ["tee"] and {"-a", "--append"} & set(words):
            found |= dict.fromkeys(_plain(word) for word in words[1:] if not word.startswith("-"))
    return [name for name in found if name and _OPEN not in name]


def _in_passes(step: StepAt) -> bool:
    loops = (one.does for one in around(step) if one is not step)
    return any(isinstance(does, LoopStep) and does.at_once > 1 for does in loops)


def _in_branches(one: StepAt, other: StepAt) -> bool:
    """Whether two steps stand in different branches of one step."""
    blocks = {id(step): step.block for step in around(one)}
    for step in around(other):
        owner = step.block.owner
        if owner is not None and any(block.owner is owner and block is not step.block for block in blocks.values()):
            return True
    return False


def _is_programs(name: str) -> bool:
    """Whether programs run a file whatever its expressions come to; not where one of them says how its name ends."""
    last = name.rpartition("/")[2]
    is_told = _OPEN not in last or _OPEN not in last[last.rfind(".") :]
    return is_told and runs(name.replace(_OPEN, "x"))


def _literal(said: object) -> str:
    """What stands in the file, with a mark in the place of expressions."""
    if not isinstance(said, Template):
        return said if isinstance(said, str) else ""
    return "".join(part if isinstance(part, str) else _OPEN for part in split(said.source))


def _named(command: str) -> Iterator[str]:
    for part in _PARTS.split(command):
        yield from (name for name in map(_plain, _WRITTEN.findall(part)) if name)
        words = [word for word in map(_plain, _WORDS.findall(_WRITTEN.sub(" ", part))) if word]
        first, names = words[0] if words else "", [word for word in words[1:] if not word.startswith("-")]
        if first == "git" and names and names[0] in _GIT:
            yield ".git"
        elif first == "rm" and any(word.startswith("-") and "r" in word.lower() for word in words):
            yield from (name for name in names if PROGRAMS.known(_parts(name)))  # what is no file may be a folder
        elif first in _EACH or (first == "sed" and any(word.startswith("-i") for word in words)):
            yield from names if first != "sed" else names[-1:]
        elif first in _LAST:
            yield from (name for name in names[-1:] if PROGRAMS.known(_parts(name)))


def _plain(word: str) -> str:
    """A word without its quotes; empty where nobody can say what it is: behind a variable, or where an expression says
    in which folder it begins.
    """
    bare = word.strip("'\"")
    return "" if not bare or any(char in bare for char in "$*?'\"\\") or bare.startswith(("/", _OPEN)) else bare


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split("/") if part not in ("", "."))
