"""What a daemon gains with each thousand turns is the slope of what it weighed, once it is warm."""

from __future__ import annotations

import pytest

from bench.growth import DESCRIPTORS_BAR, SLOPE_BAR_MIB, Weight, rows, slope_mib


def weighed(*, by_mib: float, descriptors: int = 40) -> list[Weight]:
    cold = Weight(500, 50.0, 30)  # what comes before the first thousand counts for nothing
    warm = (Weight(turns, 100 + by_mib * turns / 1000, 40) for turns in (1000, 1500, 2000))
    return [cold, *warm, Weight(2500, 100 + by_mib * 2.5, descriptors)]


@pytest.mark.parametrize("by_mib", [0.0, 0.5, 3.0])
def test_the_slope_is_what_each_thousand_turns_add(by_mib: float) -> None:
    assert slope_mib(weighed(by_mib=by_mib)[1:]) == pytest.approx(by_mib)


def test_a_daemon_that_grows_or_keeps_files_open_misses_its_bar() -> None:
    assert all(row.ok for row in rows(weighed(by_mib=SLOPE_BAR_MIB / 2)))
    assert [row.name for row in rows(weighed(by_mib=SLOPE_BAR_MIB * 2)) if not row.ok] == [
        "growth for each 1,000 turns"
    ]
    leaking = rows(weighed(by_mib=0.0, descriptors=40 + DESCRIPTORS_BAR + 1))
    assert [row.name for row in leaking if not row.ok] == ["descriptors, most that came to these"]
