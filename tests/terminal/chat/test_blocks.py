"""Where an answer that comes in pieces is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.terminal.chat.blocks import MOST_CHARS, Blocks

LINES = st.lists(
    st.sampled_from(
        ["", "a word", "- item", "1. item", "  more", "```", "~~~~", "```py", "# Head", "|a|b|", "> quote"]
    ),
    max_size=20,
)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo\n\n", "three\n"]),
        ("- a\n\n- b\n\n  more\n\nthen", ["- a\n\n- b\n\n  more\n\n", "then\n"]),
        ("```\na\n\nb\n```\nthen", ["```\na\n\nb\n```\n", "then\n"]),
        ("````\n```\n````\nthen", ["````\n```\n````\n", "then\n"]),
        ("~~~\n```\n~~~\nthen", ["~~~\n```\n~~~\n", "then\n"]),
        ("\n\n\n", []),
        ("", []),
    ],
)
def test_a_text_is_cut_between_its_blocks(text: str, blocks: list[str]) -> None:
    cut = Blocks()
    assert [*cut.add(text), *cut.end()] == blocks


@given(LINES, st.lists(st.integers(1, 7), min_size=1, max_size=30))
def test_however_a_text_comes_nothing_of_it_is_lost(lines: list[str], sizes: list[int]) -> None:
    text, blocks, whole = "\n".join(lines), Blocks(), list[str]()
    at = number = 0
    while at < len(text):
        size = sizes[number % len(sizes)]
        whole += blocks.add(text[at : at + size])
        at, number = at + size, number + 1
    assert "".join([*whole, *blocks.end()]).split() == text.split()


@given(LINES, st.integers(1, 7))
def test_the_pieces_of_a_text_do_not_change_its_blocks(lines: list[str], size: int) -> None:
    text = "\n".join(lines)
    pieces, once = Blocks(), Blocks()
    cut = [block for at in range(0, len(text), size) for block in pieces.add(text[at : at + size])]
    assert [*cut, *pieces.end()] == [*once.add(text), *once.end()]


def test_a_block_is_bounded_and_code_goes_on_as_code() -> None:
    blocks = Blocks()
    whole = blocks.add("```\n" + "x = 1\n" * (MOST_CHARS // 3))
    assert len(whole) > 1
    assert all(block.startswith("```\n") and len(block) <= MOST_CHARS + 100 for block in whole)
    assert len(Blocks().add("y" * (2 * MOST_CHARS))) == 1
