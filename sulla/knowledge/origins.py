"""Whose words the files of the home's folder `knowledge/` hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.core.words import Author
from sulla.knowledge.folder import FoundFile, read_bytes
from sulla.tools.origins import FileOrigins


@dataclass(frozen=True, slots=True)
class KnowledgeOrigins:
    """Says of files whose they are.

    Args:
        folder: the home's.
        workspace: where agents write without being asked.
        marks: which files runs have written that had read what nobody trusts.
    """

    folder: Path
    workspace: Path
    marks: FileOrigins

    def author_of(self, files: Sequence[FoundFile]) -> Author:
        """Whose words these files hold, of several the least trusted. It reads them, and blocks.

        The owner's, unless they lie where agents write; somebody's outside if one of them is marked, or is not as it
        was found any more.

        Args:
            files: as they were found when their words were read.
        """
        if any(map(self.is_outside, files)):
            return Author.OUTSIDE
        inside = self.folder.resolve().is_relative_to(self.workspace.resolve())
        return Author.AGENT if inside else Author.OPERATOR

    def is_outside(self, file: FoundFile) -> bool:
        """Whether a file is marked, or has changed since it was found. It reads the file, and blocks.

        Args:
            file: the file.
        """
        try:
            raw = read_bytes(self.folder, file)
        except SullaError:
            return True
        return self.marks.is_outside(self.folder.resolve() / file.path, raw)

    def names_outside(self, paths: Iterable[str]) -> frozenset[str]:
        """Those paths within the folder in which there is a name from outside. It blocks.

        Args:
            paths: of files.
        """
        entries = {path: [(str(above.parent), above.name) for above in _down_to(path)] for path in paths}
        folders: dict[str, set[str]] = {}
        for folder, name in chain.from_iterable(entries.values()):
            folders.setdefault(folder, set()).add(name)
        root = self.folder.resolve()
        outside = {
            (folder, name)
            for folder, names in folders.items()
            for name in self.marks.names_outside(root / folder, names)
        }
        return frozenset(path for path, names in entries.items() if not outside.isdisjoint(names))


def _down_to(path: str) -> Iterator[PurePosixPath]:
    whole = PurePosixPath(path)
    yield from (one for one in (whole, *whole.parents) if one.name)
