"""Only kinds of answers that fit a question end sooner for it."""

from __future__ import annotations

import pytest

from sulla.speech.english.answers import Asked, kind_of
from sulla.speech.turn_taking.detector import COMPLETE
from tests.speech.streams import ENGLISH

KINDS: tuple[tuple[str, Asked], ...] = (
    ("anything else", "anything"),
    ("what would you like to do", "anything"),
    ("how can i help you", "anything"),
    ("shall i go on", "yes or no"),
    ("do you want the left or the right one", "which of them"),
    ("why did you stop", "why"),
    ("how did you get there", "how"),
    ("when should that be", "when or how much"),
    ("how many do you need", "when or how much"),
    ("what time suits you", "when or how much"),
    ("who should i send it to", "who or what"),
    ("what's your name", "who or what"),
    ("please tell me your name", "who or what"),
    ("let me know if you want it", "yes or no"),
)


@pytest.mark.parametrize(("question", "kind"), KINDS)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: Asked) -> None:
    assert kind_of(ENGLISH.vocabulary, tuple(question.split())) == kind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Anything else?", "no"),
        ("Anything else?", "no that's all"),
        ("Shall I go on?", "I do"),
        ("Shall I go on?", "if you have to"),
        ("Left or right?", "the left"),
        ("Which one do you mean?", "the red"),
        ("When should that be?", "half past nine in the morning"),
        ("How many do you need?", "twenty"),
        ("Who broke it?", "my sister"),
        ("Why do you ask?", "because it's late"),
        ("Shall I book it?", "I'd rather not"),
    ],
)
def test_an_answer_of_the_kind_that_was_asked_for_is_whole(question: str, text: str) -> None:
    assert ENGLISH.read(text, question).score >= COMPLETE


@pytest.mark.parametrize("question", ["Anything else?", "How can I help you?", "What would you like to do?"])
@pytest.mark.parametrize("text", ["the red", "our server", "my sister", "The pharmacist", "twenty", "the second"])
def test_whoever_may_say_anything_is_waited_for_as_without_a_question(question: str, text: str) -> None:
    assert ENGLISH.read(text, question).score <= max(ENGLISH.read(text).score, 0.45)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When should that be?", "the pharmacist"),
        ("Why do you think so?", "the pharmacist"),
        ("Shall I go on?", "our server"),
        ("How many do you need?", "my sister"),
    ],
)
def test_what_answers_another_question_ends_no_sooner(question: str, text: str) -> None:
    assert ENGLISH.read(text, question) == ENGLISH.read(text)
