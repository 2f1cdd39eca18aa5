"""The ways to compare signatures and vectors: with numpy where it is installed, in Python's own numbers elsewhere.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.memory.vectors.base import Signed
from sulla.memory.vectors.index import Near, SignatureIndex
from sulla.memory.vectors.signature import cosines

_COUNTS_BITS: Final = 2
"""The first main version of numpy that counts bits."""


class Signatures(Protocol):
    """The signatures of one scope's notes, to be looked through for the nearest.

    The ways are held to one kit (tests/memory/vectors/test_index.py).
    """

    width: int
    """Bytes of a signature."""
    last: int
    """The highest number that was added."""

    def __len__(self) -> int:
        """Signatures that are held, some of them perhaps of notes that are gone."""

    def add(self, signed: Sequence[Signed]) -> None:
        """Add signatures, whose numbers are higher than all before."""

    def drop(self, seqs: Iterable[int]) -> None:
        """Leave out signatures whose notes are gone."""

    def near(self, signature: bytes, most: int) -> Near:
        """The nearest ones, the nearest first or, among those that are given, in any order.

        Args:
            signature: the question's.
            most: how many.
        """


@dataclass(frozen=True, slots=True)
class Way:
    """A way to compare."""

    name: str
    make: Callable[[int], Signatures]
    """Makes an empty index, for signatures of so many bytes."""
    cosines: Callable[[Sequence[float], Sequence[bytes]], list[float]]
    """The cosines of a vector of the length 1 and of others as they are kept."""
    is_quick: bool
    """Whether it takes so little (3 ms for all signatures that are ever held) that a thread for it would cost more."""


PLAIN: Final = Way("plain Python", SignatureIndex, cosines, is_quick=False)


def has_numpy() -> bool:
    """Whether a numpy is installed that can be used. It is not loaded."""
    try:
        return int(version("numpy").partition(".")[0]) >= _COUNTS_BITS
    except PackageNotFoundError:
        return False


def load_way() -> Way:
    """The best way that there is. This loads numpy, which takes a tenth of a second or more."""
    if not has_numpy():
        return PLAIN
    from sulla.memory.vectors import matrix

    return Way("numpy", matrix.SignatureMatrix, matrix.cosines, is_quick=True)
