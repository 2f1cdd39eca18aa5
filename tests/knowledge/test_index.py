"""Sections are found by their words, and none where no section has enough of the question."""

from __future__ import annotations

from sulla.knowledge.cutting import cut_markdown
from sulla.knowledge.index import FIT, KnowledgeIndex, asked_words, indexed
from sulla.knowledge.section import Cut, Section

TEXT = """
# Kettle

It boils water in four minutes. See refunds.

## Refunds

Money goes back to the card.

## Colours

Red, green and blue.
"""


def index_of(*texts: str) -> KnowledgeIndex:
    cuts = ((f"f{number}.md", cut) for number, text in enumerate(texts) for cut in cut_markdown(text))
    return KnowledgeIndex([indexed(Section(file, cut)) for file, cut in cuts])


def found(index: KnowledgeIndex, question: str, most: int = 9) -> list[str]:
    return [one.section.place for one in index.search(question, most)]


def test_a_heading_counts_more_than_the_text() -> None:
    assert found(index_of(TEXT), "refunds") == ["Kettle > Refunds, line 8", "Kettle, line 4"]
    assert found(index_of(TEXT), "refunds", 1) == ["Kettle > Refunds, line 8"]


def test_the_headings_further_out_and_the_name_of_the_file_count_too() -> None:
    assert found(index_of(TEXT), "colours of the kettle")[0] == "Kettle > Colours, line 12"
    one = indexed(Section("handbook/parental-leave.md", Cut((), 1, "Ten months.")))
    assert [hit.section for hit in KnowledgeIndex([one]).search("parental leave", 1)] == [one.section]


def test_an_unknown_word_of_a_question_is_held_against_a_passage() -> None:
    index = index_of(TEXT)
    assert found(index, "boiling water") != []
    assert found(index, "boiling lava volcano") == []
    assert found(index, "helicopter") == []
    assert index.search("boiling lava volcano", 1, fit=0.0) != []


def test_a_question_without_a_word_that_counts_finds_nothing() -> None:
    assert asked_words("What can I do with it, and how?") == ()
    assert found(index_of(TEXT), "What can I do with it, and how?") == []
    assert found(index_of(TEXT), "") == []


def test_where_there_is_nothing_nothing_is_found() -> None:
    assert found(KnowledgeIndex(), "refunds") == []


def test_what_counts_the_same_keeps_its_order_and_says_how_well_it_fits() -> None:
    hits = index_of("# A\nkiln", "# A\nkiln").search("kiln", 2)
    assert [hit.section.file for hit in hits] == ["f0.md", "f1.md"]
    assert hits[0].fit == 1.0 > FIT
    assert hits[0].score == hits[1].score > 0


def test_words_without_spaces_are_found() -> None:
    assert found(index_of("# 茶\n緑茶は七十五度"), "緑茶は") == ["茶, line 2"]
