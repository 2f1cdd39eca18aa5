from __future__ import annotations

from math import inf, nan

import pytest

from sulla.core.errors import InvalidInput
from sulla.graph.limits import GraphLimits, LimitReason, RunMeter

LIMITS = GraphLimits(max_steps=10, wall_s=60.0, tokens=500)


def test_the_defaults_are_the_designs() -> None:
    assert (GraphLimits().wall_s, GraphLimits().tokens) == (1800.0, 500_000)
    assert GraphLimits().max_steps == 1000


def test_below_every_limit_a_run_goes_on() -> None:
    assert LIMITS.check(9, 59.9, 499) is None


@pytest.mark.parametrize(
    ("steps", "elapsed_s", "tokens", "over", "by"),
    [
        (10, 0.0, 0, LimitReason("max_steps", 10, 10), 0),
        (11, 0.0, 0, LimitReason("max_steps", 10, 11), 1),
        (0, 60.0, 0, LimitReason("wall_s", 60.0, 60.0), 0),
        (0, 72.5, 0, LimitReason("wall_s", 60.0, 72.5), 12.5),
        (0, 0.0, 500, LimitReason("tokens", 500, 500), 0),
        (0, 0.0, 512, LimitReason("tokens", 500, 512), 12),
    ],
)
def test_a_limit_that_is_used_up_says_which_and_by_how_much(
    steps: int, elapsed_s: float, tokens: int, over: LimitReason, by: float
) -> None:
    found = LIMITS.check(steps, elapsed_s, tokens)
    assert found == over
    assert over.by == by


def test_of_several_limits_steps_come_first_and_tokens_last() -> None:
    assert LIMITS.check(10, 60.0, 500) == LimitReason("max_steps", 10, 10)
    assert LIMITS.check(0, 60.0, 500) == LimitReason("wall_s", 60.0, 60.0)


def test_a_limit_reads_well() -> None:
    assert str(LimitReason("wall_s", 1800.0, 1812.5)) == "wall_s: 1812.5 used of 1800"
    assert str(LimitReason("tokens", 500_000, 1_234_567)) == "tokens: 1234567 used of 500000"


def test_nothing_left_is_a_limit_too() -> None:
    assert GraphLimits(max_steps=0).check(0, 0.0, 0) == LimitReason("max_steps", 0, 0)


@pytest.mark.parametrize("name", ["max_steps", "wall_s", "tokens"])
@pytest.mark.parametrize("value", [-1, nan, -inf])
def test_a_limit_that_is_no_amount_is_refused(name: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=rf"limit '{name}' is .*; expected a number of at least 0"):
        GraphLimits(**{name: value})  # type: ignore[arg-type]  # the mistake under test


def test_a_run_that_was_not_resumed_has_used_nothing() -> None:
    assert RunMeter() == RunMeter(elapsed_s=0.0, tokens=None)
