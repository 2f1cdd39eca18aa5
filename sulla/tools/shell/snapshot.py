"""What was in a workspace at one moment, to see later what somebody has put into the place of something else: renaming
a folder changes nothing of the files in it, not even their times."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from sulla.core.dataclass import dataclass

MOST_ENTRIES: Final = 200_000
"""Files and folders that are looked at. Of more it is known only when folders were changed."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which file or folder had each name."""

    top: int = 0
    """The inode of the workspace's folder; 0 for one that nobody has looked at."""
    inodes: Mapping[str, int] | None = field(default_factory=dict)
    """By path below the workspace; None if there were more than `MOST_ENTRIES`."""

    def had(self, path: str) -> bool:
        """Whether there was anything of a name.

        Args:
            path: below the workspace.
        """
        return self.inodes is not None and path in self.inodes

    def to_json(self) -> dict[str, Any]:
        """To be written down."""
        return {"top": self.top, "inodes": self.inodes}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Snapshot:
        """What was written down.

        Raises:
            KeyError: it is no snapshot.
        """
        return cls(kept["top"], kept["inodes"])


def snapshot_of(workspace: Path) -> Snapshot:
    """All that there is in a workspace.

    Args:
        workspace: its folder.
    """
    found: dict[str, int] = {}
    ahead = [""]
    while ahead:
        folder = ahead.pop()
        with suppress(OSError), os.scandir(workspace / folder) as entries:  # what nobody can look into
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                found[path] = entry.inode()
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(path)
        if len(found) > MOST_ENTRIES:
            return Snapshot(workspace.stat().st_ino, None)
    return Snapshot(workspace.stat().st_ino, found)


def snapshot_at(workspace: Path, places: Iterable[tuple[str, ...]]) -> Snapshot:
    """What there is of some names, and of the folders that they lie in.

    Args:
        workspace: its folder.
        places: the names, by their parts below it.
    """
    found: dict[str, int] = {}
    for parts in places:
        for end in range(1, len(parts) + 1):
            if (path := "/".join(parts[:end])) not in found:
                with suppress(OSError):
                    found[path] = (workspace / path).lstat().st_ino
    return Snapshot(workspace.stat().st_ino, found)


class FolderWatch:
    """Says whether folders of a workspace are those of a snapshot. It lives as long as one layer is read.

    Args:
        workspace: its folder.
        before: what there was.
        since_ns: when that was, for a workspace with too much in it.
        made: folders that commands have made since, with their inodes.
    """

    def __init__(self, workspace: Path, before: Snapshot, since_ns: int, made: Mapping[str, int]) -> None:
        self._workspace = workspace
        self._before = before
        self._since_ns = since_ns
        self._made = made
        self._seen: dict[tuple[str, ...], bool] = {}

    def is_replaced(self, parts: tuple[str, ...]) -> bool:
        """Whether a folder, or one that it lies in, is another one now; one that is gone or no folder is not.

        Args:
            parts: the folder, below the workspace; nothing for that itself.
        """
        if parts not in self._seen:
            self._seen[parts] = (bool(parts) and self.is_replaced(parts[:-1])) or self._is_other(parts)
        return self._seen[parts]

    def _is_other(self, parts: tuple[str, ...]) -> bool:
        path, before = "/".join(parts), self._before
        try:
            now = self._workspace.joinpath(*parts).lstat()
        except OSError:
            return False
        if not before.top or not stat.S_ISDIR(now.st_mode):
            return False
        if not parts:
            return now.st_ino != before.top
        if before.inodes is None:
            return now.st_ctime_ns > self._since_ns
        return now.st_ino not in (before.inodes.get(path), self._made.get(path))
