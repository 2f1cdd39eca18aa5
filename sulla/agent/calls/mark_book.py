"""A file of marks: which files of a workspace were written by runs that had read what nobody trusts, a line of JSON
for each change."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import ALL, ANY, FOLDER
from sulla.agent.calls.fingerprints import Fingerprints, pack, unpack
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, Refused

MOST_MARKS: Final = 20_000
"""Marked files; with more of them the folder that they all lie in is marked instead."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""What a file of marks may grow by before it is written anew without what holds no more."""
MOST_WORDS: Final = 400_000
"""Fingerprints that all marks may have together, some 5 MB in the file. Beyond them any content of a newly marked file
counts as somebody else's."""


CONTENT: Final = "../content:"
"""Begins what stands instead of a path for a content that is marked wherever it lies, with its digest behind: a person
may have moved or copied the file. No path of a mark begins so, neither a whole one nor one below a workspace."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of a marked file or folder."""

    digest: str
    """Of what was written, `ANY`, or what stands for a folder (`file_state`)."""
    named: bool = True
    """Whether its name is somebody else's as well: marks of before do not say."""
    words: Fingerprints | None = frozenset()
    """What of its words is from outside; None if that is too much, so that any words there are."""
    since_ns: int = 0
    """For a folder with a command at work in it: what was changed before that (``st_ctime_ns``) is not its work."""
    wherever: bool = field(default=False, compare=False)
    """Whether its content is to be marked wherever it lies, once the mark is set."""

    @property
    def old(self) -> bool:
        """Whether it was written down when nothing but a digest was."""
        return self.since_ns < 0


Changes = Mapping[str, Mark | None]
"""Marks that are set, by path, and those that are taken away (None)."""


class MarkBook:
    """The marks that this home has set. Not safe for several threads at once.

    Args:
        file: where they are kept; it is made with the first one.
        holds: says whether something is still as it was when it was marked.
        told: is told of every change once it is on the disk, and whether these are all marks there are.
    """

    def __init__(self, file: Path, holds: Callable[[Mark, str], bool], told: Callable[[Changes, bool], None]) -> None:
        self._file = file
        self._holds = holds
        self._told = told
        self._marks: dict[str, Mark] | None = None
        self._room = MOST_BYTES
        self._lines = 0

    @property
    def opened(self) -> bool:
        """Whether the marks have been read."""
        return self._marks is not None

    def marks(self) -> dict[str, Mark]:
        """All marks by path; to be changed with `put` alone.

        Raises:
            CorruptRecord: the file holds something else.
        """
        if self._marks is None:
            marks, lines, torn = dict[str, Mark](), 0, False
            with suppress(FileNotFoundError), self._file.open("rb") as file:
                for line in file:
                    lines, torn = lines + 1, not line.endswith(b"\n")
                    apply(marks, parse(line, self._file))
            self._marks, self._lines = marks, lines
            self._room = -1 if torn else MOST_BYTES  # nothing may be written behind half a line
        return self._marks

    def put(self, changes: Changes) -> None:
        """Set marks, or take them away; on the disk when this returns.

        Raises:
            Refused: they cannot be written.
        """
        marks = self.marks()
        changes = self._bounded(changes) | _listed(changes)
        apply(marks, changes)
        contents = [path for path in marks if path.startswith(CONTENT)]
        if len(contents) > MOST_MARKS:
            for oldest in contents[: len(contents) - MOST_MARKS // 2]:
                del marks[oldest]
            self._write_anew(marks)
        elif len(marks) - len(contents) > MOST_MARKS:
            self._write_anew({path: mark for path, mark in marks.items() if self._holds(mark, path)})
        elif self._lines > 2 * MOST_MARKS or self._room < 0:
            self._write_anew(marks)
        else:
            self._room -= append(self._file, changes)
            self._lines += 1
            self._told(changes, False)

    def _bounded(self, changes: Changes) -> dict[str, Mark | None]:
        kept = sum(len(mark.words or ()) for path, mark in self.marks().items() if path not in changes)
        more = sum(len(mark.words or ()) for mark in changes.values() if mark is not None)
        if kept + more <= MOST_WORDS:
            return dict(changes)
        return {path: mark and replace(mark, words=None) for path, mark in changes.items()}

    def _write_anew(self, marks: dict[str, Mark]) -> None:
        contents = {path: mark for path, mark in marks.items() if path.startswith(CONTENT)}
        if len(marks) - len(contents) > MOST_MARKS:
            marks = {os.path.commonpath(marks.keys() - contents.keys()): Mark(ALL)} | contents
        write_anew(self._file, marks)
        self._marks, self._lines, self._room = marks, 1, MOST_BYTES
        self._told(marks, True)


def of_content(marks: Mapping[str, Mark], digest: str) -> Mark | None:
    """The mark of a content that is marked wherever it lies.

    Args:
        marks: all of a home.
        digest: of the content.
    """
    return marks.get(f"{CONTENT}{digest}")


def _listed(changes: Changes) -> dict[str, Mark | None]:
    """The marks of contents; of their words nothing is kept, since that would take as much room once more."""
    found = (mark.digest for mark in changes.values() if mark is not None and mark.wherever)
    return {f"{CONTENT}{digest}": Mark(digest, named=False, words=None) for digest in found}


def apply(marks: dict[str, Mark], changes: Changes) -> None:
    """Change marks.

    Args:
        marks: what is changed.
        changes: how.
    """
    for path, mark in changes.items():
        if mark is None:
            marks.pop(path, None)
        else:
            marks[path] = mark


def parse(line: bytes, file: Path) -> Changes:
    """What a line says; nothing if it is half a line: a kill came in the middle, and what it marks was not written yet.

    Args:
        line: as it stands in the file.
        file: which.

    Raises:
        CorruptRecord: it is no such line.
    """
    try:
        return {str(path): _mark(said) for path, said in json.loads(line).items()}
    except (ValueError, AttributeError, KeyError, TypeError):
        if not line.endswith(b"\n"):
            return {}
    raise CorruptRecord(
        f"{file}: a line of it is not what was written, so nobody knows which files can be trusted: look through "
        "the workspace, then remove this file"
    )


def _mark(said: object) -> Mark | None:
    match said:
        case None:
            return None
        case str():  # as all were written once
            return Mark(said) if said in (ANY, ALL, FOLDER) else Mark(said, words=None, since_ns=-1)
        case {
            "digest": str(digest),
            "named": bool(named),
            "words": str() | None as words,
            "since_ns": int(since_ns),
            **more,
        }:
            known = None if words is None else unpack(words)
            # Before contents were marked, nothing said whether this one is.
            unlisted = "listed" not in more and digest not in (ANY, ALL, FOLDER) and known != frozenset()
            return Mark(digest, named, known, since_ns, wherever=unlisted)
        case _:
            raise ValueError


def _told(mark: Mark | None) -> object:
    if mark is None:
        return None
    words = None if mark.words is None else pack(mark.words)
    return {"digest": mark.digest, "named": mark.named, "words": words, "since_ns": mark.since_ns, "listed": True}


def append(file: Path, changes: Changes, mode: int = 0o600) -> int:
    """Write changes behind what a file holds; on the disk when this returns.

    Args:
        file: which; it is made if there is none, with its folders.
        changes: what is written.
        mode: who may read it, if it is made.

    Returns:
        How many bytes were written.

    Raises:
        Refused: it cannot be written.
    """
    raw = json.dumps({path: _told(mark) for path, mark in changes.items()}).encode() + b"\n"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
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
    return len(raw)


def write_anew(file: Path, marks: Changes, mode: int = 0o600) -> None:
    """Write all marks there are in one step. Arguments and errors as in `append`."""
    beside = file.with_suffix(".new")
    beside.unlink(missing_ok=True)
    append(beside, marks, mode)
    beside.replace(file)


def is_covering(mark: Mark | None) -> bool:
    """Whether a folder's mark is one for all that is in it."""
    return mark is not None and mark.digest in (ANY, ALL)
