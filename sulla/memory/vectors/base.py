"""The promise of what keeps the vectors of notes, beside the notes themselves. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.memory.note import MemoryNote, note_from_json

LEAST: Final = 0.25
"""The cosine that a note has at least to be found, whatever all others have."""


@dataclass(frozen=True, slots=True)
class NoteVector:
    """Where a note stands in a model's space, to be kept."""

    note: MemoryNote
    signature: bytes
    """See `signature.signature_of`."""
    packed: bytes
    """See `signature.pack`."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A note's signature, to be looked through."""

    seq: int
    """The number under which its vector was kept: later ones have higher numbers, and none is given twice."""
    signature: bytes


@dataclass(frozen=True, slots=True)
class Placed:
    """A note with its vector."""

    seq: int
    body: str | bytes
    """The note as JSON: of many that are looked at few are given."""
    packed: bytes

    @property
    def note(self) -> MemoryNote:
        """The note.

        Raises:
            CorruptRecord: it is none.
        """
        return note_from_json(self.body)


class VectorStore(Protocol):
    """Keeps one vector of each note, of one model at a time. Each method is one atomic step unless it says otherwise;
    every one raises `StoreUnavailable` if it cannot be done.

    It lies where the notes lie, and whatever removes a note there removes its vector in the same step: nothing of a
    note that was forgotten can be found, whenever the daemon was killed. The backends beside each of `MemoryIndex` are
    held to one kit (tests/kits/vector_kit.py).
    """

    async def use(self, model: str) -> None:
        """Keep vectors of this model from here on. Where they were another's, those go, and all notes lack one.

        It may be cut off anywhere, and is done to its end by the next call.

        Args:
            model: the embedding model, as the settings name it.
        """

    async def missing(self, limit: int) -> list[MemoryNote]:
        """Notes that have no vector of the model in use, the newest first."""

    async def put(self, model: str, vectors: Sequence[NoteVector]) -> int:
        """Keep vectors; on return the disk has them.

        Args:
            model: whose they are; where another one is in use by now, none of them is kept.
            vectors: a note that has one already keeps that, and one that was removed meanwhile is left out.

        Returns:
            How many were kept.
        """

    async def signed(self, scope: str, after: int, limit: int) -> list[Signed]:
        """Signatures of the model in use, in the order in which they were kept.

        Args:
            scope: whose notes.
            after: only those with a higher number.
            limit: how many are given at most.
        """

    async def placed(self, scope: str, seqs: Sequence[int]) -> list[Placed]:
        """The notes and vectors that were kept under these numbers, in any order; what is gone is left out."""
