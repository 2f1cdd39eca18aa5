"""What a tool can ask of the files that it is about to show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol


class FileOrigins(Protocol):
    """Knows which files and names of the workspace come from runs that had read what nobody trusts. It lives as long as
    the call, and is asked on worker threads, after what is shown was read."""

    def is_outside(self, file: Path, raw: bytes) -> bool:
        """Whether words of a file that are shown, or the names on the way to it, may be from outside.

        Args:
            file: which, links resolved.
            raw: what was read of it.
        """

    def names_outside(self, folder: Path, names: Iterable[str]) -> frozenset[str]:
        """Those names in a folder that are from outside.

        Args:
            folder: which, links resolved.
            names: what lies in it.
        """


class AllTrusted:
    """Keeps `FileOrigins` where nobody keeps marks."""

    def is_outside(self, file: Path, raw: bytes) -> bool:
        """Nothing is."""
        return False

    def names_outside(self, folder: Path, names: Iterable[str]) -> frozenset[str]:
        """None is."""
        return frozenset()
