"""A file of lines that is moved out of the way when it is full; private, bounded, and whole after any crash."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from sulla.host.compaction import sync_folder
from sulla.journal.rotation import is_full, moves

log = logging.getLogger(__name__)

Write = Callable[[int, bytes], int]
"""`os.write`, or a double of it that fails."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class RotatingFile:
    """One current file and a few older ones, ``<name>.1`` being the newest of these.

    Everything here blocks. After an error nothing is known of the file's end: close it, and `open` looks at it again.

    Args:
        path: the current file; its folder exists.
        file_bytes: the most bytes that a file gets, unless a single line has more.
        keep_files: how many older files are kept.
        write: writes to an open file.
    """

    def __init__(self, path: Path, file_bytes: int, keep_files: int, write: Write = os.write) -> None:
        self.path = path
        self._file_bytes = file_bytes
        self._keep_files = keep_files
        self._write = write
        self._handle: int | None = None
        self._size = 0

    def open(self, take: Callable[[bytes], bool]) -> None:
        """Open the file or make it, and cut off what a crash left at its end.

        Args:
            take: is given each line in order, and says whether it is a whole one. What follows the first line that is
                not is cut off.

        Raises:
            OSError: it cannot be read or written.
        """
        handle = os.open(self.path, _FLAGS, 0o600)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "this is no ordinary file", str(self.path))
            os.fchmod(handle, 0o600)
            good = 0
            with os.fdopen(handle, "rb", closefd=False) as file:
                for raw in file:
                    if not take(raw):
                        self._put_aside(raw + file.read())
                        os.ftruncate(handle, good)
                        break
                    good += len(raw)
        except BaseException:
            os.close(handle)
            raise
        self._handle, self._size = handle, good

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            os.close(handle)

    @property
    def is_there(self) -> bool:
        """Whether the path still leads to the file that is open."""
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        mine = os.fstat(self._opened)
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def is_full_for(self, more_bytes: int, pending_bytes: int = 0) -> bool:
        """Whether it has to be rotated before so many bytes are added, behind others that are yet to be appended."""
        return is_full(self._size + pending_bytes, more_bytes, self._file_bytes)

    def append(self, data: bytes) -> None:
        """Add whole lines.

        Raises:
            OSError: part of them may have been written.
        """
        handle, rest = self._opened, memoryview(data)
        while rest:
            rest = rest[self._write(handle, bytes(rest)) :]
        self._size += len(data)

    def sync(self) -> None:
        """Return when the disk has it."""
        os.fsync(self._opened)

    def rotate(self) -> None:
        """Move the file out of the way and begin another."""
        self.close()
        todo = moves(self._numbers(), self._keep_files)
        for number in todo.remove:
            self._numbered(number).unlink()
        for number, higher in todo.rename:
            self._numbered(number).rename(self._numbered(higher))
        sync_folder(self.path.parent)
        self._handle, self._size = os.open(self.path, _FLAGS, 0o600), 0

    @property
    def _opened(self) -> int:
        if self._handle is None:
            raise OSError(errno.EBADF, "it is not open", str(self.path))
        return self._handle

    def _numbers(self) -> set[int]:
        names = (path.name.removeprefix(f"{self.path.name}.") for path in self.path.parent.glob(f"{self.path.name}.*"))
        return {int(name) for name in names if name.isascii() and name.isdigit() and name == str(int(name)) != "0"}

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}") if number else self.path

    def _put_aside(self, cut: bytes) -> None:
        """Half a line is all that a kill leaves. More than that was damaged otherwise: somebody may want to look."""
        if b"\n" not in cut:
            return
        aside = self.path.with_name(f"{self.path.name}.damaged")
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(cut)
        log.warning("%s was damaged; its end, from the first bad line on, is now in %s", self.path, aside)
