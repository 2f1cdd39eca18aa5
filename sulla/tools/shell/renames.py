"""The steps that a landing is made of (`tools.shell.landing`): files and folders kept, moved and copied by names that
follow no link."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sulla.core.errors import Refused
from sulla.tools.shell.layer import Layer

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How folders are opened."""


def refusal(path: str, error: OSError) -> Refused:
    """What is said where the system refuses something.

    Args:
        path: of what; shown.
        error: why.
    """
    return Refused(f"{path} cannot be put there: {os.strerror(error.errno or 0)}")


def can_move(layer: Layer) -> bool:
    """Whether what lies in the layer can be renamed into the workspace: both are below one mount.

    Raises:
        OSError: one of them cannot be looked at.
    """
    return _mount_of(str(layer.folder)) == _mount_of(layer.workspace)


def _mount_of(folder: str) -> str:
    opened_ = os.open(folder, FOLDER)
    try:
        lines = Path(f"/proc/self/fdinfo/{opened_}").read_text().splitlines()
    finally:
        os.close(opened_)
    return next(line for line in lines if line.startswith("mnt_id:"))


def status_of(name: str, at: int | None = None) -> os.stat_result | None:
    """What there is of a name, links not followed; None for nothing.

    Args:
        name: in a folder, or a whole path.
        at: the folder, open; None for a whole path.
    """
    with suppress(FileNotFoundError):
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    return None


def content_of(status: os.stat_result) -> tuple[int, ...]:
    """What changes when somebody writes a file, or puts another into its place."""
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns


def is_newer_below(folder: Path, closed_ns: int) -> bool:
    """Whether anything in a folder was made or changed after a time."""
    for at, folders, files in os.walk(folder):
        if any(os.lstat(Path(at, name)).st_ctime_ns > closed_ns for name in (*folders, *files)):
            return True
    return False


@contextmanager
def opened(top: int, parts: Sequence[str]) -> Iterator[int]:
    """A folder below another, which follows no link on the way there."""
    at = os.dup(top)
    try:
        for name in parts:
            below = os.open(name, FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


@contextmanager
def folder_opened(path: str) -> Iterator[int]:
    """A folder, open, by its whole path."""
    at = os.open(path, FOLDER)
    try:
        yield at
    finally:
        os.close(at)


@contextmanager
def writable(at: int) -> Iterator[None]:
    """Let us write into an open folder that keeps us from it, for a while.

    Raises:
        OSError: it is somebody else's.
    """
    mode = stat.S_IMODE(os.fstat(at).st_mode)
    os.fchmod(at, mode | stat.S_IRWXU)
    try:
        yield
    finally:
        os.fchmod(at, mode)


def keep(name: str, at: int, kept: Path) -> None:
    """Keep what is about to be replaced; it stays where it is, so that nobody misses it for a moment."""
    try:
        os.link(name, kept, src_dir_fd=at, follow_symlinks=False)
    except FileExistsError:
        return  # a kill came right after it was kept
    except OSError:  # others' files may have no second name, nor files on some file systems
        os.rename(name, kept, src_dir_fd=at)


def take_out(name: str, at: int, kept: Path) -> None:
    """Take something out of the workspace, with all that is in it."""
    try:
        os.rename(name, kept, src_dir_fd=at)
    except PermissionError:  # a folder that cannot be written cannot leave the one that it is in
        with opened(at, (name,)) as folder:
            os.fchmod(folder, stat.S_IMODE(os.fstat(folder).st_mode) | stat.S_IRWXU)
        os.rename(name, kept, src_dir_fd=at)


def strip(written: Path) -> None:
    """Take away what the overlay has noted on a file."""
    with suppress(OSError):
        for name in os.listxattr(written, follow_symlinks=False):
            if name.startswith("user.overlay."):
                os.removexattr(written, name, follow_symlinks=False)


def copy_to(written: Path, new: Path) -> None:
    """Copy a file or link to a place where there is nothing, with its rights and times."""
    status = written.lstat()
    if stat.S_ISLNK(status.st_mode):
        new.symlink_to(written.readlink())
        os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)
        return
    with written.open("rb") as out, new.open("xb") as into:
        shutil.copyfileobj(out, into)
        into.flush()  # what is written later changes its time
        os.fchmod(into.fileno(), stat.S_IMODE(status.st_mode) & 0o777)
        os.utime(into.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
