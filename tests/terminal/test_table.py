"""What is printed for people: aligned, plain where it should be, and harmless whatever it holds."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.terminal.table import Paper, Table, harmless, one_line, paper, width

PLAIN = Paper()


@given(st.text())
def test_no_text_can_steer_a_terminal(text: str) -> None:
    assert all(character in "\n\t" or character.isprintable() or ord(character) > 0x9F for character in harmless(text))
    assert not set(one_line(text)) & set("\n\t\r\x1b\x9b\u202e\u2066")


HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


@given(st.text(st.sampled_from("ab \u202e\u202c\u2066\u2069\u200b\u200d\u200e\u200f\u2028\U000e0041\U000e007f\n")))
def test_what_cannot_be_seen_or_turns_a_line_reaches_no_terminal(text: str) -> None:
    assert not HIDDEN.search(harmless(text))
    assert not HIDDEN.search(one_line(text))
    assert not set(harmless(text)) & set("\u200b\u200d\u200e\u200f")


@pytest.mark.parametrize("text", ["👩\u200d👩\u200d👧", "❤\ufe0f", "می\u200cروم", "क्\u200dष", "שלום"])
def test_what_emoji_and_scripts_need_stays(text: str) -> None:
    assert (harmless(text), one_line(text)) == (text, text)


@given(st.text())
def test_a_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Trip\nto\tRome", "Trip to Rome"),
        ("\x1b]0;owned\x07Rome", "]0;ownedRome"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("  Zoë 東京  ", "Zoë 東京"),
    ],
)
def test_what_is_left_of_a_title(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text(), st.integers(1, 20))
def test_a_line_is_cut_to_the_columns_that_it_may_have(text: str, most: int) -> None:
    assert width(one_line(text, most)) <= most


def test_a_cut_line_says_so() -> None:
    assert one_line("Trip to Rome", 7) == "Trip t…"
    assert one_line("Trip", 4) == "Trip"
    assert one_line("東京都", 5) == "東京…"


def test_columns_are_aligned_also_under_wide_characters() -> None:
    table = Table(("ID", "WHO", "TITLE"), (6, 5), PLAIN)
    lines = [table.head(), table.row(("a", "sulla", "one")), table.row(("b", "東京", "two"))]
    assert lines == ["ID      WHO    TITLE", "a       sulla  one", "b       東京   two"]


def test_what_is_too_wide_is_not_cut_and_not_glued_to_its_neighbour() -> None:
    assert Table(("ID", "TITLE"), (2,), PLAIN).row(("a_long_id", "one")) == "a_long_id  one"


def test_the_last_column_ends_at_the_edge_of_the_terminal() -> None:
    table = Table(("ID", "TITLE"), (2,), Paper(12))
    assert table.row(("a", "a long title")) == "a   a long …"
    assert Table(("ID", "TITLE"), (2,), PLAIN).row(("a", "x" * 500)).endswith("x" * 500)


THREADS = ("THREAD", "LAST (CET)", "STATUS", "AGENT", "TITLE")
ROW = ("thr_0123456789abcdef01234567", "2027-01-15 09:00", "suspended +2", "sulla", "The garden in winter")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (100, "thr_0123456789abcdef01234567  2027-01-15 09:00  suspended +2  sulla  The garden in winter"),
        (80, "thr_0123456789abcdef01234567  2027-01-15 09:00  suspende…  sulla  The garden in…"),
        (60, "thr_01234567  01-15 09:00  suspende…  sulla  The garden in …"),
        (40, "thr_01234567  01-15 09:00  The garden i…"),
    ],
)
def test_a_row_fits_its_terminal_with_ids_by_their_beginnings(columns: int, line: str) -> None:
    table = Table(THREADS, (28, 16, 9, 5), Paper(columns))
    assert table.row(ROW) == line
    assert width(table.row(ROW)) <= columns


@given(
    st.integers(20, 200), st.lists(st.sampled_from([*ROW, "x", "a long cell of some words"]), min_size=5, max_size=5)
)
def test_no_row_is_wider_than_its_terminal(columns: int, cells: list[str]) -> None:
    table = Table(THREADS, (28, 16, 9, 5), Paper(columns))
    assert width(table.row(["a", *cells[1:]])) <= columns


def test_emphasis_is_for_those_who_can_see_it() -> None:
    assert Paper(80, colour=True).bold("head") == "\x1b[1mhead\x1b[0m"
    assert Paper(80).bold("head") == Paper(80).faint("head") == "head"


@pytest.mark.parametrize(
    ("terminal", "environment", "colour"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colour_only_on_a_terminal_that_wants_it(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert paper().colour is colour
    assert (paper().columns is not None) is terminal
