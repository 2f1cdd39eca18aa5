"""Where the rest of a long result goes: files of the workspace that `read_file` and `search_files` can look into."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter
from pathlib import Path

from sulla.core.errors import NotFound, SullaError
from sulla.tools.paths import locate, open_folder, translated

FOLDER = ".sulla/outputs"
MAX_FILES = 200
MAX_TOTAL_BYTES = 64 * 1024 * 1024
"""How much is kept in a workspace, in all; the oldest goes first."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def where(name: str) -> str:
    """The file for the result of that name, relative to the workspace."""
    return f"{FOLDER}/{_UNSAFE.sub('_', name)[:100]}.txt"


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
        SullaError: it could not be written.
    """
    return await asyncio.to_thread(_keep, root, name, pieces)


async def rest_of(root: Path, name: str, pieces: Iterable[str]) -> str:
    """Put a result away and say where, as a sentence; or say that it could not be kept, and why."""
    try:
        return how_to_read(await keep(root, name, pieces))
    except SullaError as error:
        return f"The rest could not be kept: {error.message}. Ask for less at a time."


def _keep(root: Path, name: str, pieces: Iterable[str]) -> str:
    path = where(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with locate(root, path, make_folders=True) as spot, translated(path):
        # Made anew, so that nothing is written through what somebody else has put there.
        with suppress(FileNotFoundError):
            os.unlink(spot.name, dir_fd=spot.folder_fd)
        with os.fdopen(os.open(spot.name, flags, 0o600, dir_fd=spot.folder_fd), "wb") as file:
            for piece in pieces:
                file.write(piece.encode("utf-8", "replace"))
    _tidy(root)
    return path


def _tidy(root: Path) -> None:
    """Remove the oldest files over the bounds."""
    try:
        with open_folder(root, FOLDER) as fd, translated(FOLDER):
            _tidy_folder(fd)
    except NotFound:
        return  # somebody removed it meanwhile: then there is nothing to tidy


def _tidy_folder(fd: int) -> None:
    found: list[tuple[int, int, str]] = []
    with os.scandir(fd) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                if entry.is_file(follow_symlinks=False):
                    found.append((status.st_mtime_ns, status.st_size, entry.name))
    total = 0
    for count, (_, size, name) in enumerate(sorted(found, key=itemgetter(0), reverse=True), 1):
        total += size
        # The newest one stays, whatever it weighs: it was asked for just now.
        if count > 1 and (count > MAX_FILES or total > MAX_TOTAL_BYTES):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
