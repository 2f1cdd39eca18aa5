"""Tables where a service has none."""

from __future__ import annotations

import random

from sulla.channels.machine.tables import MOST_COLUMNS, aligned, listed, room_of

ROWS = [["Name", "Many"], ["rice", "2"], ["\u5927\u7c73", "10"]]


def test_a_narrow_table_has_its_columns_below_each_other() -> None:
    assert aligned(ROWS) == "Name | Many\n-----|-----\nrice | 2\n\u5927\u7c73 | 10"
    assert aligned([["a" * (MOST_COLUMNS - 4), "b"], ["c"]])
    assert aligned([["a" * (MOST_COLUMNS - 3), "b"], ["c"]]) == ""


def test_a_wide_one_is_a_list_where_there_is_room() -> None:
    assert listed(ROWS, 100) == "\u2022 Name: rice\n  Many: 2\n\u2022 Name: \u5927\u7c73\n  Many: 10"
    assert listed(ROWS, 10) == "Name | Many\nrice | 2\n\u5927\u7c73 | 10"
    assert listed([["", "b"], ["x", ""]], 100) == "\u2022 x"
    assert listed([["a", "b"]], 100) == "a | b"


def test_its_room_never_falls() -> None:
    chance = random.Random(7)
    text = "".join(chance.choice(("|", "-", "word ", "\n", "a" * 40)) for _ in range(400))
    takes = [len(text[:end]) + room_of(text[:end]) for end in range(len(text))]
    assert takes == sorted(takes)
