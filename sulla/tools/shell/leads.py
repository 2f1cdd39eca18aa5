"""What links and settings of git in held changes lead to: it has to be as it was when a person was asked, whoever has
changed it since, and over restarts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from sulla.tools.paths import printable
from sulla.tools.shell.changes import MOST_CHANGES, Change
from sulla.tools.shell.held_text import is_record
from sulla.tools.shell.layer import Layer

_PASSED_OVER: Final = (".git", ".sulla")
"""Folders that links and settings may lead to, and where any change asks anyway."""


def led_to_and_changed(layer: Layer, changes: Iterable[Change]) -> str:
    """What was changed since a command ended of what its changes lead to, by its path; empty for nothing.

    Args:
        layer: holds the changes; closed.
        changes: those of the command.
    """
    workspace = Path(layer.workspace)
    for start in _starts(layer, changes):
        if found := _newer(start, workspace, layer.closed_ns):
            return printable(os.path.relpath(found, workspace))
    return ""


def _starts(layer: Layer, changes: Iterable[Change]) -> Iterator[Path]:
    workspace = Path(layer.workspace)
    for change in changes:
        place = workspace.joinpath(*change.parts)
        if change.kind == "link":
            target = layer.upper.joinpath(*change.parts).readlink()
            yield Path(os.path.normpath(place.parent / target))
        elif ".git" in change.parts and not is_record(change):
            yield place
            yield workspace  # nobody can tell where settings lead


def _newer(start: Path, workspace: Path, since_ns: int) -> Path | None:
    """The first file that was made or changed since; what is more than anybody looks through counts as changed."""
    left, ahead = MOST_CHANGES, [start]
    while ahead:
        path = ahead.pop()
        with suppress(OSError):
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                ahead += (path / name for name in os.listdir(path) if name not in _PASSED_OVER)  # noqa: PTH208 - names
            elif status.st_ctime_ns > since_ns:
                return path
            elif stat.S_ISLNK(status.st_mode) and start != workspace:
                start, ahead = workspace, [workspace]  # it leads on, to wherever
        left -= 1
        if left < 0:
            return path
    return None
