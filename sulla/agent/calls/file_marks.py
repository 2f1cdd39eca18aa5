"""Remembers which files were written by a run that had read what nobody trusts, so that reading them is no way around
the policy (design §9).

A mark is the file's path and the digest of what was written: once a person has changed the file, it is trusted again.
Folders are marked as well, since their names are words too. Marks are kept as lines of JSON in the home, which no tool
can write to. A mark is on the disk before the file is written; until it is known what was, any content counts.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import ALL, ANY, FOLDER, Seen, digest_of_file, look
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, Refused, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import Tool, ToolContext
from sulla.tools.paths import inside
from sulla.tools.policy import reach_of
from sulla.tools.program_files import PROGRAMS, ProgramFiles

MOST_MARKS: Final = 20_000
"""Marked files; with more of them the whole workspace is marked instead."""
MOST_WATCHED: Final = 50_000
"""Files and folders that are compared before and after a command; with more of them the whole workspace is marked."""
MOST_EACH: Final = 1_000
"""Files that one command may write to have a mark each; of more, those in a folder that it made have one for all."""
OUTPUTS: Final = ".sulla/outputs"
"""Where the rest of long results lies; never trusted by name, since a kill may come before one is marked."""


@dataclass(frozen=True, slots=True)
class FileTouch:
    """What a call is about to touch."""

    tainted: bool = False
    """Whether any of it is marked: then the result is tainted."""
    writes: tuple[Path, ...] = ()
    """The file that is marked once it is written, and the folders that are made for it."""
    watched: Mapping[str, Seen] | None = None
    """What lay in the workspace before a command that may write anywhere in it."""
    root: Path = Path()
    """The workspace."""
    read: Path | None = None
    """What is looked into."""
    every: bool = False
    """Whether all that is below it may be read, the rests of long results too."""


class FileMarks:
    """Keeps the marks of a home.

    Args:
        file: where they are kept.
        programs: says which files programs of the owner run.
    """

    def __init__(self, file: Path, programs: ProgramFiles = PROGRAMS) -> None:
        self._file = file
        self._programs = programs
        self._marks: dict[str, str] | None = None
        self._lines = 0
        self._at_work: dict[str, int] = {}
        """Commands that may write anywhere in a workspace, by workspace."""
        self._lock = threading.Lock()  # held by the threads: a call that is cut off cannot stop its own

    async def before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        """Look at what a call touches, and mark what it is about to write.

        Raises:
            CorruptRecord: the marks cannot be read.
        """
        return FileTouch() if tool.files == "none" else await asyncio.to_thread(self._before, tool, args, context)

    async def tainted(self, touch: FileTouch) -> bool:
        """Whether what a call has read by now is not to be trusted: others may have written to it while it was made."""
        return touch.tainted or (touch.read is not None and await asyncio.to_thread(self._again, touch.read, touch))

    async def mistrusted(self, file: Path, workspace: Path) -> bool:
        """Whether a file is as a run left it that had read what nobody trusts.

        Args:
            file: which.
            workspace: where commands write.

        Raises:
            CorruptRecord: the marks cannot be read.
        """
        touch = await asyncio.to_thread(lambda: FileTouch(root=workspace.resolve(), read=file.resolve()))
        return await self.tainted(touch)

    async def after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        """Mark what the call has written.

        Args:
            touch: what `before` said.
            rest: where the rest of its result lies if that was long, and is not to be trusted.

        Returns:
            Where below the workspace a command has made or changed what programs of the owner run.
        """
        if touch.writes or touch.watched is not None or rest is not None:
            return await asyncio.to_thread(self._after, touch, rest)
        return ()

    @asynccontextmanager
    async def writing(self, file: Path, *, tainted: bool) -> AsyncIterator[None]:
        """While the daemon itself writes a file: mark it if the words are not to be trusted, or if it was marked, so
        that a change of ours does not make somebody else's words trusted.

        Args:
            file: what is written.
            tainted: whether the new words may repeat what nobody trusts.

        Raises:
            CorruptRecord: the marks cannot be read.
            Refused: they cannot be written.
        """
        touch = await asyncio.to_thread(self._before_writing, file, tainted)
        try:
            yield
        finally:
            await self.after(touch, None)

    # ------------------------------------------------------------------------------------------- on a worker thread

    def _before_writing(self, file: Path, tainted: bool) -> FileTouch:
        with self._lock:
            file = file.resolve()
            if not (tainted or self._is_marked(file, file.parent)):
                return FileTouch()
            self._put({str(file): ANY})
            return FileTouch(True, (file,))

    def _before(self, tool: Tool, args: FrozenJson, context: ToolContext) -> FileTouch:
        with self._lock:
            root = context.workspace.resolve()
            if tool.files == "all":
                outward = reach_of(tool, args, context) == "outward"  # it may have fetched what it writes
                return self._before_command(root, outside=outward or context.tainted)
            try:
                target = _target(tool, args, context, root)
            except (SullaError, KeyError, TypeError, ValueError):
                return FileTouch()  # the tool will say the same, and touch nothing
            marked = self._is_marked(target, root)
            if tool.effect == "pure" or not (context.tainted or marked):
                return FileTouch(marked, root=root, read=target)
            made = tuple(folder for folder in target.parents if root in folder.parents and not folder.exists())
            self._put({str(target): ANY} | {str(folder): FOLDER for folder in made})
            return FileTouch(marked, (target, *made), None, root, target)

    def _before_command(self, root: Path, *, outside: bool) -> FileTouch:
        if not (outside or self._is_marked(root, root, every=True)):
            return FileTouch(root=root, read=root, every=True)
        key = str(root)
        if self._load().get(key) != ALL:
            self._put({key: ANY})
        self._at_work[key] = self._at_work.get(key, 0) + 1
        return FileTouch(True, (), look(root, MOST_WATCHED), root)

    def _again(self, read: Path, touch: FileTouch) -> bool:
        with self._lock:
            return self._is_marked(read, touch.root, every=touch.every)

    def _after(self, touch: FileTouch, rest: Path | None) -> Sequence[str]:
        with self._lock:
            obeyed: Sequence[str] = ()
            changes = {} if rest is None else {str(rest.resolve()): digest_of_file(rest)}
            changes |= {str(path): digest_of_file(path) for path in touch.writes}
            if touch.watched is not None:
                changed, now = _changed(touch.root, touch.watched)
                changes |= self._after_command(touch.root, touch.watched, changed, now)
                below = (str(Path(path).relative_to(touch.root)) for path in changed)
                obeyed = [path for path in below if self._programs.reader(Path(path).parts)]
            if changes:
                self._put(changes)
            return obeyed

    def _after_command(
        self, root: Path, watched: Mapping[str, Seen], changed: Sequence[str], now: int
    ) -> dict[str, str | None]:
        key = str(root)
        made = _made(changed, watched) if len(changed) > MOST_EACH else frozenset[str]()
        each = (path for path in changed if not any(str(above) in made for above in Path(path).parents))
        changes = {path: digest_of_file(Path(path)) for path in each} | dict.fromkeys(made, ALL)
        if max(now, len(watched)) > MOST_WATCHED:
            changes[key] = ALL  # nobody can say what of it was written
        left = self._at_work.pop(key, 1) - 1
        if left:
            self._at_work[key] = left
        elif ALL not in (changes.get(key), self._load().get(key)):
            return {**changes, key: None}
        return dict(changes)

    def _is_marked(self, target: Path, root: Path, *, every: bool = False) -> bool:
        """Whether a file, or anything in a folder, is as an untrusted run left it.

        Args:
            target: the file or folder.
            root: the workspace.
            every: whether the rests of long results count too where they lie below `target`: who looks through a
                folder is not shown them, but a command may read them.
        """
        marks, rests = self._load(), (root / OUTPUTS).parent
        if target.is_relative_to(rests):
            return True
        if any(marks.get(str(above)) in (ANY, ALL) for above in (root, *target.parents)):
            return True
        below = f"{target}{os.sep}"
        found = [path for path in marks if path == str(target) or path.startswith(below)]
        return any(_holds(marks[path], path) for path in found if every or not Path(path).is_relative_to(rests))

    def _load(self) -> dict[str, str]:
        if self._marks is None:
            marks, lines = dict[str, str](), 0
            with suppress(FileNotFoundError), self._file.open("rb") as file:
                for line in file:
                    # A torn line is the last one; nothing may be written behind it.
                    lines += 1 if line.endswith(b"\n") else 2 * MOST_MARKS + 1
                    _apply(marks, _parse(line, self._file))
            self._marks, self._lines = marks, lines
            self._settle(marks)
        return self._marks

    def _settle(self, marks: Mapping[str, str]) -> None:
        """Mark what is there, where a daemon was killed in the middle of a write: what comes later is not its work."""
        found: dict[str, str | None] = {}
        for path in [path for path, digest in marks.items() if digest == ANY]:
            if not Path(path).is_dir():
                found[path] = digest_of_file(Path(path))
            elif len(there := look(Path(path), MOST_WATCHED)) > MOST_WATCHED:
                found[path] = ALL
            else:
                found |= {path: None} | {below: digest_of_file(Path(below)) for below in there}
        if found:
            self._put(found)

    def _put(self, changes: Mapping[str, str | None]) -> None:
        """Set marks, or take them away (None); on the disk when this returns."""
        marks = self._load()
        _apply(marks, changes)
        if len(marks) > MOST_MARKS:
            self._write_anew({path: digest for path, digest in marks.items() if _holds(digest, path)})
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


def _changed(root: Path, watched: Mapping[str, Seen]) -> tuple[list[str], int]:
    """What was made or written since a workspace was looked at, and how much there is in it now."""
    now = look(root, MOST_WATCHED)
    return [path for path, seen in now.items() if watched.get(path) != seen], len(now)


def _made(changed: Sequence[str], watched: Mapping[str, Seen]) -> frozenset[str]:
    """The topmost folders that are new, e.g. one full of what was installed."""
    new = {path for path in changed if path not in watched and Path(path).is_dir() and not Path(path).is_symlink()}
    return frozenset(path for path in new if str(Path(path).parent) not in new)


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


def _holds(mark: str, path: str) -> bool:
    """Whether something is still as it was when it was marked; one that cannot be looked at is."""
    now = digest_of_file(Path(path))
    return mark == ANY or now in (mark, ANY) or (mark == ALL and now == FOLDER)


def _append(file: Path, changes: Mapping[str, str | None]) -> None:
    raw = json.dumps(dict(changes)).encode() + b"\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            if os.write(handle, raw) < len(raw):
                os.ftruncate(handle, size)  # half a line would spoil the one behind it
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise Refused(f"{file} cannot be written, so no file can be marked: {error.strerror}") from error
