"""What a person and a model are told of changes that are held back. Nothing here changes a file."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sulla.tools.paths import printable
from sulla.tools.shell.changes import Change
from sulla.tools.shell.judging import JudgedChange
from sulla.tools.shell.layer import Layer

MOST_ASKED: Final = 300
"""Files that a person is asked about at once, each by its name."""
MOST_NAMED: Final = 20
"""Files that are named where nobody has to allow them, or to a model."""
MOST_SHOWN: Final = 12_000
"""Characters of changes that a person is shown with the question, of files that programs may obey."""
MOST_BESIDE: Final = 1_000
"""Of them for files that nobody has to allow."""
MOST_READ: Final = 65_536
"""Bytes of a file whose change is shown line by line."""
GIT_RECORDS: Final = frozenset(
    {"objects", "logs", "refs", "index", "COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD", "packed-refs"}
)
"""What lies in a folder of git and holds commits or names them: nothing in it is run, and nobody can read it."""


_QUESTION: Final = (
    "Put into the workspace what a command has changed? The conversation holds text from outside that may have asked "
    "for this."
)


def is_record(change: Change) -> bool:
    """Whether it is one of git's records, or one of the examples that it puts beside its hooks and never runs."""
    if ".git" not in change.parts or change.kind == "link" or (change.runs and not change.path.endswith(".sample")):
        return False  # through a link git would write elsewhere
    match change.parts[change.parts.index(".git") + 1 :]:
        case ("objects", "info", *more):
            return not more or more[0] == "packs"
        case (name, *_) if name in GIT_RECORDS:
            return True
        case ("hooks", name):
            return name.endswith(".sample")
    return False


def repository_of(change: Change) -> str:
    """The folder below the workspace to which a record belongs; empty for the workspace itself."""
    return "/".join(change.parts[: change.parts.index(".git")])


def question_of(layer: Layer, changes: Sequence[JudgedChange]) -> tuple[str, str]:
    """What a person is asked: every file that programs may obey, and how texts would change, in lines.

    Args:
        layer: holds them.
        changes: all of one command.

    Returns:
        What has to be allowed, which comes first; and how the other files would change, which comes behind all else.
    """
    asked = [one for one in changes if one.why and not is_record(one.change)]
    records = sum(is_record(one.change) for one in changes)
    others = [
        one.change
        for one in changes
        if not one.why and one.change.kind != "odd" and not (one.change.same and one.change.refused)
    ]
    lines = [
        _QUESTION,
        *(f"{_how(one.change)} {_name(one.change)}: {one.why}" for one in asked),
    ]
    if records:
        lines.append(f"{records} of git's records: commits, and what names them")
    if others:
        lines.append(f"with them {_listed([f'{_how(one)} {_name(one)}' for one in others])}")
    first = _shown(layer, [one.change for one in asked], MOST_SHOWN)
    return "\n".join([*lines, *first]), "\n".join(_shown(layer, others, MOST_BESIDE))


def named(changes: Sequence[Change]) -> str:
    """The names of some changes, for a model."""
    return _listed([printable(change.path) for change in changes])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if names[MOST_NAMED:] else "")


def _how(change: Change) -> str:
    if change.kind == "gone":
        return "removed"
    how = "new" if change.is_new else "changed"
    if change.kind in ("folder", "link"):
        return f"{how} {change.kind}"
    return f"{how}, can be run:" if change.runs else how


def _name(change: Change) -> str:
    return spelled(printable(change.path))


def _shown(layer: Layer, changes: Sequence[Change], most: int) -> Iterator[str]:
    """How texts would change, line by line; what is not shown is named."""
    left, unseen = most, list[Change]()
    for change in (one for one in changes if one.kind in ("file", "link", "gone")):
        place = Path(layer.workspace, *change.parts)
        if change.kind == "gone" and place.is_dir() and not place.is_symlink():
            yield f"== {_name(change)}: a folder with {_files_in(place)} files, which is removed"
            continue
        before, after = _lines(place), [] if change.kind == "gone" else _lines(layer.upper.joinpath(*change.parts))
        if before is None or after is None:
            yield f"== {_name(change)}: {change.size:,} bytes that are no text, or too long to be shown"
            continue
        lines = [spelled(line) for line in difflib.unified_diff(before, after, lineterm="", n=1)][2:]
        if (size := sum(map(len, lines))) > left:
            unseen.append(change)
            continue
        left -= size
        if lines:
            yield f"== {_name(change)}"
            yield from lines
    if unseen:
        yield f"== not shown, because it is too much: {_listed([_name(change) for change in unseen])}"


def _files_in(folder: Path) -> str:
    count = sum(len(files) for _, (_, _, files) in zip(range(MOST_NAMED * 50), os.walk(folder), strict=False))
    return f"{count:,}"


def _lines(file: Path) -> list[str] | None:
    """Those of a short text; None for what is none, nothing for what is not there."""
    if file.is_symlink():
        return [f"a link to {file.readlink()}"]
    if not file.exists():
        return []
    if not file.is_file() or file.stat().st_size > MOST_READ:
        return None
    raw = file.read_bytes()
    try:
        return None if b"\0" in raw else raw.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None


def spelled(line: str) -> str:
    """A line of a text, of which nothing can be taken for another line or a control, also where questions are one."""
    plain = "".join(char if char.isprintable() or char == "\t" else repr(char)[1:-1] for char in line)
    return plain.replace("\\", "\\\\")
