"""A vector as it is kept, and its signature: the signs of its numbers, by which the near ones are found first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sqrt
from operator import mul
from struct import Struct
from typing import Final

from sulla.core.errors import CorruptRecord, InvalidInput

SIGNATURE_BITS: Final = 768
"""Of a longer vector only the first numbers are signed: 50,000 signatures of so many bits take 5 MiB. The exact look at
the nearest ones goes by all numbers."""

_HALF: Final = 2
"""Bytes of a number as it is kept: half precision, whose error is far below what tells two texts apart."""


def normalised(vector: Sequence[float]) -> list[float]:
    """The same direction, of the length 1.

    Raises:
        InvalidInput: it has no direction.
    """
    length = sqrt(sum(map(mul, vector, vector)))
    if not length:
        raise InvalidInput("an embedding of zeros alone has no direction: expected numbers that are not all 0")
    return [number / length for number in vector]


def pack(vector: Sequence[float]) -> bytes:
    """A vector as it is kept.

    Args:
        vector: of the length 1.
    """
    return Struct(f"<{len(vector)}e").pack(*vector)


def signature_of(vector: Sequence[float]) -> bytes:
    """The signs of the first `SIGNATURE_BITS` numbers, eight to a byte, the lowest bit first; the rest of the last byte
    is 0.
    """
    bits = sum(1 << place for place, number in enumerate(vector[:SIGNATURE_BITS]) if number > 0)
    return bits.to_bytes(width_of(len(vector)), "little")


def width_of(numbers: int) -> int:
    """Bytes of the signature of a vector with so many numbers."""
    return (min(numbers, SIGNATURE_BITS) + 7) // 8


def cosines(vector: Sequence[float], packed: Sequence[bytes]) -> list[float]:
    """How near a vector is to others that were kept: 1 for the same direction, 0 for nothing in common.

    Args:
        vector: of the length 1.
        packed: see `pack`.

    Raises:
        CorruptRecord: they are of different lengths.
    """
    check_lengths(vector, packed)
    numbers = Struct(f"<{len(vector)}e")
    return [float(sum(map(mul, vector, numbers.unpack(one)))) for one in packed]


def check_lengths(vector: Sequence[float], packed: Sequence[bytes]) -> None:
    """See that vectors which were kept have as many numbers as another one.

    Raises:
        CorruptRecord: one has not.
    """
    for one in packed:
        if len(one) != _HALF * len(vector):
            raise CorruptRecord(f"a vector of {len(one) / _HALF:g} numbers; the model in use gives {len(vector)}")


def cosine_at(distance: float, bits: int) -> float:
    """The cosine that two vectors have most likely whose signatures differ so much.

    For directions without a preferred one the part of signs that differ is the angle's part of a half turn.

    Args:
        distance: bits that differ.
        bits: of a signature.
    """
    return cos(pi * min(max(distance / bits, 0.0), 1.0))
