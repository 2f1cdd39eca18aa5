"""Where the rest of a long result goes: files of the workspace that `read_file` and `search_files` can look into.

Agents and their commands may put anything in the place of that folder. So no link on the way to it is followed, what is
written and removed there goes through its open descriptor, and only what bears a name of ours is ever removed.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import Final

from sulla.core.errors import NotFound, PathEscape, SullaError
from sulla.core.ids import derived_id
from sulla.tools.paths import translated

FOLDER = ".sulla/outputs"
MAX_FILES = 200
MAX_TOTAL_BYTES = 64 * 1024 * 1024
"""How much is kept in a workspace, in all; the oldest goes first."""

_NAME: Final = re.compile(r"[a-z]{1,20}_[0-9a-f]{24}(-job_[0-9]{1,9})?")
"""The id of a call (`core.ids`), or of a conversation with one of its jobs: what results are named by."""
_IGNORED: Final = b"*\n"
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPENED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def where(name: str) -> str:
    """The file for the result of that name, relative to the workspace. What is not named as an id gets one."""
    return f"{FOLDER}/{name if _NAME.fullmatch(name) else derived_id('kept', name)}.txt"


def how_to_read(path: str) -> str:
    """What a model is told of such a file."""
    return f"It is kept in {path}: read_file shows its lines, search_files finds in it."


async def keep(root: Path, name: str, pieces: Iterable[str]) -> str:
    """Put a result away.

    Args:
        root: the workspace.
        name: of the result, e.g. the call's id. Another one of that name is replaced.
        pieces: all that can be kept of it; asked for on another thread.

    Returns:
        The file, relative to the workspace.

    Raises:
        PathEscape: something else lies in the place of the folder, e.g. a link.
        SullaError: it could not be written.
    """
    return await asyncio.to_thread(_keep, root, name, pieces)


async def rest_of(root: Path, name: str, pieces: Iterable[str]) -> str:
    """Put a result away and say where, as a sentence; or say that it could not be kept, and why."""
    try:
        return how_to_read(await keep(root, name, pieces))
    except SullaError as error:
        return f"The rest could not be kept: {error.message}. Ask for less at a time."


def made_for_outputs(root: Path) -> frozenset[str]:
    """The paths of what is made in a workspace for kept results, beside these: nobody else's words are in it.

    Args:
        root: the workspace.
    """
    ignore = root / ".sulla" / ".gitignore"
    try:
        with os.fdopen(os.open(ignore, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            ours = file.read(len(_IGNORED) + 1) == _IGNORED
    except OSError:
        ours = False
    return frozenset(str(path) for path in (root / ".sulla", root / FOLDER, *((ignore,) if ours else ())))


def kept_names(root: Path) -> list[str]:
    """The names of the results that are kept in a workspace, without their ending.

    Args:
        root: the workspace.

    Raises:
        PathEscape: as `keep`.
        SullaError: the folder cannot be read.
    """
    try:
        with _opened(root, make=False) as fd:
            return [name.removesuffix(".txt") for _, _, name in _ours(fd)]
    except NotFound:
        return []


def remove(root: Path, names: Collection[str]) -> None:
    """Remove kept results; one that is not there any more is none to be removed.

    Args:
        root: the workspace.
        names: some of `kept_names`.

    Raises:
        PathEscape: as `keep`.
        SullaError: one cannot be removed.
    """
    with suppress(NotFound), _opened(root, make=False) as fd, translated(FOLDER):
        for _, _, name in _ours(fd):
            if name.removesuffix(".txt") in names:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=fd)


def _keep(root: Path, name: str, pieces: Iterable[str]) -> str:
    path = where(name)
    with _opened(root, make=True) as fd, translated(path):
        own = path.removeprefix(f"{FOLDER}/")
        # Made anew, so that nothing is written through what somebody else has put there.
        with suppress(FileNotFoundError):
            os.unlink(own, dir_fd=fd)
        with os.fdopen(os.open(own, _NEW, 0o600, dir_fd=fd), "wb") as file:
            for piece in pieces:
                file.write(piece.encode("utf-8", "replace"))
        _tidy(fd)
    return path


@contextmanager
def _opened(root: Path, *, make: bool) -> Iterator[int]:
    """The folder's descriptor, for as long as the block lasts; no link on the way below the workspace is followed."""
    fds: list[int] = []
    try:
        with translated(FOLDER):
            fds.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            for part in FOLDER.split("/"):
                fds.append(_step(fds[-1], part, make=make))
            if make:
                _ignore(fds[1])
        yield fds[-1]
    finally:
        for fd in fds:
            os.close(fd)


def _ignore(folder_fd: int) -> None:
    """Have git pass over the folder, unless somebody has said there what it shall do."""
    with suppress(FileExistsError):
        fd = os.open(".gitignore", _NEW, 0o600, dir_fd=folder_fd)
        with os.fdopen(fd, "wb") as file:
            file.write(_IGNORED)


def _step(folder_fd: int, name: str, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder_fd)
            os.fsync(folder_fd)
    try:
        return os.open(name, _OPENED, dir_fd=folder_fd)
    except OSError:
        with suppress(FileNotFoundError):
            mode = os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_mode
            if not stat.S_ISDIR(mode):
                found = "a link" if stat.S_ISLNK(mode) else "a file"
                said = f"{FOLDER!r} of the workspace has to be a folder, and {name!r} on the way there is {found}"
                raise PathEscape(f"{said}; remove it") from None
        raise


def _ours(fd: int) -> list[tuple[int, int, str]]:
    """Of the open folder what was put there by `keep`: when, in nanoseconds, how much, in bytes, and its name.

    What has a second name is one with a file somewhere else, which nobody has asked to be rid of.
    """
    found: list[tuple[int, int, str]] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                own = entry.name.endswith(".txt") and _NAME.fullmatch(entry.name.removesuffix(".txt"))
                if own and stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                    found.append((status.st_mtime_ns, status.st_size, entry.name))
    return found


def _tidy(fd: int) -> None:
    """Remove the oldest files over the bounds."""
    total = 0
    for count, (_, size, name) in enumerate(sorted(_ours(fd), key=itemgetter(0), reverse=True), 1):
        total += size
        # The newest one stays, whatever it weighs: it was asked for just now.
        if count > 1 and (count > MAX_FILES or total > MAX_TOTAL_BYTES):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
