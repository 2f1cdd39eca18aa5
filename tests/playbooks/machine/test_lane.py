"""Whose turn it is among a playbook's runs: never more than may, the oldest first, and the same when asked again."""

from __future__ import annotations

import random

import pytest

from sulla.core.errors import CorruptRecord
from sulla.playbooks.definition import Concurrency
from sulla.playbooks.machine.lane import (
    MOST_IN_LANE,
    Lane,
    LanePlace,
    LaneVerdict,
    decided,
    kept,
    lane_key,
    read_lane,
    waiting,
    without,
)

QUEUE, SKIP, CANCEL = (Concurrency(when_full=how) for how in ("queue", "skip", "cancel_old"))


def run(number: int) -> LanePlace:
    return LanePlace(f"thr_{number}", f"run_{number}", number)


def entered(lane: Lane, number: int, wanted: Concurrency) -> LaneVerdict:
    return decided(lane, run(number), wanted)


def test_a_queue_lets_the_oldest_go_when_the_one_before_has_left() -> None:
    lane = entered((), 1, QUEUE).lane
    later = entered(lane, 3, QUEUE)
    assert (later.what, later.behind) == ("wait", ("thr_1",))
    older = entered(later.lane, 2, QUEUE)
    assert (older.what, older.behind) == ("wait", ("thr_1",))
    lane = without(older.lane, "thr_1", "run_1")
    assert [place.run for place in waiting(lane)] == ["thr_2", "thr_3"]
    assert entered(lane, 3, QUEUE).what == "wait"
    assert entered(lane, 2, QUEUE).what == "go"


def test_where_runs_are_skipped_the_lane_stays_as_it_is() -> None:
    lane = entered((), 1, SKIP).lane
    verdict = entered(lane, 2, SKIP)
    assert (verdict.what, verdict.behind, verdict.lane) == ("skip", ("thr_1",), lane)


def test_what_a_person_has_go_on_waits_where_others_are_skipped() -> None:
    lane = entered((), 1, SKIP).lane
    assert decided(lane, run(2), SKIP, may_skip=False).what == "wait"


def test_a_new_one_has_as_many_old_ones_cancelled_as_it_needs() -> None:
    wanted = Concurrency(limit=2, when_full="cancel_old")
    lane: Lane = ()
    for number in (1, 2):
        lane = entered(lane, number, wanted).lane
    third = entered(lane, 3, wanted)
    assert (third.what, third.cancels) == ("wait", ("thr_1",))
    fourth = entered(third.lane, 4, wanted)
    assert (fourth.what, fourth.cancels) == ("wait", ("thr_1", "thr_2"))
    assert entered(fourth.lane, 4, wanted).cancels == fourth.cancels, "whoever was to tell them may have been killed"


def test_a_run_that_begins_anew_is_another_one_in_its_lane() -> None:
    lane = entered((), 1, QUEUE).lane
    anew = LanePlace("thr_1", "run_9", 9)
    verdict = decided(lane, anew, QUEUE)
    assert verdict.what == "go"
    assert [place.turn for place in verdict.lane] == ["run_9"]
    assert without(verdict.lane, "thr_1", "run_1") == verdict.lane


def test_a_lane_that_is_full_takes_nobody_in() -> None:
    lane = tuple(run(number)._replace(goes=number == 0) for number in range(MOST_IN_LANE))
    assert entered(lane, MOST_IN_LANE, QUEUE).what == "skip"


@pytest.mark.parametrize("how", ["queue", "skip", "cancel_old"])
def test_however_they_come_and_go_no_more_go_on_than_may_and_nobody_waits_without_need(how: str) -> None:
    wanted = Concurrency(limit=3, when_full=how)  # type: ignore[arg-type]  # one of three words
    chance = random.Random(how)
    lane: Lane = ()
    for number in range(2_000):
        before = {place.run for place in lane if place.goes}
        if chance.random() < 0.5 and lane:
            left = chance.choice(lane)
            lane = without(lane, left.run, left.turn)
            for place in waiting(lane)[: wanted.limit]:
                lane = decided(lane, place, wanted).lane
        else:
            lane = entered(lane, number + chance.randint(-5, 0) * 3, wanted).lane
        going = {place.run for place in lane if place.goes}
        assert len(going) <= wanted.limit
        assert len(going) == wanted.limit or not waiting(lane)
        assert len(before - going) <= 1, "nobody loses its turn but by leaving"


def test_a_lane_is_kept_as_it_is_and_anything_else_is_refused() -> None:
    lane = (run(1)._replace(goes=True), run(2))
    assert read_lane(kept(lane)) == lane
    assert read_lane(None) == ()
    for wrong in (b"{", b"[1]", b'[["a"]]'):
        with pytest.raises(CorruptRecord, match="a lane of runs cannot be read"):
            read_lane(wrong)


def test_runs_count_together_by_playbook_and_key() -> None:
    assert lane_key("p", {"b": 1, "a": 2}) == lane_key("p", {"a": 2, "b": 1})
    assert len({lane_key("p", None), lane_key("q", None), lane_key("p", "1"), lane_key("p", 1)}) == 4
