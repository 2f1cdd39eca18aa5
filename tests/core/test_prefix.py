"""Ids by their beginnings."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput, NotFound
from sulla.core.prefix import chosen

IDS = ("sch_a1", "sch_a12", "sch_b7")


def test_one_that_begins_so_is_meant_and_the_very_id_comes_first() -> None:
    wanted = {"sch_b": "sch_b7", "sch_a12": "sch_a12", "sch_a1": "sch_a1"}
    assert {begins: chosen(begins, IDS, "schedule", "") for begins in wanted} == wanted


def test_of_several_all_are_named_up_to_a_bound() -> None:
    with pytest.raises(InvalidInput, match=r"^2 schedules begin with 'sch_a': sch_a1, sch_a12; type more of the id$"):
        chosen("sch_a", IDS, "schedule", "")
    with pytest.raises(InvalidInput, match=r"^more than 8 things begin with 'x': x0, .*x7 …; type more"):
        chosen("x", (f"x{number}" for number in range(10)), "thing", "")


def test_none_says_where_they_are() -> None:
    for begins in ("z", ""):
        with pytest.raises(NotFound, match=r"no schedule begins with '.?'; `sulla schedule` shows them"):
            chosen(begins, IDS, "schedule", "`sulla schedule` shows them")
