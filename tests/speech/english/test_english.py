from __future__ import annotations

import pytest

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
)
from sulla.speech.turn_taking.detector import COMPLETE
from tests.speech.streams import ENGLISH

read = ENGLISH.read
bits_of = ENGLISH.vocabulary.bits_of

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


OPEN = [
    "it seems that the parcel i posted",
    "does the night train from paris to milan",
    "the reason the lamp flickers",
    "next time the boiler leaks",
    "had you asked the caretaker",
    "all i want for my birthday",
    "provided that the old bridge",
    "could you explain to doreen",
    "tell the bakery",
    "hand milena",
    "i'm sure the gardener",
    "they say that horses",
    "it was too late to fetch",
    "who do you reckon",
    "what are you",
    "i know what you were",
    "that's exactly what i was trying to",
    "a town called",
    "let's call it",
    "the phone has to be plugged",
    "please make sure",
    "the broom stands",
    "the water fell below",
    "she's a bit",
    "it is much too",
    "my sister and a very quiet and",
    "order four mango",
    "there were seven",
    "less than nine",
    "jump to chapter",
    "the jar is too heavy so could you",
    "we ended up",
    "on the one hand it's quick",
    "there are two problems one the price",
    "the more you dig the more",
    "as if the tap was",
    "play jazz actually",
    "find out",
    "The kite is yellow",
    "now that the rain has stopped",
    "ring the plumber no not",
    "my cup is full sorry not",
    "pack the kettle, my slippers, a",
    "we want him",
    "whoever left the gate open",
    "which box did you send to anna with",
    "give it to whoever",
    "i think there is",
]
"""Broken off, one construction each."""

WHOLE = [
    "the dog wants out",
    "if the bus is late could you fetch me",
    "the tyre gets checked twice a year",
    "this is the oldest we have",
    "that reminds me of a trick my cousin knew",
    "the roof my uncle built leaks",
    "the kettle next to the sink whistles",
    "it was the coldest april anyone remembers",
    "he's not the player he used to be",
    "most of what she paints is sold",
    "what i forgot to mention was the rent",
    "nobody knows how long the queue is",
    "i wonder how many stamps this needs",
    "with the curtains drawn it's too dark",
    "where does this footpath lead to",
    "the fog comes from outside",
    "i've no idea why",
    "show me how",
    "she sings the way her mother does",
    "what a strange lamp that was",
    "my neighbour's away and the cat's hungry",
    "i need a present for a ten year old",
    "close the shutters a little more",
    "is this scarf anybody's",
    "not only is it cheap it also works",
    "both the lift and the stairs",
    "set it to thirty make that twenty",
    "it's not worth painting is it",
    "that lamp'll do",
    "they shouted but he never answered",
    "the bread that's in the bin is mouldy",
    "how come the gate is open",
    "call me on two hundred and fifty six",
    "close the lid once it has cooled",
    "we've been friends ever since",
    "don't leave me behind",
    "it's louder than before",
    "can i have a look around",
    "bring your sister along",
    "i'd like the best of both",
    "we do what we can",
    "i can cook and my brother can",
    "i know what the machine does",
    "why is that",
    "lovely day isn't it",
    "what do you think the time is",
    "we need him",
    "as you know",
    "no matter how late it is call me",
    "i meant to but i forgot to",
    "TURN THE LIGHTS OFF",
    "are whales mammals",
    "she told me earlier",
    "don't get this wet",
    "are these ripe",
    "that's my aunt not my mother",
    "keep the gate a little open",
    "of course",
    "of course the tower is closed",
    "remind me in ten minutes",
    "connect the phone and the speaker",
    "what if it rains",
    "i promise to never lie again",
    "we left because to be honest it was dull",
    "explain it to doreen",
]
"""Whole, one construction each."""

ANSWERED = [
    ("Who will bring the tent?", "my cousin will", True),
    ("Could you lend me yours?", "i'd rather not", True),
    ("Where shall I put it?", "wherever the others are", True),
    ("Why did they leave?", "because they", False),
    ("When shall we meet?", "um probably", False),
    ("How often does it ring?", "ten times a minute", True),
    ("Which three towns did you see?", "bath wells", False),
    ("Is the soup hot?", "it already was", True),
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


@pytest.mark.parametrize("text", OPEN)
def test_what_breaks_off_in_such_a_place_is_not_complete(text: str) -> None:
    assert read(text).score < COMPLETE


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_whole_in_such_a_way_is_complete(text: str) -> None:
    assert read(text).score >= COMPLETE


@pytest.mark.parametrize(("question", "text", "complete"), ANSWERED)
def test_an_answer_is_read_with_its_question(question: str, text: str, complete: bool) -> None:
    assert (read(text, question).score >= COMPLETE) is complete


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("Why does the pump", True),
        ("Our cellar floods whenever the river", False),
        ("We paid for the", False),
        ("The old barn leaks", False),
        ("the old barn leaks", True),
        ("I like it", True),
    ],
)
def test_punctuation_decides_where_the_words_leave_a_doubt(text: str, complete: bool) -> None:
    end = "?" if text.startswith("Why") else ""
    assert (read(text + end).score >= COMPLETE) is complete


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
