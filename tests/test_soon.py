from __future__ import annotations

import asyncio

import pytest

from tests.soon import TRIES, PatientClock, attempts, undisturbed


def test_the_first_try_that_is_quick_enough_is_the_last_one() -> None:
    times = iter([3.0, 2.0, 1.0])
    for took in attempts(1.0):
        took.append(next(times))
    assert took == [3.0, 2.0, 1.0]


def test_what_is_late_in_every_try_fails_with_all_times() -> None:
    turns = attempts(1.0)
    for _ in range(TRIES):
        next(turns).append(2.0)
    with pytest.raises(AssertionError, match=rf"none of {TRIES} tries took at most 1 s: \[2.0, "):
        next(turns)


def test_a_try_that_tells_no_time_fails() -> None:
    turns = attempts(1.0)
    next(turns)
    with pytest.raises(AssertionError, match="did not tell how long it took"):
        next(turns)


def test_what_came_of_the_first_undisturbed_try_is_given_back() -> None:
    assert undisturbed(lambda turn: turn, lambda found: found == 2) == 2


def test_if_every_try_is_disturbed_the_last_one_is_given_back() -> None:
    assert undisturbed(lambda turn: turn, lambda found: False) == TRIES - 1


async def test_a_patient_clock_waits_for_much_longer_than_it_was_asked_to_until_it_is_told_not_to() -> None:
    clock = PatientClock()
    async with clock.timeout(0.0):
        for _ in range(10):
            await asyncio.sleep(0)
    clock.patience_s = 0.0
    with pytest.raises(TimeoutError):
        async with clock.timeout(0.001):
            await asyncio.Event().wait()
