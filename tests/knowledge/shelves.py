"""A home with knowledge in it, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sulla.core.clock import Clock
from sulla.host.system import SystemClock
from sulla.knowledge.settings import KnowledgeSettings
from sulla.knowledge.shelf import KnowledgeShelf

RETURNS = "# Returns\n\nGoods may be sent back within 30 days.\n\n## Refunds\n\nRefunds go to the card.\n"


def put(home: Path, name: str, text: str | bytes = RETURNS) -> Path:
    """Save a file in the folder of a home."""
    file = home / "knowledge" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def shelf_of(home: Path, clock: Clock | None = None, **bounds: int) -> KnowledgeShelf:
    """The knowledge of a home."""
    return KnowledgeShelf(home, KnowledgeSettings(**bounds), clock or SystemClock())


class Marked:
    """Keeps `FileOrigins`: these files are from outside, and so are these names.

    Args:
        files: by their last names.
        names: of files and folders.
    """

    def __init__(self, files: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self.files = frozenset(files)
        self.names = frozenset(names)

    def is_outside(self, file: Path, raw: bytes) -> bool:
        """Keeps the promise."""
        return file.name in self.files

    def names_outside(self, folder: Path, names: Iterable[str]) -> frozenset[str]:
        """Keeps the promise."""
        return self.names.intersection(names)
