"""What installed packages bring by their entry points.

`importlib.metadata` takes as long to load as all else that `sulla --help` needs, and nearly nobody has such a package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_NONE = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
"""What `importlib.metadata` takes for a package without entry points, or a folder without packages."""


def entry_points_of(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name.

    Args:
        group: its name.
    """
    if not is_named(group):
        return []
    from importlib.metadata import entry_points  # noqa: PLC0415 - only where there are any

    return sorted(entry_points(group=group), key=lambda point: point.name)


def is_named(group: str) -> bool:
    """Whether `importlib.metadata` has to look: a package's list names the group, or only it can read the list.

    Args:
        group: the name of a group of entry points.
    """
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    if any(os.path.isfile(place) for place in sys.path):  # noqa: PTH113 - pathlib is slow; a zip, or an egg
        return True
    return any(group.encode() in text for place in sys.path for text in _lists(place or "."))


def _lists(place: str) -> Iterator[bytes]:
    """The lists of entry points of the packages in a folder."""
    try:
        names = os.listdir(place)  # noqa: PTH208 - pathlib is slow
    except _NONE:
        return
    for name in names:
        if name.lower().endswith((".dist-info", ".egg-info")) or name.lower() == "egg-info":
            try:
                with open(f"{place}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123 - pathlib is slow
                    yield file.read()
            except _NONE:
                continue
