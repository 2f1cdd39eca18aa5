"""The signatures of one scope's notes, looked through for the nearest in Python's own numbers. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import chain, islice
from math import sqrt
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.memory.vectors.base import Signed
from sulla.memory.vectors.planes import Block, block_of, differing, least, moments, places
from sulla.memory.vectors.signature import cosine_at

BLOCK: Final = 8_192
"""Signatures of one block: enough that Python's own steps do not count, and few enough that none takes long."""

TAIL: Final = 1_024
"""Signatures that are kept as they came, until there are enough for a block."""

OUTSTANDING: Final = 3.5
"""By how many standard deviations a note has to be nearer than the usual one to be about what is asked. Of 50,000 notes
without any relation 12 are as near by chance; those are told apart by what is exact (`search.Meanings`)."""

ENOUGH: Final = 256
"""Notes from which on it is known how near they usually are; of fewer, the ones that are meant are too large a part."""


@dataclass(frozen=True, slots=True)
class Near:
    """The notes that are nearest to a question by their signatures, and how near notes are at all."""

    seqs: tuple[int, ...]
    floor: float
    """The cosine from which on a note stands out among all that there are; -1 where they are too few to say."""


class SignatureIndex:
    """Implements `ways.Signatures`, with no library. What it holds is some 100 bytes for each note.

    Args:
        width: bytes of a signature.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.last = 0
        """The highest number that was added."""
        self._seqs = array("q")
        self._blocks: list[Block] = []
        self._tail: list[tuple[int, int]] = []

    def __len__(self) -> int:
        """Signatures that were added, those that do not count any more among them."""
        return len(self._seqs) + len(self._tail)

    def add(self, signed: Sequence[Signed]) -> None:
        """Add signatures, whose numbers are higher than all before."""
        self._tail += [(one.seq, int.from_bytes(one.signature, "little")) for one in signed]
        self.last = signed[-1].seq if signed else self.last
        while len(self._tail) >= TAIL:
            room = BLOCK - self._blocks[-1].size if self._blocks else BLOCK
            moved, self._tail = self._tail[: room or BLOCK], self._tail[room or BLOCK :]
            block = block_of([bits.to_bytes(self.width, "little") for _, bits in moved])
            self._seqs.extend(seq for seq, _ in moved)
            if room and self._blocks:
                self._blocks[-1] = self._blocks[-1].joined(block)
            else:
                self._blocks.append(block)

    def drop(self, seqs: Iterable[int]) -> None:
        """Leave out signatures whose notes are gone."""
        gone = set(seqs)
        self._tail = [one for one in self._tail if one[0] not in gone]
        for at, block in enumerate(self._blocks):
            first = sum(one.size for one in self._blocks[:at])
            slots = (bisect_left(self._seqs, seq, first, first + block.size) for seq in gone)
            held = [slot - first for slot in slots if slot < first + block.size and self._seqs[slot] in gone]
            if held:
                self._blocks[at] = block.without(held)

    def near(self, signature: bytes, most: int) -> Near:
        """The nearest ones.

        Args:
            signature: the question's.
            most: how many.
        """
        planes = [differing(block, signature) for block in self._blocks]
        found = least(self._blocks, planes, most)
        asked = int.from_bytes(signature, "little")
        loose = [((bits ^ asked).bit_count(), seq) for seq, bits in self._tail]
        best = nsmallest(most, loose)
        less = [*self._at(found.less), *(seq for bits, seq in best if bits < found.bits)]
        if len(less) > most:  # of each kind fewer than wanted are less, but together they may be more: the nearest stay
            less = [seq for _, seq in nsmallest(most, chain(self._apart(found.less, planes), best))]
        equal = [*self._at(found.equal), *(seq for bits, seq in best if bits == found.bits)]
        rest = [seq for bits, seq in best if bits > found.bits]
        seqs = tuple(islice(chain(less, equal, rest), most))
        return Near(seqs, self._floor(planes, [distance for distance, _ in loose]))

    def _at(self, rows: Iterable[int]) -> Iterator[int]:
        first = 0
        for block, row in zip(self._blocks, rows, strict=True):
            yield from (self._seqs[first + place] for place in places(row))
            first += block.size

    def _apart(self, rows: Iterable[int], planes: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
        """Some of the blocks' signatures, each with the bits in which it differs."""
        first = 0
        for block, row, plane in zip(self._blocks, rows, planes, strict=True):
            for place in places(row):
                differ = sum((digit >> place & 1) << high for high, digit in enumerate(plane))
                yield differ, self._seqs[first + place]
            first += block.size

    def _floor(self, planes: Sequence[Sequence[int]], loose: Sequence[int]) -> float:
        number, total, squares = moments(self._blocks, planes)
        squares += sum(distance * distance for distance in loose)
        return floor_of(number + len(loose), total + sum(loose), squares, 8 * self.width)


def floor_of(number: int, total: int, squares: int, bits: int) -> float:
    """The cosine from which on a note stands out; see `Near.floor`.

    Args:
        number: signatures.
        total: the sum of the bits in which each differs from the question's.
        squares: the sum of the squares of these.
        bits: of a signature.
    """
    if number < ENOUGH:
        return -1.0
    mean = total / number
    # The signs of vectors that have nothing in common differ by so much at least, however few there are.
    spread = max(sqrt(max(squares / number - mean * mean, 0.0)), sqrt(bits) / 2)
    return cosine_at(mean - OUTSTANDING * spread, bits)
