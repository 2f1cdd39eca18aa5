"""Each file is taken once, by whoever is in its folder already, and nobody is idle while a file is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.processes.shares import Shares

ROOMS = "store store store cli cli core core".split()
FILES = "s1 s1 s2 c1 c2 k1 k2".split()


def test_whoever_is_in_a_folder_goes_on_there_and_another_begins_elsewhere() -> None:
    shares = Shares(ROOMS, FILES)
    assert [shares.take(1), shares.take(2), shares.take(1), shares.take(2)] == [[0, 1], [3], [2], [4]]


def test_where_no_folder_is_free_somebody_helps_in_the_fullest() -> None:
    shares = Shares(["store"] * 3 + ["cli"] * 4, range(7))
    assert [shares.take(1), shares.take(2), shares.take(3), shares.take(3)] == [[3], [0], [4], [5]]


def test_the_short_ones_come_last() -> None:
    shares = Shares(ROOMS, FILES, last={"store", "core"})
    assert [shares.take(1) for _ in range(6)] == [[3], [4], [0, 1], [2], [5], [6]]


def test_the_slow_ones_come_first() -> None:
    shares = Shares(ROOMS, FILES, last={"store"}, first={"core"})
    assert [shares.take(1) for _ in range(6)] == [[5], [6], [3], [4], [0, 1], [2]]


def test_what_one_left_that_has_ended_another_takes() -> None:
    shares = Shares(["cli", "cli"], ["c1", "c1"])
    assert shares.take(1) == [0, 1]
    assert shares.take(2) == []
    shares.give_back([1])
    assert shares.take(2) == [1]
    assert shares.take(2) == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3))), st.lists(st.integers(0, 2)))
def test_each_test_is_taken_once(tests: list[tuple[str, int]], turns: list[int]) -> None:
    shares = Shares([room for room, _ in tests], tests)
    taken = [number for who in turns for number in shares.take(who)]
    while more := shares.take(9):
        taken += more
    assert sorted(taken) == list(range(len(tests)))
