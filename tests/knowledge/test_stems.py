from __future__ import annotations

import pytest

from sulla.knowledge.stems import stem


@pytest.mark.parametrize(
    "words",
    [
        "cancel cancelled cancelling cancellation",
        "descale descaling descaled",
        "charge charged charging",
        "ship shipped shipping",
        "deliver delivered delivering",
        "supply supplied",
        "pay paying payment",
        "replace replacement replaced",
    ],
)
def test_the_forms_of_a_word_are_one(words: str) -> None:
    assert len(set(map(stem, words.split()))) == 1


@pytest.mark.parametrize("words", ["bring brine", "string stress", "red reed", "thing thin", "ring ride", "water wade"])
def test_other_words_stay_apart(words: str) -> None:
    assert len(set(map(stem, words.split()))) == 2


@pytest.mark.parametrize("word", ["", "a", "e3", "4711", "größe", "漢字", "au-114", "xxing"])
def test_what_is_no_english_word_stays_as_it_is(word: str) -> None:
    assert stem(word) == word
