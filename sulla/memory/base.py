"""The promise of an index that keeps notes and finds them again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sulla.memory.entities.base import StatementStore
from sulla.memory.fusion import WordSpread
from sulla.memory.note import Kind, MemoryHit, MemoryNote, ReadPosition
from sulla.memory.vectors.base import VectorStore


class MemoryIndex(Protocol):
    """Keeps notes. Each method is one atomic step; every one raises `StoreUnavailable` if it cannot be done.

    The backends: `sqlite`, `redis`, `postgres`, held to one kit (tests/kits/memory_kit.py).
    """

    @property
    def vectors(self) -> VectorStore:
        """Keeps what the notes mean; used where an embedding model is set."""

    @property
    def statements(self) -> StatementStore:
        """Keeps what was drawn from the notes of people, places, projects and things."""

    async def open(self) -> None:
        """Make what is missing; a second time does nothing."""

    async def close(self) -> None:
        """Finish what was asked; a second time does nothing."""

    async def add(self, notes: Sequence[MemoryNote], read: tuple[str, ReadPosition] | None = None) -> None:
        """Keep notes, and with them how far a thread has been read. On return the disk has them.

        A note whose id is known stays as it is. Episodes beyond the bound of their scope go, the oldest first.

        Args:
            notes: in any order.
            read: the thread and the place in its log.
        """

    async def search(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """The notes that fit a question best (BM25), the best first; none for a question without words.

        Args:
            scopes: whose notes may be found.
            question: what is looked for, in any words.
            limit: how many are given at most.
        """

    async def spread(self, scopes: Sequence[str], words: Sequence[str]) -> WordSpread:
        """How usual words are.

        Args:
            scopes: among whose notes.
            words: as `core.search.terms` cuts them.
        """

    async def recent(
        self, scopes: Sequence[str], kind: Kind, limit: int, before_ms: int | None = None
    ) -> list[MemoryNote]:
        """Notes of a kind, the newest first.

        Args:
            scopes: whose notes.
            kind: which.
            limit: how many are given at most.
            before_ms: only older ones, UTC milliseconds.
        """

    async def scopes(self) -> list[str]:
        """Every scope that has notes, in order."""

    async def count(self, scope: str, kind: Kind) -> int:
        """How many notes of a kind a scope has."""

    async def get(self, ids: Sequence[str]) -> list[MemoryNote]:
        """The notes with these ids, in this order; those that there are not are left out."""

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove notes for good; how many there were."""

    async def progress(self, thread_id: str) -> ReadPosition | None:
        """How far a thread has been read; None if it never was."""

    async def threads(self, after: str, limit: int) -> list[str]:
        """Threads that have been read, by id, those behind `after`."""

    async def drop_thread(self, thread_id: str) -> int:
        """Remove a thread's episodes and how far it was read; how many there were. Facts from it stay."""

    async def compact(self) -> None:
        """Leave nothing of removed notes behind where this machine keeps them: no word in the index, no page of the
        file. For when nobody else uses it; a server looks after its own disk.
        """
