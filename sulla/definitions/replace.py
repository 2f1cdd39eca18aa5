"""Puts a file in the place of another that a person may be saving at this moment, and never loses what they save.

Editors save in two ways, and either can come between a look at a file and its replacement:

- They write another file and rename it. So ours and the one that is there change places in one step (renameat2(2)), and
  what came out is looked at: if it is not what was expected, the two change places again.
- They open the file itself, cut it off and write. So it is taken out only under a read lease (fcntl(2)), which is not
  given as long as anybody has it open for writing, and whoever opens it then has to wait until we have looked.

Two of us at once take turns: there is a lock on the folder. A file that a person saves within the same microseconds as
we do may be out of its place for some more; only a kill right then would leave it beside, under our draft's name. Where
a file system knows nothing of leases or of changing places, what the file holds is still compared before and after.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import BinaryIO, Final

EXCHANGE: Final = 2
"""``RENAME_EXCHANGE`` of renameat2(2)."""

Same = Callable[[BinaryIO], bool]
"""Whether a file holds what was expected; reads it from its beginning."""


@contextmanager
def turn(folder_fd: int) -> Iterator[None]:
    """Have the folder for us alone, among all who do this."""
    fcntl.flock(folder_fd, fcntl.LOCK_EX)  # held for one small write
    try:
        yield
    finally:
        fcntl.flock(folder_fd, fcntl.LOCK_UN)


@contextmanager
def lease(file: BinaryIO) -> Iterator[Callable[[], bool]]:
    """Keep a file from being opened for writing, for a moment.

    Yields:
        Whether nobody has it open for writing, nor waits to: True where leases are not known.
    """
    held = _lease(file)
    try:
        yield lambda: held is None or (held and fcntl.fcntl(file, fcntl.F_GETLEASE) == fcntl.F_RDLCK)
    finally:
        if held:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def swap(folder_fd: int, name: str, raw: bytes, old: BinaryIO, same: Same) -> bool:
    """Put a file in the place of another.

    Args:
        folder_fd: the folder, open; in a `turn`.
        name: what both are called.
        raw: what the new one holds.
        old: the other one, open for reading.
        same: whether it still is what was expected.

    Returns:
        False if somebody has written it, or is about to: what they saved is there.
    """
    was = os.fstat(old.fileno())
    beside, mine = write_beside(folder_fd, name, raw, stat.S_IMODE(was.st_mode))
    try:
        with lease(old) as alone:
            if not alone() or not same(old):
                return False
            try:
                exchange(folder_fd, beside, name)
            except FileNotFoundError:
                return False  # taken away, or about to be put there anew
            if _inode(folder_fd, beside) == was.st_ino and alone() and same(old):
                return True
            exchange(folder_fd, beside, name)
            if _inode(folder_fd, beside) != mine:
                exchange(folder_fd, beside, name)  # saved twice in that moment: the later one counts
            return False
    finally:
        os.unlink(beside, dir_fd=folder_fd)
        os.fsync(folder_fd)


def write_beside(folder_fd: int, name: str, raw: bytes, mode: int) -> tuple[str, int]:
    """Write a file that only has to be put in its place; its name and inode."""
    beside = f".{name}.sulla"
    with suppress(FileNotFoundError):
        os.unlink(beside, dir_fd=folder_fd)
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder_fd)
    with os.fdopen(fd, "wb") as file:
        file.write(raw)
        file.flush()
        os.fchmod(fd, mode)
        os.fsync(fd)
        return beside, os.fstat(fd).st_ino


def exchange(folder_fd: int, one: str, other: str) -> None:
    """Have two files of a folder change places, in one step.

    Raises:
        FileNotFoundError: one of them is not there.
    """
    renameat2 = _renameat2()
    code = errno.ENOSYS if renameat2 is None else renameat2(folder_fd, os.fsencode(one), os.fsencode(other))
    if code in (errno.ENOSYS, errno.EINVAL):  # not known here: then in three steps
        aside = f"{one}.aside"
        with suppress(FileNotFoundError):
            os.unlink(aside, dir_fd=folder_fd)
        os.link(other, aside, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
        os.rename(one, other, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
        os.rename(aside, one, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    elif code:
        raise OSError(code, os.strerror(code))


def _inode(folder_fd: int, name: str) -> int:
    return os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_ino


def _lease(file: BinaryIO) -> bool | None:
    """Whether it was given; None where it cannot be asked for."""
    try:
        # Whoever has to wait is told to us by a signal: by one that is ignored unless somebody listens.
        fcntl.fcntl(file, getattr(fcntl, "F_SETSIG", 10), signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return False if error.errno == errno.EAGAIN else None
    return True


@cache
def _renameat2() -> Callable[[int, bytes, bytes], int] | None:
    """The system's call, which Python does not have; it answers with an error's number, or 0."""
    import ctypes  # noqa: PLC0415 - only a change of a project needs it

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return None

    def renameat2(folder_fd: int, one: bytes, other: bytes) -> int:
        return ctypes.get_errno() if call(folder_fd, one, folder_fd, other, EXCHANGE) else 0

    return renameat2
