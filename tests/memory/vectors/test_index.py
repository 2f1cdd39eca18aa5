"""Signatures are looked through as one by one, however they are turned, joined and left out."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.memory.vectors import index as index_module
from sulla.memory.vectors import ways
from sulla.memory.vectors.base import Signed
from sulla.memory.vectors.index import OUTSTANDING
from sulla.memory.vectors.planes import block_of, differing, moments
from sulla.memory.vectors.signature import (
    SIGNATURE_BITS,
    cosine_at,
    normalised,
    pack,
    signature_of,
    width_of,
)
from sulla.memory.vectors.ways import PLAIN, Way, load_way

WAYS = pytest.mark.parametrize("way", [PLAIN, load_way()], ids=["plain", "loaded"])

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


def test_without_a_numpy_that_counts_bits_python_alone_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (PLAIN.name, load_way().name) == ("plain Python", "numpy")
    monkeypatch.setattr(ways, "version", lambda name: "1.26.4")
    assert load_way() == PLAIN

    def none(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(ways, "version", none)
    assert load_way() == PLAIN


def test_nothing_loads_numpy_before_the_first_search() -> None:
    code = "import sys, sulla.memory.build, sulla.memory.checks; assert 'numpy' not in sys.modules, 'loaded'"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@WAYS
def test_the_nearest_stay_where_blocks_and_what_came_last_have_more_than_are_wanted(way: Way) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "TAIL", 8)
        patch.setattr(index_module, "BLOCK", 16)
        index = way.make(2)
        same, one, two = b"\x00\x00", b"\x00\x01", b"\x00\x03"
        index.add([Signed(number, bits) for number, bits in enumerate([*[same] * 14, one, two, same, same], 1)])
        near = index.near(same, 16)
    assert set(near.seqs) == {*range(1, 15), 17, 18}


@WAYS
@settings(deadline=None)
@given(
    st.lists(st.binary(min_size=2, max_size=2), max_size=60),
    st.binary(min_size=2, max_size=2),
    st.integers(1, 20),
    st.data(),
)
def test_the_nearest_are_those_that_differ_least_wherever_they_lie(
    way: Way, signatures: list[bytes], asked: bytes, most: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "TAIL", 8)
        patch.setattr(index_module, "BLOCK", 16)
        patch.setattr(index_module, "ENOUGH", 5)
        index = way.make(2)
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


def test_both_ways_find_the_same_among_twenty_thousand() -> None:
    chance = random.Random(5)
    signed = [Signed(2 * number + 1, chance.randbytes(96)) for number in range(20_000)]
    plain, loaded = (way.make(96) for way in (PLAIN, load_way()))
    for index in (plain, loaded):
        for at in range(0, len(signed), 3_000):
            index.add(signed[at : at + 3_000])
        index.drop(one.seq for one in signed[500:9_000:7])
    asked = chance.randbytes(96)
    apart = {one.seq: _apart(one.signature, asked) for one in signed}
    found, expected = loaded.near(asked, 64), plain.near(asked, 64)
    assert sorted(apart[seq] for seq in found.seqs) == sorted(apart[seq] for seq in expected.seqs)
    assert found.floor == pytest.approx(expected.floor)


@WAYS
def test_a_vector_is_kept_nearly_as_it_is_and_its_signature_tells_where_it_points(way: Way) -> None:
    chance = random.Random(4)
    one, other = ([chance.gauss(0, 1) for _ in range(900)] for _ in range(2))
    near = [number + 0.5 * chance.gauss(0, 1) for number in one]
    asked, kept, far = normalised(one), normalised(near), normalised(other)
    exact = sum(a * b for a, b in zip(asked, kept, strict=True))
    assert way.cosines(asked, [pack(kept), pack(asked)]) == pytest.approx([exact, 1.0], abs=1e-3)
    assert way.cosines(asked, []) == []
    assert len(signature_of(asked)) == width_of(900) == SIGNATURE_BITS // 8
    apart = [_apart(signature_of(asked), signature_of(place)) for place in (kept, far)]
    assert cosine_at(apart[0], SIGNATURE_BITS) == pytest.approx(exact, abs=0.1)
    assert abs(cosine_at(apart[1], SIGNATURE_BITS)) < 0.15
    assert [signature_of([0.1, -0.2, 0.3]), width_of(3)] == [b"\x05", 1]


@WAYS
def test_what_cannot_be_compared_is_said(way: Way) -> None:
    with pytest.raises(InvalidInput, match="zeros alone"):
        normalised([0.0, 0.0])
    with pytest.raises(CorruptRecord, match="a vector of 2 numbers; the model in use gives 3"):
        way.cosines([1.0, 0.0, 0.0], [pack([1.0, 0.0, 0.0]), pack([1.0, 0.0])])
