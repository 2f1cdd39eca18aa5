"""Every limit stops exactly at its figure and says which it was and by how much."""

from __future__ import annotations

import pytest

from sulla.agent.limits import RunLimits, check_model_call, check_wall
from sulla.core.errors import LimitReached
from sulla.core.ids import RunId
from sulla.threads import OpenRun

LIMITS = RunLimits()


def used(**values: int) -> OpenRun:
    return OpenRun(RunId("run"), 1, 1_000_000, **values)  # type: ignore[arg-type]  # fields by name


def test_the_fiftieth_model_call_is_the_last() -> None:
    check_model_call(used(model_calls=49), 0, LIMITS)
    with pytest.raises(LimitReached, match="made 50 model calls and may make 50") as caught:
        check_model_call(used(model_calls=50), 0, LIMITS)
    assert caught.value.reason == "limit_model_calls"


def test_tokens_are_reserved_before_a_call() -> None:
    check_model_call(used(tokens=400_000), 100_000, LIMITS)
    with pytest.raises(LimitReached, match="which is 1 over its limit of 500000") as caught:
        check_model_call(used(tokens=400_000), 100_001, LIMITS)
    assert caught.value.reason == "limit_tokens"


def test_a_run_has_half_an_hour() -> None:
    check_wall(used(), 1_000 + 1_800, LIMITS)
    with pytest.raises(LimitReached, match="taken 1801 s and may take 1800 s") as caught:
        check_wall(used(), 1_000 + 1_801, LIMITS)
    assert caught.value.reason == "limit_wall_s"
