"""Signatures and vectors, compared by numpy: what `index` does in Python's own numbers, in a sixth of the time. Pure.

Only `ways` imports this, at the first search. No step is large enough for numpy to start threads for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sulla.memory.vectors.base import Signed
from sulla.memory.vectors.index import Near, floor_of
from sulla.memory.vectors.signature import check_lengths

_WORD: Final = 8
"""Bytes that are compared in one step."""

_STEP: Final = 8_192
"""Signatures that are compared at once: what is worked out of so many stays in the processor's cache."""

_ROOM: Final = 8
"""When there is no place left, the next has an eighth more than is needed: at most so much lies unused."""


class SignatureMatrix:
    """Implements `Signatures`. What it holds is some 110 bytes for each note.

    Args:
        width: bytes of a signature.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.last = 0
        self._size = 0
        # One row for each eight bytes, so that a step goes through what lies side by side.
        self._words: NDArray[np.uint64] = np.empty((-(-width // _WORD), 0), np.uint64)
        self._seqs: NDArray[np.int64] = np.empty(0, np.int64)

    def __len__(self) -> int:
        """Signatures that are held."""
        return self._size

    def add(self, signed: Sequence[Signed]) -> None:
        """Add signatures, whose numbers are higher than all before."""
        if not signed:
            return
        end = self._size + len(signed)
        if end > len(self._seqs):
            self._move(slice(0, self._size), end + end // _ROOM)
        self._words[:, self._size : end] = _words_of([one.signature for one in signed], self.width).T
        self._seqs[self._size : end] = [one.seq for one in signed]
        self._size, self.last = end, signed[-1].seq

    def drop(self, seqs: Iterable[int]) -> None:
        """Leave out signatures whose notes are gone."""
        held = self._seqs[: self._size]
        stays = np.flatnonzero(~np.isin(held, np.fromiter(seqs, np.int64)))
        if len(stays) < self._size:
            self._move(stays, len(stays) + len(stays) // _ROOM)
            self._size = len(stays)

    def near(self, signature: bytes, most: int) -> Near:
        """The nearest ones.

        Args:
            signature: the question's.
            most: how many.
        """
        apart = self._apart(_words_of([signature], self.width)[0])
        # How many differ by 0 bits, by 1, and so on: all that is asked of them can be told from that.
        counts = np.bincount(apart, minlength=1)
        last = int(np.searchsorted(np.cumsum(counts), min(most, self._size)))
        near = np.flatnonzero(apart <= last)
        best = near[np.argsort(apart[near], kind="stable")[:most]]
        bits = np.arange(len(counts))
        total, squares = int(counts @ bits), int(counts @ (bits * bits))
        return Near(tuple(self._seqs[best].tolist()), floor_of(self._size, total, squares, 8 * self.width))

    def _apart(self, asked: NDArray[np.uint64]) -> NDArray[np.uint16]:
        apart = np.zeros(self._size, np.uint16)
        for at in range(0, self._size, _STEP):
            part = slice(at, min(at + _STEP, self._size))
            for words, word in zip(self._words, asked, strict=True):
                apart[part] += np.bitwise_count(words[part] ^ word)
        return apart

    def _move(self, stays: slice | NDArray[np.intp], room: int) -> None:
        words, seqs = self._words[:, stays], self._seqs[stays]
        self._words = np.empty((len(words), room), np.uint64)
        self._seqs = np.empty(room, np.int64)
        self._words[:, : len(seqs)], self._seqs[: len(seqs)] = words, seqs


def _words_of(signatures: Sequence[bytes], width: int) -> NDArray[np.uint64]:
    """Signatures as numbers of eight bytes, one row for each; bits that are missing are 0."""
    rows = np.zeros((len(signatures), -(-width // _WORD) * _WORD), np.uint8)
    rows[:, :width] = np.frombuffer(b"".join(signatures), np.uint8).reshape(len(signatures), width)
    return rows.view(np.uint64)


def cosines(vector: Sequence[float], packed: Sequence[bytes]) -> list[float]:
    """How near a vector is to others that were kept; see `signature.cosines`.

    Args:
        vector: of the length 1.
        packed: see `signature.pack`.

    Raises:
        CorruptRecord: they are of different lengths.
    """
    check_lengths(vector, packed)
    kept = np.frombuffer(b"".join(packed), "<f2").reshape(len(packed), len(vector)).astype(np.float32)
    found: list[float] = (kept @ np.asarray(vector, np.float32)).tolist()
    return found
