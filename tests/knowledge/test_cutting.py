"""A text becomes pieces that can be quoted, each with its headings and its line; nothing of it is lost."""

from __future__ import annotations

import pytest

from sulla.knowledge.cutting import HEADING_CHARS, PIECE_CHARS, cut_markdown, cut_pages, cut_plain, placed_in
from sulla.knowledge.section import Cut, Section


def test_markdown_is_cut_at_its_headings() -> None:
    text = "before\n\n# One\nfirst\n\n## **Two** `x` [l](u) ##\n\nsecond\n\n### Three\n# Four\nlast"
    assert list(cut_markdown(text)) == [
        Cut((), 1, "before"),
        Cut(("One",), 4, "first"),
        Cut(("One", "Two x l"), 8, "second"),
        Cut(("Four",), 12, "last"),
    ]


def test_a_heading_can_be_underlined_and_a_rule_or_a_table_is_none() -> None:
    text = "Title\n=====\n\nwords\n\nSub\n---\n\nmore\n\n---\n\nrule above\nline\n---\n"
    assert [(one.headings, one.line) for one in cut_markdown(text)] == [(("Title",), 4), (("Title", "Sub"), 9)]
    assert [one.headings for one in cut_markdown("- item\n---\nx")] == [()]


@pytest.mark.parametrize("fence", ["```", "~~~~", "```sh"])
def test_code_is_no_heading(fence: str) -> None:
    (one,) = cut_markdown(f"# Real\n{fence}\n# comment\n```x\n{fence.removesuffix('sh')}")
    assert one.headings == ("Real",)
    assert "# comment" in one.text


def test_what_stands_behind_code_is_cut_again() -> None:
    assert [one.headings for one in cut_markdown("```\n# no\n```\n# Yes\nx")] == [(), ("Yes",)]


def test_hash_signs_without_a_space_are_no_heading() -> None:
    assert [one.headings for one in cut_markdown("#tag\n####### seven")] == [()]


def test_a_long_heading_is_shortened() -> None:
    (one,) = cut_markdown(f"# {'x' * 999}\nwords")
    assert one.headings == ("x" * (HEADING_CHARS - 1) + "…",)


def test_a_long_section_is_cut_between_paragraphs_and_each_piece_has_its_line() -> None:
    pieces = list(cut_plain("\n\n".join(f"{number} " + "word " * 100 for number in range(9))))
    assert len(pieces) == 5
    assert [one.line for one in pieces] == [1, 5, 9, 13, 17]
    assert all(len(one.text) <= PIECE_CHARS for one in pieces)


@pytest.mark.parametrize("unit", ["word ", "x", "漢", "a\n", "a b\n\n\n"])
def test_nothing_is_lost_whatever_it_is_made_of(unit: str) -> None:
    text = unit * 5000
    pieces = list(cut_markdown(text))
    assert all(0 < len(one.text) <= PIECE_CHARS for one in pieces)
    assert "".join("".join(one.text.split()) for one in pieces) == "".join(text.split())


def test_nothing_comes_of_nothing() -> None:
    assert not [*cut_plain(" \n\n\t"), *cut_markdown("# only\n## headings\n"), *cut_pages(["", "\n"])]


def test_pages_are_counted() -> None:
    assert list(cut_pages(["one", "", "\nthree"])) == [Cut((), 1, "one", 1), Cut((), 2, "three", 3)]


def test_what_was_made_of_a_page_says_where_it_stands_in_the_page() -> None:
    page = "<body>\n<h1>A &amp; <b>b</b></h1>\n<p>x\n<h2\nid=q>Next</h2>\n<p>y"
    made = cut_markdown("# A &amp; **b**\n\nx\n\n## Next\n\ny\n\n## Elsewhere\n\nz")
    assert [(one.headings[-1], one.line) for one in placed_in(page, made)] == [
        *(("A &amp; b", 1), ("Next", 4), ("Elsewhere", 4)),
    ]
    made = cut_markdown("# A & **b**\n\nx\n\n## Next\n\ny")
    assert [one.line for one in placed_in(page, made)] == [2, 4]


def test_of_two_headings_that_say_the_same_the_next_one_counts() -> None:
    page = "<h1>A</h1>\nx\n<h2>Same</h2>\ny\n<h1>B</h1>\n<h2>Same</h2>\nz"
    made = cut_markdown("# A\nx\n## Same\ny\n# B\nw\n## Same\nz")
    assert [one.line for one in placed_in(page, made)] == [1, 3, 5, 6]


def test_a_citation_says_file_headings_page_and_line() -> None:
    assert Section("a/b.md", Cut(("One", "Two"), 7, "x")).citation == "a/b.md, One > Two, line 7"
    assert Section("c.pdf", Cut((), 3, "x", 12)).citation == "c.pdf, page 12, line 3"
    row = Section("c.pdf", Cut(("H",), 3, "x", 12)).row
    assert row == {"file": "c.pdf", "headings": ["H"], "page": 12, "line": 3, "text": "x"}
