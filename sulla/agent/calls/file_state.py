"""What lies in a folder that hostile commands write to, told so that it can be compared.

What is there may be made to do harm to whoever looks at it: nothing here follows a link, waits for a pipe, reads a file
of any length, or takes in a folder of any size.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

MAX_DIGESTED: Final = 4 * 1024 * 1024
"""Bytes of a file that is known by its content; a longer one is known by its length and when it was written."""

ANY: Final = ""
"""The digest of a file of which it is not known what was written; of a folder, with all that is in it."""
FOLDER: Final = "folder"
"""Instead of a digest, for a folder: its name alone."""
ALL: Final = "all"
"""Instead of a digest, for a folder: with all that is in it, for as long as it is there."""

Seen = tuple[int, int, int]
"""What changes when a file is written: its number, its length and when that was."""

_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def digest_of_file(path: Path) -> str | None:
    """What a file holds now, in short; None if there is none (any more), `ANY` if nobody can see."""
    try:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            return FOLDER if os.access(path, os.R_OK | os.X_OK) else ANY
        if stat.S_ISLNK(status.st_mode):
            return f"link:{_hash(os.fsencode(path.readlink()))}"
        if not stat.S_ISREG(status.st_mode):
            return f"special:{status.st_mode}"
        if status.st_size > MAX_DIGESTED:
            return f"long:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"
        with os.fdopen(os.open(path, _OPEN), "rb") as file:
            return _hash(file.read(MAX_DIGESTED + 1))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ANY


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


def _seen(entry: os.DirEntry[str]) -> Seen:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return (0, 0, 0)  # gone, or not to be looked at
    if stat.S_ISDIR(status.st_mode):
        return (status.st_ino, 0, 0)  # it changes with what is in it; what counts is its name
    return (status.st_ino, status.st_size, status.st_ctime_ns)
