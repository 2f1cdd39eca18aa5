"""A daemon does not grow with what it has done: three thousand turns in two thousand threads, as in `bench growth`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.growth import DESCRIPTORS_BAR, SLOPE_BAR_MIB, slope_mib, weigh

FULL = 1_500
"""Turns after which what is kept between turns is full in so short a life."""


@pytest.mark.faults
@pytest.mark.timeout(1800)
async def test_many_turns_leave_neither_memory_nor_open_files_behind(tmp_path: Path) -> None:
    weights = [one for one in await weigh(tmp_path, 3_000, 2_000) if one.turns >= FULL]
    print(*weights, sep="\n")
    assert slope_mib(weights) <= SLOPE_BAR_MIB
    assert max(one.descriptors for one in weights) - weights[0].descriptors <= DESCRIPTORS_BAR
