from __future__ import annotations

import pytest

from sulla.speech import COMPLETE, ENGLISH, Language, Reading, read
from sulla.speech.language import MOST_CHARS, MOST_WORDS, look

WHOLE = """
book a table for six at the new thai place
what time does the chemist close
our flight has been moved to monday
who painted this
could you turn it down
i don't know who to ask
please transfer two hundred euros to my landlord
he's much taller than me
if it rains tomorrow we can stay in
set a timer for twenty minutes
wait for the next bus
let me know when you're done
can you hold the door for me
set the alarm for six no seven
that's the one i was telling you about
why does my code crash when the list is empty
how do i put someone on hold
""".strip().splitlines()

BROKEN_OFF = """
book a table for six at the new
how far is it from
our flight has been
the woman who lives upstairs
i have no idea what he
can you send me the
where did you
i was wondering whether
add eggs and
there's a problem with my
if it rains tomorrow
give me the
set a timer for twenty
why does my code
is there any
mark it
they want us
have you ever
in the afternoon
set the alarm for six no
so um
""".strip().splitlines()

HOLDING = """
hang on a minute
just one moment please
let me get my glasses
can you give me a second
um let me think about that
sorry one second
oh wait
""".strip().splitlines()

ANSWERS = [
    ("Tea or coffee?", "either"),
    ("Is that correct?", "no it isn't"),
    ("Which one?", "the blue one"),
    ("Are you ready?", "almost"),
    ("Should I call them back?", "please do"),
    ("Who took the keys?", "my brother did"),
    ("How many people?", "just me"),
]

DICTATED = [
    ("What is your phone number?", "oh seven seven", False),
    ("What is your phone number?", "oh seven seven one two three four five six seven eight", True),
    ("What's your email?", "maria dot lopez at gmail dot", False),
    ("What's your email?", "maria dot lopez at gmail dot com", True),
    ("How do you spell that?", "s m", False),
    (None, "the name is smith s m i t", False),
    (None, "the name is smith s m i t h", True),
    ("What's your card number?", "five one two three", False),
    ("Please read me the four digits.", "five one two three", True),
    (None, "the wifi code is seven", False),
]


@pytest.mark.parametrize("text", WHOLE)
def test_what_could_stand_alone_is_complete(text: str) -> None:
    assert read(text).score >= COMPLETE


@pytest.mark.parametrize("text", BROKEN_OFF)
def test_what_lacks_something_is_not(text: str) -> None:
    assert read(text).score < COMPLETE


@pytest.mark.parametrize("text", BROKEN_OFF[:14])
def test_a_full_stop_proves_nothing(text: str) -> None:
    assert read(f"{text.capitalize()}.").score < COMPLETE


@pytest.mark.parametrize("text", HOLDING)
def test_who_asks_for_time_keeps_the_turn(text: str) -> None:
    reading = read(text)
    assert (reading.kind, reading.score < COMPLETE) == ("hold", True)


@pytest.mark.parametrize(("question", "text"), ANSWERS)
def test_a_short_answer_to_a_question_is_complete(question: str, text: str) -> None:
    assert read(text, question).score >= COMPLETE


@pytest.mark.parametrize(("question", "text", "complete"), DICTATED)
def test_dictation_is_complete_when_as_much_is_there_as_was_asked_for(
    question: str | None, text: str, complete: bool
) -> None:
    reading = read(text, question)
    assert (reading.kind, reading.score >= COMPLETE) == ("dictation", complete)


@pytest.mark.parametrize("text", ["", "  ", "...", "?!", "\u2014"])
def test_where_there_is_no_word_nothing_is_complete(text: str) -> None:
    assert read(text).score == 0.0


@pytest.mark.parametrize("text", ["it\u2019s", "IT'S", "it's"])
def test_case_and_the_shape_of_an_apostrophe_do_not_count(text: str) -> None:
    assert read(text) == read("it's")


def test_only_the_end_of_a_long_text_is_looked_at() -> None:
    said = look("word " * 10_000 + "the", None)
    assert said is not None
    assert len(said.words) <= min(MOST_WORDS, MOST_CHARS)
    assert said.last == "the"


def test_another_language_brings_its_own_rules() -> None:
    dutch = Language(
        "nl",
        frozenset(),
        (lambda said: Reading(0.1, "determiner") if said.last in ("de", "het") else None,),
        Reading(0.8, "nothing_is_missing"),
    )
    assert read("doe de", None, dutch) == Reading(0.1, "determiner")
    assert read("doe de lamp aan", None, dutch).score == 0.8
    assert read("doe de", None, ENGLISH).reason != "determiner"


def test_each_score_lies_between_0_and_1() -> None:
    for text in (*WHOLE, *BROKEN_OFF, *HOLDING):
        words = text.split()
        for end in range(1, len(words) + 1):
            assert 0.0 <= read(" ".join(words[:end])).score <= 1.0
