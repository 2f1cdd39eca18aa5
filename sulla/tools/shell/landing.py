"""Putting into a workspace what a command has written into a layer over it, but for what a person has to allow."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.tools.program_files import ProgramFiles
from sulla.tools.program_links import led_to
from sulla.tools.shell.changes import Change, changes_in
from sulla.tools.shell.layer import Layer

MOST_BELOW: Final = 20_000
"""Files that are looked at in a folder that is gone; one with more counts as one that programs obey."""
SOMEBODY: Final = "somebody else changed it while the command ran"
WITH_THEM: Final = "it was removed or replaced, and not all of what was made instead is there yet"
"""A file that was moved has not left its place before it has come to its new one."""
NOT_KEPT: Final = "it is no file, folder or link that anybody can read"

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class HeldChange:
    """A change that is not in the workspace, and why."""

    change: Change
    why: str
    """A sentence, for people and models."""


Obeyed = Callable[[Change], str]
"""Who runs or obeys what was changed; empty for nobody."""


def sorted_out(changes: Iterable[Change], obeyed: Obeyed) -> tuple[tuple[Change, ...], tuple[HeldChange, ...]]:
    """Which changes may go into the workspace at once, and which have to be allowed. Pure but for `obeyed`.

    Args:
        changes: all that a command has made.
        obeyed: says who runs or obeys one.
    """
    judged = [(change, _why(change, obeyed(change))) for change in changes]
    if any(why and not change.same and change.kind != "odd" for change, why in judged):
        judged = [(change, why or (WITH_THEM if change.kind == "gone" else "")) for change, why in judged]
    free = tuple(change for change, why in judged if not why)
    return free, tuple(HeldChange(change, why) for change, why in judged if why and not change.same)


def _why(change: Change, who: str) -> str:
    if change.kind == "odd":
        return NOT_KEPT
    if who:
        return f"{who} may run or obey it outside the sandbox"
    return SOMEBODY if change.raced else ""


def landed(layer: Layer, programs: ProgramFiles) -> tuple[HeldChange, ...]:
    """Put into the workspace what nobody has to allow.

    Args:
        layer: nothing writes into it any more.
        programs: says which files programs run.

    Returns:
        What was left in the layer.

    Raises:
        TooLarge: too much was changed; nothing is in the workspace.
    """
    if not (changes := changes_in(layer)):
        return ()
    free, held = sorted_out(changes, _Obeyed(layer.workspace, programs).who)
    return (*held, *put(layer, free))


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


def put(layer: Layer, changes: Sequence[Change]) -> tuple[HeldChange, ...]:
    """Put changes into the workspace. Like those of any program they are not forced to the disk one by one.

    Args:
        layer: holds them.
        changes: of any kind.

    Returns:
        What could not be put there, and why.
    """
    failed: list[HeldChange] = []
    folders: list[Change] = []
    top = os.open(layer.workspace, _FOLDER)
    try:
        for change in in_order(changes):
            try:
                with _opened(top, change.parts[:-1]) as at:
                    _put_one(layer, change, at)
            except OSError as error:
                failed.append(HeldChange(change, f"it cannot be put there: {os.strerror(error.errno or 0)}"))
            else:
                folders += [change] if change.kind == "folder" else []
        for change in reversed(folders):  # only now: one may let nobody write into it
            with suppress(OSError), _opened(top, change.parts) as at:
                os.fchmod(at, stat.S_IMODE(layer.upper.joinpath(*change.parts).lstat().st_mode) & 0o777)
    finally:
        os.close(top)
    return tuple(failed)


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


class _Obeyed:
    """Says who runs or obeys what was changed in a workspace. It lives as long as one landing."""

    def __init__(self, workspace: str, programs: ProgramFiles) -> None:
        self._top = Path(workspace)
        self._programs = programs
        self._led = led_to(workspace, programs.reader)

    def who(self, change: Change) -> str:
        """Empty for nobody."""
        place = self._top.joinpath(*change.parts)
        is_folder = change.kind == "folder" or (change.kind == "gone" and place.is_dir() and not place.is_symlink())
        if who := self._programs.reader(change.parts, folder=is_folder):
            return who
        if not self._led.isdisjoint((place, *place.parents)):
            return "a program that a link or git's settings lead there"
        if is_folder and change.kind == "gone":
            return self._within(place, change.parts)
        return ""

    def _within(self, folder: Path, parts: tuple[str, ...]) -> str:
        """Who obeys anything in a folder that is gone."""
        left = MOST_BELOW
        for at, folders, files in os.walk(folder):
            below = (*parts, *Path(at).relative_to(folder).parts)
            left -= len(folders) + len(files)
            for names, are_folders in ((folders, True), (files, False)):
                for name in names:
                    if who := self._programs.reader((*below, name), folder=are_folders):
                        return who
            if not self._led.isdisjoint(Path(at, name) for name in (*folders, *files)):
                return "a program that a link or git's settings lead there"
            if left < 0:
                return f"somebody (more than {MOST_BELOW:,} files lie in it)"
        return ""
