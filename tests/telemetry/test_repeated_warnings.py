from __future__ import annotations

from sulla.telemetry.repeated_warnings import MOST, WINDOW_S, WarningCounter

HERE, THERE = ("door.py", 1), ("door.py", 2)


def test_one_place_gets_so_many_lines_within_a_window_and_again_in_the_next() -> None:
    flood = WarningCounter()
    assert [flood.over(HERE, 5.0) for _ in range(MOST + 2)] == [False] * MOST + [True] * 2
    assert flood.over(HERE, 5.0 + WINDOW_S - 0.1)
    assert not flood.over(HERE, 5.0 + WINDOW_S)


def test_another_place_is_not_kept_from_saying_something() -> None:
    flood = WarningCounter()
    for _ in range(2 * MOST):
        flood.over(HERE, 5.0)
    assert not flood.over(THERE, 5.0)


def test_a_clock_that_was_set_back_silences_nobody() -> None:
    flood = WarningCounter()
    for _ in range(2 * MOST):
        flood.over(HERE, 5000.0)
    assert not flood.over(HERE, 5.0)
