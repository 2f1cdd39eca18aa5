"""The newest lines of a log that lies in several files, read from the end, a bounded piece at a time. It blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, Generic, NamedTuple, TypeVar

from sulla.core.dataclass import dataclass

LOOKED_BYTES: Final = 4 * 1024 * 1024
"""How far one look goes back: some 20,000 entries, and a tenth of a second."""
_BLOCK: Final = 64 * 1024
T = TypeVar("T")


class Place(NamedTuple):
    """Where a line begins: what lies before it is older. It stays what it is when files are moved."""

    inode: int
    """Of the file."""
    offset: int


@dataclass(frozen=True, slots=True)
class Tail(Generic[T]):
    """What was found, the newest first."""

    found: tuple[T, ...]
    next: Place | None
    """Behind which the next look goes on; None where nothing is left."""


def look_back(
    path: Path, before: Place | None, read: Callable[[bytes], T | None], take: Callable[[T], bool]
) -> Tail[T]:
    """Go through lines from the newest to the oldest.

    Args:
        path: the newest file; ``<name>.1`` is older, ``<name>.2`` older still.
        before: where the look before this one ended; None for the end of the log.
        read: makes an entry of a line; None for one that nobody wants.
        take: told of each entry; whether there is room for it. The first one for which there is none ends the look.

    Raises:
        OSError: a file cannot be read.
    """
    found: list[T] = []
    looked, at = 0, before
    for place, line in _lines(path, before):
        entry = read(line)
        if entry is not None:
            if not take(entry):
                return Tail(tuple(found), at)
            found.append(entry)
        looked, at = looked + len(line) + 1, place
        if looked >= LOOKED_BYTES:
            return Tail(tuple(found), at)
    return Tail(tuple(found), None)


def _lines(path: Path, before: Place | None) -> Iterator[tuple[Place, bytes]]:
    """Whole lines with their places, the newest first. A half line at the end is one that is being written."""
    files = _files(path)
    if before is not None:
        # Where its file is gone, so is all that is older.
        newer = next((number for number, (_, inode) in enumerate(files) if inode == before.inode), len(files))
        files = files[newer:]
    for one, inode in files:
        with suppress(FileNotFoundError), one.open("rb") as file:  # removed in this moment, being the oldest
            inode = os.fstat(file.fileno()).st_ino
            end = before.offset if before is not None and before.inode == inode else file.seek(0, os.SEEK_END)
            for offset, line in _back(file, end):
                yield Place(inode, offset), line


def _back(file: BinaryIO, end: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines before a place, the last one first, each with where it begins."""
    rest, half = b"", True
    while end > 0:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        rest, *lines = (file.read(end - begin) + rest).split(b"\n")
        at = begin + len(rest) + sum(len(line) + 1 for line in lines)
        for line in reversed(lines):
            at -= len(line)
            if not half:
                yield at, line
            half = False  # what comes behind the last end of a line is one that is being written, or nothing
            at -= 1
        end = begin
    if rest and not half:
        yield 0, rest


def _files(path: Path) -> list[tuple[Path, int]]:
    """What there is, the newest first, each with what stays the same when it is renamed."""
    numbers = {0: path}
    for older in path.parent.glob(f"{path.name}.*"):
        number = older.name.removeprefix(f"{path.name}.")
        if number.isascii() and number.isdecimal():
            numbers[int(number)] = older
    found: list[tuple[Path, int]] = []
    for _, one in sorted(numbers.items()):
        with suppress(FileNotFoundError):
            found.append((one, one.stat().st_ino))
    return found
