"""A folder of small files that is read as a whole, so that what is judged by its digest is what is used."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, TooLarge

MAX_FILES: Final = 200
MAX_FILE_BYTES: Final = 1024 * 1024
MAX_BYTES: Final = 8 * 1024 * 1024
"""Of all files together."""

MAX_DEPTH: Final = 6
"""Folders below the folder."""

Signature = tuple[tuple[str, int, int, int, int], ...]
"""Each file's path, size, place on the disk and times of change: the same as long as nobody wrote to any of them."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a skill's folder at one moment."""

    files: dict[str, bytes]
    """By path from the folder, ``/`` between names, in order."""
    digest: str
    """``sha256:…`` over all paths and contents."""

    def text(self, path: str) -> str:
        """A file as text.

        Raises:
            NotFound: there is no such file.
            InvalidInput: it is not UTF-8 text.
        """
        try:
            return self.files[path].decode("utf-8-sig")
        except KeyError:
            raise NotFound(f"there is no file {path[:200]!r}; there are: {', '.join(self.files)[:1000]}") from None
        except UnicodeDecodeError:
            raise InvalidInput(f"{path} is not text: {len(self.files[path])} bytes that are not UTF-8") from None


def signature(folder: Path) -> Signature:
    """What tells whether a folder has changed, without reading any file.

    Raises:
        InvalidInput, TooLarge, OSError: as `read_bundle`.
    """
    found = _found(folder)
    return tuple((path, of.st_size, of.st_ino, of.st_mtime_ns, of.st_ctime_ns) for path, of in found)


def read_bundle(folder: Path) -> Bundle:
    """Read every file.

    Raises:
        TooLarge: there are too many, or they are too long or too deep.
        InvalidInput: there is a link, a device, a pipe or a socket among them: what it leads to can change unnoticed.
        OSError: something cannot be read.
    """
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    for path, _ in _found(folder):
        data = _read(folder / path, path)
        left -= len(data)
        if left < 0:
            raise TooLarge(f"the files have more than {MAX_BYTES} bytes in all")
        files[path] = data
    digest = hashlib.sha256()
    for path, data in files.items():
        name = path.encode()
        digest.update(b"%d %d\n" % (len(name), len(data)) + name + data)
    return Bundle(files, f"sha256:{digest.hexdigest()}")


def _found(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Every file, in order."""
    found: list[tuple[str, os.stat_result]] = []
    for path, status in _walk(folder, "", 0):
        found.append((path, status))
        if len(found) > MAX_FILES:
            raise TooLarge(f"there are more than {MAX_FILES} files")
    return sorted(found, key=lambda entry: entry[0])


def _walk(folder: Path, below: str, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    if depth > MAX_DEPTH:
        raise TooLarge(f"{below!r} is more than {MAX_DEPTH} folders deep")
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number > MAX_FILES:
                raise TooLarge(f"there are more than {MAX_FILES} files")
            path, status = below + entry.name, entry.stat(follow_symlinks=False)
            if not path.isprintable():
                raise InvalidInput(f"{path!r} has a name that cannot be shown: call it otherwise")
            if stat.S_ISDIR(status.st_mode):
                if entry.name not in (".git", "__pycache__"):
                    yield from _walk(folder / entry.name, f"{path}/", depth + 1)
            elif not stat.S_ISREG(status.st_mode):
                raise InvalidInput(f"{path!r} is a link or no file at all: put the file itself there")
            else:
                yield path, status


def _read(file: Path, path: str) -> bytes:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise InvalidInput(f"{path!r} is no file any more")
        data = opened.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise TooLarge(f"{path!r} is longer than {MAX_FILE_BYTES} bytes")
    return data
