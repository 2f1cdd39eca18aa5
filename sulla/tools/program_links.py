"""What programs of the owner are led to: files and folders of a workspace with harmless names, which a link with the
name of a program file, or git's own settings, hands on to them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

MOST_LOOKED: Final = 20_000
"""Entries of the workspace that are looked at, those that lie highest first."""
MOST_SETTINGS_BYTES: Final = 65_536
"""Of a file that leads on."""
MOST_INCLUDED: Final = 8
"""Files of git's settings that include one another."""
_SET_BY_GIT: Final = re.compile(rb"=(.*)")
"""What git's settings say: hooks, further settings, and programs with their arguments."""
_BETWEEN: Final = re.compile(rb"[\s\"'!;|&]+")
_GIT_FOLDER: Final = re.compile(rb"^gitdir:\s*(?P<path>.+?)\s*$", re.MULTILINE)
"""What a file ``.git`` says of the folder that it stands for."""
_BARE: Final = frozenset({"HEAD", "objects", "refs"})
"""A folder with these is one of git's, whatever it is called."""


class Reader(Protocol):
    """Says who runs or obeys a file; `ProgramFiles.reader` is one."""

    def __call__(self, parts: Sequence[str], *, folder: bool = False) -> str:
        """Who does; empty for nobody."""


def led_to(workspace: str, reader: Reader) -> set[Path]:
    """Files and folders in a workspace that programs obey although their names do not say so. Not all are there.

    Args:
        workspace: its folder, links resolved.
        reader: says which names programs look for.
    """
    top = Path(workspace)
    # What lies outside is no part of the workspace, and can be written to by nobody in the sandbox.
    return {path for path in map(_resolved, _leads(top, reader)) if top in path.parents}


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _leads(top: Path, reader: Reader) -> Iterator[Path]:
    left, level = MOST_LOOKED, [(str(top), False)]
    while level and left > 0:
        below: list[tuple[str, bool]] = []
        for folder, obeyed in level:
            parts = tuple(filter(None, folder.removeprefix(str(top)).split("/")))
            try:
                with os.scandir(folder) as found:
                    entries = list(islice(found, left))
            except OSError:
                continue  # it cannot be looked at, or is gone
            left -= len(entries)
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if entry.name == ".git":
                    yield from _by_git(Path(entry.path), is_folder=is_folder)
                if is_folder:
                    below.append((entry.path, obeyed or bool(reader((*parts, entry.name), folder=True))))
                elif entry.is_symlink() and (obeyed or reader((*parts, entry.name), folder=entry.is_dir())):
                    yield Path(entry.path)
            if _BARE.issubset(entry.name for entry in entries):
                yield Path(folder)
        level = below


def _by_git(path: Path, *, is_folder: bool) -> Iterator[Path]:
    """What a repository's settings lead to; where `path` is a file, the folder that it stands for."""
    if not is_folder:
        for named in _GIT_FOLDER.finditer(_read(path)):
            yield (folder := path.parent / os.fsdecode(named["path"]))
            yield from _by_git(folder, is_folder=True)
        return
    ahead, seen = [path / "config", path / "config.worktree"], set[Path]()
    while ahead and len(seen) < MOST_INCLUDED:
        if (file := ahead.pop()) in seen:
            continue
        seen.add(file)
        for said in _SET_BY_GIT.finditer(_read(file)):
            for word in filter(None, _BETWEEN.split(said[1].partition(b" #")[0])):
                # Programs are looked for from where the files are, what is included from where the settings are.
                for place in (path.parent / os.fsdecode(word), file.parent / os.fsdecode(word)):
                    yield place
                    if place.is_file():
                        ahead.append(place)


def _read(path: Path) -> bytes:
    """The beginning of a plain file; nothing of anything else, which might never answer."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as opened:
            if stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                return opened.read(MOST_SETTINGS_BYTES)
    return b""
