"""What tells a tool which files of a workspace are from outside, by the marks of a home."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from sulla.core.dataclass import dataclass


class OutsideMarks(Protocol):
    """The marks of a home; `FileMarks` keeps it."""

    def is_outside(self, file: Path, raw: bytes, root: Path) -> bool:
        """As `FileOrigins.is_outside`.

        Args:
            file: which, links resolved.
            raw: what was read of it.
            root: the workspace, links resolved.
        """

    def names_outside(self, folder: Path, names: Iterable[str], root: Path) -> frozenset[str]:
        """As `FileOrigins.names_outside`.

        Args:
            folder: which, links resolved.
            names: what lies in it.
            root: the workspace, links resolved.
        """


@dataclass(frozen=True, slots=True)
class MarkOrigins:
    """Keeps `FileOrigins` for a workspace."""

    marks: OutsideMarks
    workspace: Path

    def is_outside(self, file: Path, raw: bytes) -> bool:
        """Keeps the promise."""
        return self.marks.is_outside(file, raw, self.workspace.resolve())

    def names_outside(self, folder: Path, names: Iterable[str]) -> frozenset[str]:
        """Keeps the promise."""
        return self.marks.names_outside(folder, names, self.workspace.resolve())
