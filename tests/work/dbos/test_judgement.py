"""Who was silent itself says of nobody that he is dead."""

from __future__ import annotations

from sulla.work.dbos.judgement import BEAT_S, DEAD_S, Judgement


def _first_s(judgement: Judgement, from_s: float) -> float:
    """When it may judge, at one beat after the other."""
    now_s = from_s
    while not judgement.beat(now_s, BEAT_S):
        now_s += BEAT_S
    return now_s - from_s


def test_one_that_has_just_begun_judges_when_all_that_live_have_had_time_to_say_so() -> None:
    assert _first_s(Judgement(100.0), 100.0) == DEAD_S + BEAT_S


def test_an_outage_makes_it_begin_anew() -> None:
    judgement = Judgement(0.0)
    assert judgement.beat(100.0, BEAT_S)
    judgement.failed(101.0)
    assert _first_s(judgement, 101.0) == DEAD_S + BEAT_S


def test_so_does_standing_still_but_not_a_late_beat() -> None:
    judgement = Judgement(0.0)
    assert judgement.beat(100.0, DEAD_S)
    assert not judgement.beat(110.0, DEAD_S + 0.001)
    assert _first_s(judgement, 110.0) == DEAD_S + BEAT_S
