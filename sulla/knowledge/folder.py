"""What lies in the home's folder `knowledge/`: which files are read, and which are not and why."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, NotFound, SullaError
from sulla.tools.paths import open_at, open_folder, printable, translated

KNOWLEDGE: Final = "knowledge"
"""The folder of a home."""
MAX_DEPTH: Final = 8
"""Folders below the folder."""
MAX_SCANNED: Final = 20_000
"""Entries of the folder and all below it that are looked at."""

Kind = Literal["markdown", "text", "html", "pdf"]
KINDS: Final[dict[str, Kind]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
}
"""How each file is read, by the ending of its name."""

Stamp = tuple[int, int, int, int]
"""A file's size, place on the disk and times of change: the same as long as nobody wrote to it."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be read, as far as its name says."""

    path: str
    """Within the folder, ``/`` between names."""
    kind: Kind
    stamp: Stamp

    @property
    def size_bytes(self) -> int:
        """How long it is."""
        return self.stamp[0]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in the folder that no answer comes from."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class FolderLook:
    """The folder at one moment."""

    files: tuple[FoundFile, ...] = ()
    """By path."""
    left_out: tuple[LeftOut, ...] = ()


def look(folder: Path) -> FolderLook:
    """See what lies in the folder. Nothing is opened but folders, no link is followed, and what is hidden is passed
    over. It blocks.

    Args:
        folder: the home's; nothing lies in one that is not there.
    """
    if folder.is_symlink():
        return FolderLook(left_out=(LeftOut(".", "the folder is a link, and none is followed: put the folder there"),))
    files: list[FoundFile] = []
    left_out: list[LeftOut] = []
    for entry in _walk(folder):
        if isinstance(entry, LeftOut):
            left_out.append(entry)
        else:
            files.append(entry)
    return FolderLook(tuple(sorted(files, key=_path)), tuple(sorted(left_out, key=_path)))


def read_bytes(folder: Path, file: FoundFile) -> bytes:
    """A file as it is.

    Args:
        folder: the home's.
        file: what was found there.

    Raises:
        Conflict: it has changed since it was found.
        PathEscape, InvalidInput, NotFound, Refused: it is no file any more, or cannot be read.
    """
    above, _, name = file.path.rpartition("/")
    with open_folder(folder, above or ".") as fd, translated(file.path), open_at(fd, name, file.path) as opened:
        is_same = stamp_of(os.fstat(opened.fileno())) == file.stamp
        raw = opened.read(file.size_bytes + 1) if is_same else b""
    if not is_same or len(raw) != file.size_bytes:
        raise Conflict(f"{file.path!r} was written to while it was looked at: it is read again at the next question")
    return raw


def stamp_of(status: os.stat_result) -> Stamp:
    """What tells whether a file has changed, without reading it."""
    return (status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


def _path(entry: FoundFile | LeftOut) -> str:
    return entry.path


def _walk(folder: Path) -> Iterator[FoundFile | LeftOut]:
    ahead, room = [("", 0)], MAX_SCANNED
    while ahead:
        below, depth = ahead.pop()
        try:
            with open_folder(folder, below or ".") as fd, translated(below or KNOWLEDGE), os.scandir(fd) as entries:
                found = list(islice(entries, room + 1))
                room -= len(found)
                judged = [_judged(entry, below, depth) for entry in found if not entry.name.startswith(".")]
        except NotFound:
            continue  # it is not there, or not any more
        except SullaError as error:
            yield LeftOut(below or ".", f"cannot be looked into: {error.message}")
            continue
        for one in judged:
            if isinstance(one, str):
                ahead.append((one, depth + 1))
            elif one is not None:
                yield one
        if room < 0:
            said = f"only {MAX_SCANNED} files and folders are looked at: move what is no knowledge elsewhere"
            yield LeftOut(below or ".", said)
            return


def _judged(entry: os.DirEntry[str], below: str, depth: int) -> FoundFile | LeftOut | str | None:
    """A file, why it is none, or the path of a folder to go on with; None for what has gone meanwhile."""
    path = f"{below}/{entry.name}" if below else entry.name
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not entry.name.isprintable():
        return LeftOut(printable(path), "has a name that cannot be shown: call it otherwise")
    if stat.S_ISDIR(status.st_mode):
        return path if depth < MAX_DEPTH else LeftOut(path, f"lies more than {MAX_DEPTH} folders deep: move it up")
    if not stat.S_ISREG(status.st_mode):
        return LeftOut(path, "is a link or no file at all: put the file itself there")
    kind = KINDS.get(Path(entry.name).suffix.lower())
    if kind is None:
        return LeftOut(path, f"is of a kind that is not read; what is read ends in {', '.join(KINDS)}")
    return FoundFile(path, kind, stamp_of(status))
