"""A model's Markdown at a terminal: nothing steers it, nothing is left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.terminal.chat.markdown import renderer

WORD = st.text("abcxyz", min_size=1, max_size=40)
CELLS = st.lists(st.lists(WORD, min_size=2, max_size=6), min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** _it_ `code`", "bold it code\n"),
        ("[text](https://e.example)", "text (https://e.example)\n"),
        ("<https://e.example>", "https://e.example\n"),
        ("![cat](http://p/c.png)", "[picture: cat] (http://p/c.png)\n"),
        ("<b>html</b>", "<b>html</b>\n"),
        ("<script>\nx\n</script>", "<script>\nx\n</script>\n"),
        ("[red]x[/red] :smile:", "[red]x[/red] :smile:\n"),
        ("a\x1b[2Jb\x07", "a[2Jb\n"),
        ("&#x202e;abc &#x1b;[2J", "\\u202eabc \ufffd[2J\n"),
        ("# Head", "Head\n"),
        ("```\na  b\n\n  c\n```", "a  b\n\n  c\n"),
    ],
)
def test_what_is_in_the_text_is_text(text: str, shown: str) -> None:
    assert renderer(60, colour=False)(text).replace("\N{REPLACEMENT CHARACTER}", "\ufffd") == shown


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_terminal_gets_colours_and_no_other_command(text: str) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", renderer(40, colour=True)(text))
    assert not any((ord(one) < 0x20 and one not in "\n\t") or 0x7F <= ord(one) < 0xA0 for one in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


@given(CELLS, st.integers(20, 120))
def test_of_a_table_nothing_is_cut(rows: list[list[str]], columns: int) -> None:
    wide = max(map(len, rows))
    rows = [row + ["z"] * (wide - len(row)) for row in rows]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * wide, *rows[1:]])
    shown = renderer(columns, colour=False)(table)
    assert sorted(re.sub(r"[^a-z]", "", shown)) == sorted("".join("".join(row) for row in rows))
    assert all(len(line) <= columns for line in shown.split("\n"))


@given(st.lists(WORD, min_size=1, max_size=30), st.integers(20, 120))
def test_lines_are_as_wide_as_the_terminal(words: list[str], columns: int) -> None:
    shown = renderer(columns, colour=False)(" ".join(words))
    assert "".join(shown.split()) == "".join(words)
    assert all(len(line) <= columns for line in shown.split("\n"))


def test_a_line_of_its_own_stays_one() -> None:
    assert renderer(60, colour=False)("apples\npears\nplums") == "apples\npears\nplums\n"
