"""What is shown of a text by its lines."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sulla.core.errors import InvalidInput
from sulla.tools.builtin import ranges
from sulla.tools.builtin.ranges import show_range


def plainly(text: str, first_line: int, lines: int) -> list[str]:
    """The lines, found in the simplest way."""
    every = text.split("\n")
    return (every[:-1] if every[-1] == "" else every)[first_line - 1 : first_line - 1 + lines]


@given(some.text("ab\n", max_size=60), some.integers(1, 70), some.integers(1, 70))
def test_the_lines_that_were_asked_for_are_shown(text: str, first_line: int, lines: int) -> None:
    wanted = plainly(text, first_line, lines)
    if not text:
        assert show_range("x", text, first_line, lines).told == "[x is empty]"
    elif not wanted:
        with pytest.raises(InvalidInput, match="is behind its end"):
            show_range("x", text, first_line, lines)
    else:
        head, _, shown = show_range("x", text, first_line, lines).told.partition("\n")
        assert shown.split("\n") == wanted
        total = len(plainly(text, 1, 100))
        last = first_line + len(wanted) - 1
        assert head.startswith(f"[x: lines {first_line}-{last} of {total}")
        assert ("go on with" in head) is (last < total)


def test_far_into_a_long_text_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_BLOCK", 7)
    text = "\n".join(f"line {number}" for number in range(500))
    for first_line in (1, 2, 250, 499, 500):
        shown = show_range("x", text, first_line, 3).told.partition("\n")[2]
        assert shown.split("\n") == plainly(text, first_line, 3)


def test_a_text_of_line_breaks_alone_takes_no_more_memory_than_another() -> None:
    text = "\n" * 4_000_000
    tracemalloc.start()
    try:
        assert show_range("x", text, 3_999_999, 5).told.startswith("[x: lines 3999999-4000000 of 4000000]")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000


@given(some.text("aé\n", min_size=1, max_size=60), some.integers(1, 70), some.integers(0, 70), some.integers(2, 80))
def test_what_is_shown_is_the_text_itself_and_what_is_not_is_told(
    text: str, first_line: int, lines: int, most: int
) -> None:
    every = text.splitlines(keepends=True)
    if first_line > len(every):
        return
    shown = show_range("x", text, first_line, lines, most)
    wanted = "".join(every[first_line - 1 :][: lines or None])
    assert wanted.startswith(shown.text)
    assert shown.is_cut is (shown.text != wanted)
    assert shown.lines == len(every)
