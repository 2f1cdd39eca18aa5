"""What ends an answer, what does not, and what is an answer itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.speech.interruptions.barge import ENGLISH_SIGNS, MOST_CHARS, asks, is_enough, is_listening

LISTENING = """
uh-huh|Uh huh.|mm-hmm|Mhm|yeah|Yeah, yeah.|okay|OK!|right|right, right|sure|I see.|got it|Got it, okay.|hmm|wow|oh wow
all right|makes sense|that makes sense|That\u2019s right.|yes|yep|of course|oh okay|uh|um|really|sounds good|exactly
yeah okay uh-huh|good point|fair enough|go on|oh|ah okay I see|great|I understand|very good|cool cool cool
"""
MEANT = """
not that|wait|stop|Stop!|hold on|yeah but|okay so|no|no no|actually I|what about|can you|yes please do|right now
sorry|okay stop|uh stop|what I mean|the other|wait wait|good morning|sure thing boss|cancel that|how much|yeah no|no way
I see a problem|enough
"""


def rows(table: str) -> list[str]:
    return table.strip().replace("\n", "|").split("|")


@pytest.mark.parametrize("text", rows(LISTENING))
def test_signs_of_listening_end_nothing(text: str) -> None:
    assert is_listening(text)
    assert not is_enough(text)


@pytest.mark.parametrize("text", rows(MEANT))
def test_words_that_are_meant_do(text: str) -> None:
    assert is_enough(text)
    assert not is_listening(text)


@pytest.mark.parametrize("text", ["not", "i", "that's", "that makes", "actually", "hello", "what", "but"])
def test_one_word_and_half_a_phrase_are_waited_for(text: str) -> None:
    assert not is_enough(text)


def test_a_phrase_of_listening_ends_nothing_on_its_way() -> None:
    for phrase in ENGLISH_SIGNS.listening:
        for words in range(len(phrase) + 1):
            assert not is_enough(" ".join(phrase[:words])), phrase


def test_the_page_names_every_sign() -> None:
    page = (Path(__file__).parents[3] / "docs" / "inside" / "speech.md").read_text(encoding="utf-8")
    quoted = re.search(r"alone or one after the other:\n\n((?:> .*\n)+)\nHalting words: (.*)\.\n", page)
    assert quoted is not None
    listening, halting = (text.replace("> ", "").replace("\n", " ").strip(" .").split(", ") for text in quoted.groups())
    assert {tuple(phrase.split()) for phrase in listening} == ENGLISH_SIGNS.listening
    assert set(halting) == ENGLISH_SIGNS.halting


def test_nothing_is_nothing() -> None:
    assert is_listening("")
    assert is_listening(" ... ")
    assert not is_enough("?!")


def test_scripts_without_spaces_count_by_characters() -> None:
    assert is_enough("\u7b49\u4e00\u4e0b")
    assert is_enough("\u5f85\u3063\u3066")
    assert not is_enough("\u7b49")


def test_a_long_text_is_meant_whatever_it_begins_with() -> None:
    text = "yeah " * MOST_CHARS
    assert not is_listening(text)


@given(st.text(max_size=60))
def test_no_text_is_both_or_too_much(text: str) -> None:
    assert not (is_enough(text) and is_listening(text))


@pytest.mark.parametrize(
    "text",
    [
        "Shall I?",
        "Shall I? ",
        'He asked: "Shall I?"',
        "**Shall I?**",
        "(Or not?)",
        "\u884c\u3044\u307e\u3059\u304b\uff1f",
    ],
)
def test_a_text_that_ends_in_a_question_asks(text: str) -> None:
    assert asks(text)


def test_a_text_asks_too_where_its_question_was_just_heard() -> None:
    text = "Shall I book it? I could also look for another one, if that is too late for you."
    assert not asks(text)
    assert not asks(text, 8)
    assert asks(text, 16)
    assert asks(text, 30)
    assert not asks(text, 60)
