"""Putting into a workspace what a command has written into a layer over it: all of it, or nothing."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sulla.tools.shell.changes import Change, ChangeKind
from sulla.tools.shell.judging import SOMEBODY, JudgedChange
from sulla.tools.shell.layer import Layer

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def in_order(changes: Sequence[Change]) -> list[Change]:
    """The order in which changes go into a workspace: what was moved is at its new place before it leaves the old one,
    also if the daemon is killed in between. What takes the place of something else has to wait until that is gone.

    Args:
        changes: folders before what is in them, and what is gone before what took its place.
    """
    made = {change.parts for change in changes if change.kind != "gone"}
    replaced = {change.parts for change in changes if change.kind == "gone"} & made

    def turn(change: Change) -> int:
        if any(change.parts[:end] in replaced for end in range(1, len(change.parts) + 1)):
            return 1
        return 2 if change.kind == "gone" else 0

    return sorted(changes, key=turn)


def put(layer: Layer, changes: Sequence[Change]) -> tuple[JudgedChange, ...]:
    """Put changes into the workspace. Like those of any program they are not forced to the disk one by one.

    Args:
        layer: holds them; closed.
        changes: of any kind.

    Returns:
        What could not be put there, and why.
    """
    # From here on it is decided: a daemon that is killed before the end goes on with it when it starts again. What lies
    # in the way of a file that has moved is in the layer alone by then.
    layer.decided.write_text(
        json.dumps({"workspace": layer.workspace, "changes": [[change.parts, change.kind] for change in changes]})
    )
    return _put(layer, changes, again=False)


def put_again(folder: Path) -> bool:
    """Go on with what an earlier daemon was about to put into a workspace when it was killed.

    Args:
        folder: of a layer.

    Returns:
        Whether there was anything.
    """
    try:
        note = json.loads(Layer(folder, "").decided.read_text())
        changes = [Change(tuple(parts), kind) for parts, kind in note["changes"]]
    except (OSError, ValueError, KeyError):
        return False
    _put(Layer(folder, note["workspace"]), changes, again=True)
    return True


def _put(layer: Layer, changes: Sequence[Change], *, again: bool) -> tuple[JudgedChange, ...]:
    failed: list[JudgedChange] = []
    folders: list[Change] = []
    made = {change.parts: change.kind for change in changes if change.kind != "gone"}
    top = os.open(layer.workspace, _FOLDER)
    try:
        for change in in_order([change for change in changes if change.kind != "odd"]):
            try:
                if again and _is_done(layer, change, made):
                    continue
                with _opened(top, change.parts[:-1]) as at:
                    if not again and _is_newer(change.parts[-1], at, layer.closed_ns):
                        failed.append(JudgedChange(change, SOMEBODY))
                        continue
                    _put_one(layer, change, at)
            except OSError as error:
                failed.append(JudgedChange(change, f"it cannot be put there: {os.strerror(error.errno or 0)}"))
            else:
                folders += [change] if change.kind == "folder" else []
        for change in reversed(folders):  # only now: one may let nobody write into it
            with suppress(OSError), _opened(top, change.parts) as at:
                os.fchmod(at, stat.S_IMODE(layer.upper.joinpath(*change.parts).lstat().st_mode) & 0o777)
    finally:
        os.close(top)
    return tuple(failed)


def _is_done(layer: Layer, change: Change, made: Mapping[tuple[str, ...], ChangeKind]) -> bool:
    """Whether a change was put into the workspace before the daemon was killed."""
    if change.kind in ("file", "link"):
        return not os.path.lexists(layer.upper.joinpath(*change.parts))
    there = Path(layer.workspace, *change.parts)
    if change.kind == "gone" and (kind := made.get(change.parts)) is not None:
        return (there.is_dir() and not there.is_symlink()) == (kind == "folder")
    return False


def _is_newer(name: str, at: int, closed_ns: int) -> bool:
    """Whether somebody has written a file in this moment, behind the look at all of them."""
    with suppress(FileNotFoundError):
        status = os.stat(name, dir_fd=at, follow_symlinks=False)
        return not stat.S_ISDIR(status.st_mode) and status.st_ctime_ns > closed_ns
    return False


@contextmanager
def _opened(top: int, parts: Sequence[str]) -> Iterator[int]:
    """A folder below another, which follows no link on the way there."""
    at = os.dup(top)
    try:
        for name in parts:
            below = os.open(name, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def _put_one(layer: Layer, change: Change, at: int) -> None:
    name, written = change.parts[-1], layer.upper.joinpath(*change.parts)
    match change.kind:
        case "folder":
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=at)
        case "gone":
            _remove(name, at)
        case _:
            _strip(written)
            # One with a second name would be one with what is still held back, and change with it.
            if written.lstat().st_nlink > 1 or not _moved(written, name, at):
                _copy(layer, written, name, at)


def _moved(written: Path, name: str, at: int) -> bool:
    """Whether it could be moved; not to another file system."""
    try:
        os.rename(written, name, dst_dir_fd=at)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _remove(name: str, at: int) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=at)
        else:
            os.unlink(name, dir_fd=at)


def _strip(written: Path) -> None:
    """Take away what the overlay has noted on a file."""
    with suppress(OSError):
        for name in os.listxattr(written, follow_symlinks=False):
            if name.startswith("user.overlay."):
                os.removexattr(written, name, follow_symlinks=False)


def _copy(layer: Layer, written: Path, name: str, at: int) -> None:
    """To another file system, whole or not at all."""
    new = f".{layer.folder.name}"
    try:
        if written.is_symlink():
            os.symlink(written.readlink(), new, dir_fd=at)
        else:
            made = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=at)
            with os.fdopen(made, "wb") as into, written.open("rb") as out:
                shutil.copyfileobj(out, into)
                status = os.fstat(out.fileno())
                os.fchmod(into.fileno(), stat.S_IMODE(status.st_mode) & 0o777)
                os.utime(into.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
        os.rename(new, name, src_dir_fd=at, dst_dir_fd=at)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(new, dir_fd=at)
