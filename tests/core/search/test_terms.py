"""The words that notes are found by."""

from __future__ import annotations

import pytest

from sulla.core.search.terms import MAX_ASKED_TERMS, MAX_TERMS, asked_terms, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Deploys of the day", ["deploy", "day"]),
        ("Zürich, ZÜRICH!", ["zurich", "zurich"]),
        ("queries and classes, status bus", ["query", "classe", "status", "bus"]),
        ("read_file /etc/hosts 8137 x 7", ["read", "file", "etc", "host", "8137", "7"]),
        ("日本語 ok", ["日本", "本語", "ok"]),
        ("the of and \n\t ... __", []),
    ],
)
def test_words_lose_case_accents_plurals_and_what_says_nothing(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_a_very_long_text_or_word_is_bounded() -> None:
    assert len(terms("word " * 10_000)) == MAX_TERMS
    assert terms("x" * 10_000) == ["x" * 40]
    assert len(terms("語" * 10_000)) == MAX_TERMS


def test_a_question_has_each_word_once_and_not_too_many() -> None:
    assert asked_terms("tea, Tea and TEAS") == ["tea"]
    assert len(asked_terms(" ".join(f"w{n}" for n in range(500)))) == MAX_ASKED_TERMS
