from __future__ import annotations

from itertools import pairwise

from sulla.speech.turn_taking.classic import is_complete_thought
from sulla.speech.turn_taking.pace import Pace
from sulla.speech.turn_taking.profile import CLASSIC, FLOOR_MS, SILENCE_MS, TYPICAL_PAUSE_MS, wait_ms


def test_the_figures_of_classic_are_those_of_the_seed() -> None:
    assert (CLASSIC.pause_ms, CLASSIC.silence_ms, CLASSIC.max_turn_ms, CLASSIC.least_chars) == (
        1_500,
        3_000,
        15_000,
        20,
    )


def test_the_wait_falls_as_the_score_rises_and_stays_within_its_bounds() -> None:
    for pace in (0.0, 0.5, 1.0, 1.3, 9.0):
        waits = [wait_ms(score / 100, pace) for score in range(-5, 110)]
        assert all(one >= other for one, other in pairwise(waits))
        assert min(waits) == FLOOR_MS
        assert max(waits) <= SILENCE_MS
    assert wait_ms(0.0) == SILENCE_MS


def test_pace_follows_pauses_and_not_gaps_between_chunks_nor_silence() -> None:
    pace = Pace()
    for start_ms in range(0, 100_000, 10_000):
        pace.spoke(start_ms)
        pace.paused_until(start_ms + 100)
        pace.paused_until(start_ms + 5_000)
    assert pace.share == 1.0
    for start_ms in range(100_000, 1_000_000, 10_000):
        pace.spoke(start_ms)
        pace.paused_until(start_ms + 3 * TYPICAL_PAUSE_MS)
    assert 2.9 < pace.share <= 3.0


def test_a_complete_thought_ends_a_sentence_or_asks_for_something() -> None:
    whole = (
        "That will be all for today.",
        "Is it raining?",
        'He said "stop!"',
        "please order more of it",
        "well thanks",
    )
    open_ = ("the boiler in the cellar", "what", "can you", "pleased to meet", "whatever happens there")
    assert [text for text in whole if not is_complete_thought(text)] == []
    assert [text for text in open_ if is_complete_thought(text)] == []
