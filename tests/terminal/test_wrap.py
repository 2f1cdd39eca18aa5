"""Lines as wide as a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.terminal.table import width
from sulla.terminal.wrap import in_two, indented, wrapped

TEXT = st.lists(st.sampled_from(["a", "b", " ", "-", "\u65e5", "e\u0301"]), max_size=60).map("".join)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("", [""]),
        ("one two three", ["one two", "three"]),
        ("a  b", ["a  b"]),
        ("abcdefghijkl", ["abcdefgh", "ijkl"]),
        ("  in", ["  in"]),
        ("\u65e5\u65e5\u65e5\u65e5\u65e5", ["\u65e5\u65e5\u65e5\u65e5", "\u65e5"]),
        ("a\tb", ["a    b"]),
    ],
)
def test_a_line_is_broken_at_blanks_or_where_it_has_to_be(line: str, rows: list[str]) -> None:
    assert list(wrapped(line, 8)) == rows


@given(TEXT, st.integers(2, 20))
def test_nothing_is_left_out_and_no_row_is_too_wide(line: str, columns: int) -> None:
    rows = list(wrapped(line, columns))
    assert "".join("".join(rows).split()) == "".join(line.split())
    assert all(width(row) <= columns for row in rows)


def test_names_and_what_they_are_stand_side_by_side() -> None:
    assert list(in_two([("a", "first"), ("bc", "a second one that is long")], 26)) == [
        "a   first",
        "bc  a second one that is",
        "    long",
    ]
    assert list(in_two([("x" * 30, "about")], 60)) == ["x" * 30, " " * 22 + "  about"]
    assert list(in_two([("x" * 30, ""), ("y", "")], 60)) == ["x" * 30, "y"]


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("    one two three", ["    one two", "    three"]),
        ("\x1b[2m    one two three\x1b[0m", ["    \x1b[2mone two", "    three\x1b[0m"]),
        ("one two three four", ["one two", "three four"]),
        (" " * 30 + "far away", ["      far", "      away"]),
        ("", [""]),
    ],
)
def test_what_goes_on_below_is_as_far_from_the_edge_as_its_line(line: str, rows: list[str]) -> None:
    assert list(indented(line, 12)) == rows
