"""Signatures are looked through as one by one, however they are turned, joined and left out."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.memory.vectors import index as index_module
from sulla.memory.vectors.base import Signed
from sulla.memory.vectors.index import OUTSTANDING, SignatureIndex
from sulla.memory.vectors.planes import block_of, differing, moments
from sulla.memory.vectors.signature import (
    SIGNATURE_BITS,
    cosine,
    cosine_at,
    normalised,
    pack,
    signature_of,
    width_of,
)

SIGNATURES = st.lists(st.binary(min_size=3, max_size=3), min_size=1, max_size=40)


def _apart(one: bytes, other: bytes) -> int:
    return (int.from_bytes(one, "little") ^ int.from_bytes(other, "little")).bit_count()


@given(SIGNATURES, st.binary(min_size=3, max_size=3), st.data())
def test_the_planes_hold_how_many_bits_of_each_signature_differ(
    signatures: list[bytes], asked: bytes, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(signatures)))
    block = block_of(signatures[:cut])
    if signatures[cut:]:
        block = block.joined(block_of(signatures[cut:]))
    gone = data.draw(st.sets(st.integers(0, len(signatures) - 1)))
    planes = differing(block, asked)
    sums = [sum((plane >> place & 1) << digit for digit, plane in enumerate(planes)) for place in range(block.size)]
    apart = [_apart(one, asked) for one in signatures]
    assert sums == apart
    left = [bits for place, bits in enumerate(apart) if place not in gone]
    of = block.without(sorted(gone))
    assert moments([of], [planes]) == (len(left), sum(left), sum(bits * bits for bits in left))


@settings(deadline=None)
@given(
    st.lists(st.binary(min_size=2, max_size=2), max_size=60),
    st.binary(min_size=2, max_size=2),
    st.integers(1, 20),
    st.data(),
)
def test_the_nearest_are_those_that_differ_least_wherever_they_lie(
    signatures: list[bytes], asked: bytes, most: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "TAIL", 8)
        patch.setattr(index_module, "BLOCK", 16)
        patch.setattr(index_module, "ENOUGH", 5)
        index = SignatureIndex(2)
        signed = [Signed(3 * number + 5, one) for number, one in enumerate(signatures)]
        at = 0
        while at < len(signed):
            step = data.draw(st.integers(1, 30))
            index.add(signed[at : at + step])
            at += step
        gone = data.draw(st.sets(st.sampled_from([one.seq for one in signed]))) if signed else set()
        index.drop(gone | {1, 10_000})
        left = {one.seq: _apart(one.signature, asked) for one in signed if one.seq not in gone}
        near = index.near(asked, most)
    assert len(index) <= len(signed)
    assert len(set(near.seqs)) == len(near.seqs) == min(most, len(left))
    assert sorted(left[seq] for seq in near.seqs) == sorted(left.values())[:most]
    if len(left) >= 5:
        mean = sum(left.values()) / len(left)
        spread = max(sqrt(sum(bits * bits for bits in left.values()) / len(left) - mean * mean + 1e-12), 2.0)
        assert near.floor == pytest.approx(cosine_at(mean - OUTSTANDING * spread, 16), abs=1e-6)
    else:
        assert near.floor == -1.0


def test_a_vector_is_kept_nearly_as_it_is_and_its_signature_tells_where_it_points() -> None:
    chance = random.Random(4)
    one, other = ([chance.gauss(0, 1) for _ in range(900)] for _ in range(2))
    near = [number + 0.5 * chance.gauss(0, 1) for number in one]
    asked, kept, far = normalised(one), normalised(near), normalised(other)
    exact = sum(a * b for a, b in zip(asked, kept, strict=True))
    assert cosine(asked, pack(kept)) == pytest.approx(exact, abs=1e-3)
    assert len(signature_of(asked)) == width_of(900) == SIGNATURE_BITS // 8
    apart = [_apart(signature_of(asked), signature_of(place)) for place in (kept, far)]
    assert cosine_at(apart[0], SIGNATURE_BITS) == pytest.approx(exact, abs=0.1)
    assert abs(cosine_at(apart[1], SIGNATURE_BITS)) < 0.15
    assert [signature_of([0.1, -0.2, 0.3]), width_of(3)] == [b"\x05", 1]


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(InvalidInput, match="zeros alone"):
        normalised([0.0, 0.0])
    with pytest.raises(CorruptRecord, match="a vector of 2 numbers; the model in use gives 3"):
        cosine([1.0, 0.0, 0.0], pack([1.0, 0.0]))
