"""What lies in a folder that hostile commands write to, told so that it can be compared.

What is there may be made to do harm to whoever looks at it: nothing here follows a link, waits for a pipe, reads a file
of any length, or takes in a folder of any size.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass

MAX_DIGESTED: Final = 4 * 1024 * 1024
"""Bytes of a file that is known by its content; a longer one is known by its length and when it was written."""

MAX_KEPT: Final = 16 * 1024 * 1024
"""Bytes of files that are kept while a command is at work, to tell what it has written: some 4,000 files, which take a
tenth of a second to be read."""
_EACH: Final = 4096
"""What a file counts at least: to open one takes as long as to read so many bytes."""
_BY_PROGRAMS: Final = ("/.git/", "/node_modules/", "/site-packages/", "/__pycache__/")
"""Folders of files that no person writes."""

ANY: Final = ""
"""The digest of a file of which it is not known what was written; of a folder, with all that is in it."""
FOLDER: Final = "folder"
"""Instead of a digest, for a folder: its name alone."""
ALL: Final = "all"
"""Instead of a digest, for a folder: with all that is in it, for as long as it is there."""

Seen = tuple[int, int, int]
"""What changes when a file is written: its number, its length and when that was."""

_LONG: Final = "long:"
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Content:
    """What there is at a path."""

    digest: str
    """In short; `ANY` if nobody can see."""
    raw: bytes | None = None
    """All of it, of a file that was read."""

    @property
    def text(self) -> str:
        """Its words; empty if it is no text."""
        return "" if self.raw is None or b"\0" in self.raw else self.raw.decode("utf-8", "replace")

    @property
    def too_long(self) -> bool:
        """Whether it is a file that is longer than is read."""
        return self.digest.startswith(_LONG)


def content_of(path: Path) -> Content | None:
    """What a path holds now; None if there is nothing (any more)."""
    try:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            return Content(FOLDER if os.access(path, os.R_OK | os.X_OK) else ANY)
        if stat.S_ISLNK(status.st_mode):
            return Content(f"link:{_hash(os.fsencode(path.readlink()))}")
        if not stat.S_ISREG(status.st_mode):
            return Content(f"special:{status.st_mode}")
        if status.st_size > MAX_DIGESTED:
            return Content(f"{_LONG}{status.st_ino}:{status.st_size}:{status.st_mtime_ns}")
        with os.fdopen(os.open(path, _OPEN), "rb") as file:
            return content(file.read(MAX_DIGESTED + 1))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return Content(ANY)


def content(raw: bytes) -> Content:
    """The same for what was read of a file already."""
    return Content(_hash(raw), raw)


def contents(found: Mapping[str, Seen]) -> dict[str, Content]:
    """What files hold before a command, the shortest first, until it is too much.

    Args:
        found: what was looked at (`look`).
    """
    kept: dict[str, Content] = {}
    left = MAX_KEPT
    written = ((size, path) for path, (_, size, changed) in found.items() if changed)
    for size, path in sorted(one for one in written if not any(part in one[1] for part in _BY_PROGRAMS)):
        left -= size + _EACH
        if left < 0:
            break
        if (there := content_of(Path(path))) is not None:
            kept[path] = there
    return kept


def _hash(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()


def look(root: Path, most: int) -> dict[str, Seen]:
    """What tells whether something was written, for all that is below a folder.

    Args:
        root: the folder.
        most: how many entries are looked at; one more is given if there are more.
    """
    found: dict[str, Seen] = {}
    ahead = [os.fspath(root)]
    while ahead:
        with suppress(OSError), os.scandir(ahead.pop()) as entries:
            for entry in entries:
                if len(found) > most:
                    return found
                found[entry.path] = _seen(entry)
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(entry.path)
    return found


def made_folders(changed: Sequence[str], watched: Mapping[str, Seen]) -> frozenset[str]:
    """The topmost folders that are new, e.g. one full of what was installed.

    Args:
        changed: what was made or written.
        watched: what was there before.
    """
    new = {path for path in changed if path not in watched and Path(path).is_dir() and not Path(path).is_symlink()}
    return frozenset(path for path in new if str(Path(path).parent) not in new)


def _seen(entry: os.DirEntry[str]) -> Seen:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return (0, 0, 0)  # gone, or not to be looked at
    if stat.S_ISDIR(status.st_mode):
        return (status.st_ino, 0, 0)  # it changes with what is in it; what counts is its name
    return (status.st_ino, status.st_size, status.st_ctime_ns)
