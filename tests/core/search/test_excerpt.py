"""An excerpt shows where the words stand that were looked for."""

from __future__ import annotations

import pytest

from sulla.core.search.excerpt import excerpt
from sulla.core.search.terms import asked_terms

FILLING = "nothing of it here " * 30


def shown(text: str, words: str, most_chars: int = 100) -> str:
    found = excerpt(text, asked_terms(words), most_chars)
    assert len(found) <= most_chars
    return found


def test_a_short_text_is_shown_whole() -> None:
    assert shown("The train leaves.", "train") == "The train leaves."


@pytest.mark.parametrize(
    ("words", "written"),
    [("otter", "Otters"), ("cafe", "Café"), ("cafe", "Cafe\u0301"), ("東京", "東京都"), ("19", "19")],
)
def test_a_long_text_is_shown_around_the_word_that_fits(words: str, written: str) -> None:
    found = shown(f"{FILLING}{written} {FILLING}", words)
    assert found.startswith("…")
    assert found.endswith("…")
    assert written in found


def test_the_place_with_most_of_the_words_is_shown() -> None:
    assert "train to Rome" in shown(f"{FILLING}a train. {FILLING}The train to Rome leaves.", "rome train")


def test_the_last_word_of_a_text_is_shown() -> None:
    assert shown(f"{FILLING}otter", "otter").endswith("otter")


def test_a_word_at_the_beginning_has_no_mark_before_it() -> None:
    assert shown(f"An otter. {FILLING}", "otter").startswith("An otter.")


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    assert shown(f"Begin. {FILLING}", "otter").startswith("Begin.")
