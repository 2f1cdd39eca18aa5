"""A loop that stands still is noticed once, and nobody is blamed for a machine that slept."""

from __future__ import annotations

import pytest

from sulla.telemetry.beats import BEAT_S, LATE_S, LoopBeats, LoopResumed, LoopStalled, ProcessFrozen


def _looked_at(beats: LoopBeats, times: list[float]) -> list[tuple[type, float]]:
    """What was said, and the seconds that it named."""
    said = [one for at in times if (one := beats.look(at)) is not None]
    return [(type(one), round(one.for_s if isinstance(one, ProcessFrozen) else one.late_s, 6)) for one in said]


def test_a_loop_in_time_is_nothing_to_talk_about() -> None:
    beats = LoopBeats(0.0)
    for step in range(1, 5):
        assert beats.beat(step * BEAT_S) == 0.0
        assert beats.look(step * BEAT_S + 0.1) is None
    assert beats.stalls == 0


def test_a_beat_tells_how_late_it_is() -> None:
    assert LoopBeats(0.0).beat(BEAT_S + 0.3) == pytest.approx(0.3)


def test_a_stall_is_told_once_and_its_length_when_it_is_over() -> None:
    beats = LoopBeats(0.0)
    assert _looked_at(beats, [0.25, 0.5, 0.75, 1.0, 1.25, 1.5]) == [(LoopStalled, LATE_S)]
    assert beats.stalls == 1
    assert beats.stalled_s == 0.75
    beats.beat(1.6)
    assert _looked_at(beats, [1.75, 2.0]) == [(LoopResumed, 1.6 - BEAT_S)]


def test_each_stall_is_told() -> None:
    beats = LoopBeats(0.0)
    assert len(_looked_at(beats, [0.25, 0.5, 0.75])) == 1
    beats.beat(0.8)
    assert len(_looked_at(beats, [1.0])) == 1
    assert len(_looked_at(beats, [1.25, 1.5, 1.75])) == 1
    assert beats.stalls == 2


def test_a_process_that_did_not_run_at_all_has_no_stalled_loop() -> None:
    beats = LoopBeats(0.0)
    beats.beat(0.25)
    assert _looked_at(beats, [0.3, 3600.0]) == [(ProcessFrozen, 3600 - 0.3 - BEAT_S)]
    assert beats.stalls == 0
    assert _looked_at(beats, [3600.25]) == []


def test_a_loop_that_does_not_come_back_after_a_freeze_is_stalled() -> None:
    beats = LoopBeats(0.0)
    said = _looked_at(beats, [0.25, 60.0, 60.25, 60.5, 60.75])
    assert [kind for kind, _ in said] == [ProcessFrozen, LoopStalled]
