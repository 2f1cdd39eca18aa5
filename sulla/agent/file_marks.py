"""Remembers which files were written by a run that had read what nobody trusts, so that reading them is no way around
the policy (design §9).

A mark is the file's path and the digest of what was written: once a person has changed the file, it is trusted again.
Marks are kept as lines of JSON in the home, which no tool can write to. A mark is on the disk before the file is
written; until it is known what was, any content counts.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final

from sulla.core.errors import CorruptRecord, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools import Tool, ToolContext, inside

MOST_MARKS: Final = 20_000
"""Marked files; with more of them the whole workspace is marked instead."""
MOST_WATCHED: Final = 20_000
"""Files of a workspace that are compared before and after a command; with more of them all of it is marked."""
OUTPUTS: Final = ".sulla/outputs"
"""Where the rest of long results lies; never trusted by name, since a kill may come before one is marked."""

ANY: Final = ""
"""The digest of a file of which it is not known what was written."""

_Seen = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Touch:
    """What a call is about to touch."""

    tainted: bool = False
    """Whether any of it is marked: then the result is tainted."""
    writes: tuple[Path, ...] = ()
    """The file that is marked once it is written."""
    watched: Mapping[str, _Seen] | None = None
    """What lay in the workspace before a command that may write anywhere in it."""
    root: Path = Path()


class FileMarks:
    """Keeps the marks of a home.

    Args:
        file: where they are kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._marks: dict[str, str] | None = None
        self._lines = 0
        self._lock = asyncio.Lock()

    async def before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> Touch:
        """Look at what a call touches, and mark what it is about to write.

        Raises:
            CorruptRecord: the marks cannot be read.
        """
        if tool.files == "none":
            return Touch()
        async with self._lock:
            return await asyncio.to_thread(self._before, tool, args, context)

    async def after(self, touch: Touch, rest: Path | None) -> None:
        """Mark what the call has written.

        Args:
            touch: what `before` said.
            rest: where the rest of its result lies if that was long, and is not to be trusted.
        """
        if touch.writes or touch.watched is not None or rest is not None:
            async with self._lock:
                await asyncio.to_thread(self._after, touch, rest)

    # ------------------------------------------------------------------------------------------- on a worker thread

    def _before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> Touch:
        root = context.workspace.resolve()
        if tool.files == "all":
            dirty = context.tainted or self._is_marked(root, root)
            if not dirty:
                return Touch()
            self._put({str(root): ANY})
            return Touch(dirty, (), _look(root), root)
        try:
            target = _target(tool, args, context, root)
        except (SullaError, KeyError, TypeError, ValueError):
            return Touch()  # the tool will say the same, and touch nothing
        marked = self._is_marked(target, root)
        if tool.effect == "pure" or not (context.tainted or marked):
            return Touch(marked)
        self._put({str(target): ANY})
        return Touch(marked, (target,), None, root)

    def _after(self, touch: Touch, rest: Path | None) -> None:
        if rest is not None and rest.exists():
            self._put({str(rest.resolve()): _digest(rest)})
        if touch.watched is None:
            self._put({str(path): _digest(path) for path in touch.writes})
            return
        now = _look(touch.root)
        if len(now) > MOST_WATCHED:
            return  # the mark on the whole workspace stays
        changed = [path for path, seen in now.items() if touch.watched.get(path) != seen]
        self._put({path: _digest(Path(path)) for path in changed} | {str(touch.root): None})

    def _is_marked(self, target: Path, root: Path) -> bool:
        """Whether a file, or anything in a folder, is as an untrusted run left it."""
        marks = self._load()
        if target.is_relative_to(root / OUTPUTS):
            return True
        if any(str(above) in marks and marks[str(above)] == ANY for above in (root, *target.parents)):
            return True
        below = f"{target}{os.sep}"
        found = [path for path in marks if path == str(target) or path.startswith(below)]
        return any(marks[path] in (ANY, _digest(Path(path))) for path in found)

    def _load(self) -> dict[str, str]:
        if self._marks is None:
            marks, lines = dict[str, str](), 0
            with suppress(FileNotFoundError), self._file.open("rb") as file:
                for line in file:
                    # A torn line is the last one; nothing may be written behind it.
                    lines += 1 if line.endswith(b"\n") else 2 * MOST_MARKS + 1
                    _apply(marks, _parse(line, self._file))
            self._marks, self._lines = marks, lines
        return self._marks

    def _put(self, changes: Mapping[str, str | None]) -> None:
        """Set marks, or take them away (None); on the disk when this returns."""
        marks = self._load()
        _apply(marks, changes)
        if len(marks) > MOST_MARKS:
            self._write_anew({path: digest for path, digest in marks.items() if digest in (ANY, _digest(Path(path)))})
        elif self._lines > 2 * MOST_MARKS:
            self._write_anew(marks)
        else:
            _append(self._file, changes)
            self._lines += 1

    def _write_anew(self, marks: dict[str, str]) -> None:
        if len(marks) > MOST_MARKS:
            marks = {os.path.commonpath(marks): ANY}
        beside = self._file.with_suffix(".new")
        beside.unlink(missing_ok=True)
        _append(beside, marks)
        beside.replace(self._file)
        self._marks, self._lines = marks, 1


def _target(tool: Tool, args: FrozenJson, context: ToolContext, root: Path) -> Path:
    if callable(tool.files):
        return tool.files(args, context).resolve()
    path = args.get("path", ".")
    return inside(root, path) if isinstance(path, str) else root


def _apply(marks: dict[str, str], changes: Mapping[str, str | None]) -> None:
    for path, digest in changes.items():
        if digest is None:
            marks.pop(path, None)
        else:
            marks[path] = digest


def _parse(line: bytes, file: Path) -> dict[str, str | None]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        if not line.endswith(b"\n"):
            return {}  # a kill came in the middle of the line, and what it marks was not written yet
        raise CorruptRecord(
            f"{file}: a line of it is not what was written, so nobody knows which files can be trusted: look through "
            "the workspace, then remove this file"
        )
    return {str(path): digest for path, digest in found.items() if digest is None or isinstance(digest, str)}


def _append(file: Path, changes: Mapping[str, str | None]) -> None:
    raw = json.dumps(dict(changes)).encode() + b"\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, raw)
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest(path: Path) -> str | None:
    """Of what a file holds now; None if it is no file (any more)."""
    try:
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):
        return None


def _look(root: Path) -> dict[str, _Seen]:
    """What tells whether a file was written, for each file below a folder; one too many if there are too many."""
    found: dict[str, _Seen] = {}
    for path, stat in _files(root):
        found[path] = (stat.st_ino, stat.st_size, stat.st_ctime_ns)
        if len(found) > MOST_WATCHED:
            break
    return found


def _files(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    for folder, _, names in os.walk(root):
        for name in names:
            with suppress(FileNotFoundError):
                path = Path(folder, name)
                yield str(path), path.lstat()
