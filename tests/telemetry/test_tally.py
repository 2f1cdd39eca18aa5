"""What is counted is counted once, and never takes more room than it may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.telemetry.tally import MOST_COUNTS, MOST_SPREADS, OTHER, Counter, Distribution, Histogram, Tally

PLAIN = Counter("plain", "without labels")
NAMED = Counter("named", "by name", ("name", "kind"))
TOOK = Histogram("took", "seconds", (0.1, 1.0), ("name",))
BARE = Histogram("bare", "seconds", (0.1, 1.0))


def _tally() -> Tally:
    return Tally((PLAIN, NAMED), (TOOK, BARE))


def test_what_has_no_labels_is_there_from_the_start() -> None:
    tally = _tally()
    assert dict(tally.counted()) == {PLAIN: {(): 0.0}, NAMED: {}}
    assert dict(tally.observed()) == {TOOK: {}, BARE: {(): Distribution((0, 0, 0), 0.0)}}


def test_counts_add_up_by_their_labels() -> None:
    tally = _tally()
    tally.count(PLAIN)
    tally.count(PLAIN, by=2.5)
    tally.count(NAMED, "a", "x")
    tally.count(NAMED, "a", "x")
    tally.count(NAMED, "b", "x")
    assert dict(tally.counted()) == {PLAIN: {(): 3.5}, NAMED: {("a", "x"): 2.0, ("b", "x"): 1.0}}


def test_an_observation_counts_in_every_bucket_that_has_room_for_it() -> None:
    tally = _tally()
    for seconds in (0.1, 0.5, 1.0, 7.0):
        tally.observe(TOOK, seconds, "a")
    assert dict(tally.observed())[TOOK] == {("a",): Distribution((1, 3, 4), 8.6)}


def test_a_clock_that_was_set_back_takes_nothing_away() -> None:
    tally = _tally()
    tally.observe(BARE, -5.0)
    assert dict(tally.observed())[BARE] == {(): Distribution((1, 1, 1), 0.0)}


def test_names_from_outside_take_bounded_room_and_none_is_lost() -> None:
    tally = _tally()
    for number in range(500):
        tally.count(NAMED, f"name {number}", "x")
        tally.observe(TOOK, 0.5, f"name {number}")
    counts, spreads = dict(tally.counted())[NAMED], dict(tally.observed())[TOOK]
    assert (len(counts), len(spreads)) == (MOST_COUNTS + 1, MOST_SPREADS + 1)
    assert counts[OTHER, OTHER] == 500 - MOST_COUNTS
    assert spreads[OTHER,].counts[-1] == 500 - MOST_SPREADS
    tally.count(NAMED, "name 0", "x")
    assert dict(tally.counted())[NAMED]["name 0", "x"] == 2


def test_a_reading_does_not_change_any_more() -> None:
    tally = _tally()
    tally.observe(BARE, 0.5)
    before, spread = dict(tally.counted()), dict(tally.observed())
    tally.count(PLAIN)
    tally.observe(BARE, 0.5)
    assert before[PLAIN] == {(): 0.0}
    assert spread[BARE] == {(): Distribution((0, 1, 1), 0.5)}


def test_a_family_that_is_not_its_own_is_refused() -> None:
    with pytest.raises(KeyError):
        _tally().count(Counter("stranger", "?"))


@given(st.lists(st.floats(min_value=0, max_value=100)))
def test_buckets_rise_and_end_with_all(seconds: list[float]) -> None:
    tally = _tally()
    for one in seconds:
        tally.observe(BARE, one)
    counts = dict(tally.observed())[BARE][()].counts
    assert counts == tuple(sum(one <= bound for one in seconds) for bound in (0.1, 1.0, float("inf")))
