from __future__ import annotations

import pytest

from sulla.speech import COMPLETE, read
from sulla.speech.english.lexicon import (
    ADJECTIVE,
    ALONE,
    BASE,
    ING,
    KNOWN,
    NOUN,
    OBJECT,
    PARTICIPLE,
    PAST,
    PERSON,
    PLURAL,
    PRESENT,
    TIME,
    bits_of,
)

LACKING = [
    ("paint it in the new", "noun_is_missing"),
    ("it stands behind an enormous", "noun_is_missing"),
    ("look behind the washing", "first_half_of_a_name"),
    ("we only use", "object_is_missing"),
    ("the intern has configured", "object_is_missing"),
    ("put the milk", "where_or_how_is_missing"),
    ("remind my sister", "what_is_missing"),
    ("let the dog", "verb_is_missing"),
    ("did the nurse", "verb_is_missing"),
    ("are the tickets", "predicate_is_missing"),
    ("the woman who lives upstairs", "main_verb_is_missing"),
    ("when the dishwasher finishes", "main_clause_is_missing"),
    ("our engineer reckons the pump", "clause_without_verb"),
    ("something that the neighbours", "relative_clause_without_verb"),
    ("between the sofa", "and_is_missing"),
    ("carry a torch a knife", "list_without_and"),
    ("the more you read", "the_more_the_better"),
    ("as soon", "leads_on"),
]

FILLED = [
    "what are you looking for",
    "which drawer did you put them in",
    "that's the bag i told you about",
    "i have nothing to wear",
    "this knife is easy to sharpen",
    "tell me what you need",
    "he drives faster than i do",
    "take as many as you want",
    "the lights are still on",
    "please turn it off",
    "let the cat in",
    "the printer broke down",
    "she told me",
    "we had the roof repaired",
    "when the rain stops water the roses",
    "if it rains it's too dear",
    "the keys you gave me don't fit",
    "every time it thunders the dog hides",
    "what a mess",
    "how about a cup of tea",
    "it's a pity you can't come",
    "the older i get the less i sleep",
    "put it back where you found it",
    "anna's asleep",
    "set it for six no seven",
]


BEFORE_OBJECTS = ["could you order the red", "she has bought an enormous", "swap the living", "set the alarm for the"]


@pytest.mark.parametrize("text", BEFORE_OBJECTS)
def test_a_text_that_breaks_off_inside_a_noun_phrase_is_not_complete(text: str) -> None:
    assert read(text).score < COMPLETE


@pytest.mark.parametrize(("text", "reason"), LACKING)
def test_what_a_text_lacks_is_named(text: str, reason: str) -> None:
    reading = read(text)
    assert (reading.reason, reading.score < COMPLETE) == (reason, True)


@pytest.mark.parametrize("text", FILLED)
def test_what_stands_elsewhere_is_not_missed(text: str) -> None:
    assert read(text).score >= COMPLETE


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        ("stopping", ING | KNOWN),
        ("carries", PRESENT | KNOWN),
        ("told", PAST | PARTICIPLE | OBJECT),
        ("buy", BASE | OBJECT),
        ("arrives", PRESENT | ALONE),
        ("sister", NOUN | PERSON),
        ("kinder", ADJECTIVE),
        ("zorgly", TIME),
        ("zorgs", NOUN | PLURAL),
        ("zorging", ING),
    ],
)
def test_a_word_is_known_in_its_forms_or_by_its_ending(word: str, bits: int) -> None:
    assert bits_of(word) & bits == bits


def test_a_full_text_of_the_longest_kind_is_read_to_its_end() -> None:
    assert read("we went there and " * 40 + "bought the").score < COMPLETE
    assert read("we went there and " * 40 + "came home").score >= COMPLETE
