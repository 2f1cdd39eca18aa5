from __future__ import annotations

from random import Random

import pytest

from sulla.speech.english.text import MOST_CHARS, MOST_WORDS, look
from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.detector import COMPLETE, UNKNOWN, Reading, Style
from sulla.speech.turn_taking.profile import ADAPTIVE
from tests.speech.streams import ENGLISH

read = ENGLISH.read

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
    said = look(ENGLISH.vocabulary, "word " * 10_000 + "the", None)
    assert said is not None
    assert len(said.words) <= min(MOST_WORDS, MOST_CHARS)
    assert said.last == "the"


class Dutch:
    """A detector of one rule."""

    def learn(self, text: str, style: Style) -> Style:
        """Nothing is to be learnt."""
        return style

    def read(self, text: str, question: str | None = None, style: Style = UNKNOWN) -> Reading:
        """No sentence ends with an article."""
        is_open = text.rsplit(maxsplit=1)[-1] in ("de", "het")
        return Reading(0.1, "determiner") if is_open else Reading(0.8, "nothing_is_missing")


def test_another_language_brings_its_own_detector() -> None:
    for text, expected in (
        ("doe de", Reading(0.1, "determiner")),
        ("doe de lamp aan", Reading(0.8, "nothing_is_missing")),
    ):
        buffer = SpeechBuffer(ADAPTIVE, Dutch())
        buffer.feed(Chunk("u", 1, "cumulative", text, len(text)), 0)
        buffer.tick(ADAPTIVE.floor_ms)
        assert buffer.status(ADAPTIVE.floor_ms).reading == expected
    assert read("doe de").reason != "determiner"


def test_the_profile_that_reads_what_is_said_is_refused_without_a_detector() -> None:
    with pytest.raises(ValueError, match="give the buffer a detector"):
        SpeechBuffer(ADAPTIVE)


def test_each_score_lies_between_0_and_1() -> None:
    for text in (*WHOLE, *BROKEN_OFF, *HOLDING):
        words = text.split()
        for end in range(1, len(words) + 1):
            assert 0.0 <= read(" ".join(words[:end])).score <= 1.0


ODD_WORDS = (
    "' 's s' zz'll 007 \u00b2 \u00bd \u0663 stra\u00dfe \u0130stanbul \u4f60\u597d \U0001f642 _ - @ "
    "\x00 NOT THE no not sorry step two number make that i mean as in the it's to please dot at capital of one "
    "who which between and"
).split(" ")


def test_any_words_have_a_reading_and_always_the_same() -> None:
    chance = Random(7)
    usual = " ".join((*WHOLE, *BROKEN_OFF, *HOLDING)).split()
    questions = (None, "Two digits?", "How do you spell it?", "Which three?", "Is it?", "?", "the")
    for _ in range(3_000):
        words = chance.choices(chance.choice((ODD_WORDS, usual)), k=chance.choice((1, 2, 3, 4, 7, 60)))
        text = " ".join(words) + chance.choice(("", ".", "?", ",", "..."))
        question = chance.choice(questions)
        reading = read(text, question)
        assert 0.0 <= reading.score <= 1.0, (text, question)
        assert reading == read(text, question)


@pytest.mark.parametrize(
    "text", ["the " * 5_000, "x" * 20_000, "no not " * 3_000, ", " * 9_000, "let me just " * 1_700]
)
def test_of_a_very_long_text_or_question_no_more_than_the_end_counts(text: str) -> None:
    assert read(text) == read(text[-2 * MOST_CHARS :])
    assert read("the blue", text) == read("the blue", text[-2 * MOST_CHARS :])


def test_no_mark_at_the_end_makes_a_text_less_complete() -> None:
    for whole in (*WHOLE, *BROKEN_OFF, "invite stefan, louisa, both of the", "the scan showed", "not only does it"):
        words = whole.split()
        for text in (" ".join(words[:end]).rstrip(",") for end in range(1, len(words) + 1)):
            for said in (text, text.capitalize()):
                bare, stop, asked = (read(said + mark).score for mark in ("", ".", "?"))
                assert bare <= stop <= asked, said


def test_a_recognizer_that_writes_capitals_alone_is_not_expected_to_write_full_stops() -> None:
    assert read("The lamp is on the table").reason == "no_full_stop"
    assert read("THE LAMP IS ON THE TABLE") == read("the lamp is on the table")


def test_whether_a_long_text_was_written_is_told_by_its_beginning() -> None:
    story = "I went to Paris and I saw Anna and Bob and Carl " * 20
    for cut in range(12):
        shift = "a" * cut
        assert read(f"The {shift} {story}and then we came home").reason == "no_full_stop"
        assert read(f"the {shift} {story}and then we came home").reason != "no_full_stop"


def test_space_around_a_text_does_not_count() -> None:
    assert read(" \n the lamp is on the table" + " " * 1_000) == read("the lamp is on the table")
