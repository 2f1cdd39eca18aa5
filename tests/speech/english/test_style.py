"""How a recognizer writes is found out thread by thread."""

from __future__ import annotations

import pytest

from sulla.speech.turn_taking.buffer import SpeechBuffer
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.detector import COMPLETE, Style
from sulla.speech.turn_taking.events import End
from sulla.speech.turn_taking.profile import ADAPTIVE
from tests.speech.streams import ENGLISH


def after(*turns: str) -> Style:
    style = Style()
    for text in turns:
        style = ENGLISH.learn(text, style)
    return style


CAPITALS = ("What is the weather in Rome", "Turn on the lights in the hall")


def test_a_recognizer_that_writes_capitals_and_no_full_stops_is_believed_after_two_turns() -> None:
    assert ENGLISH.read("Book a table for four", None, after(CAPITALS[0])).score < COMPLETE
    assert ENGLISH.read("Book a table for four", None, after(*CAPITALS)).score >= COMPLETE


def test_one_full_stop_shows_that_it_writes_them() -> None:
    style = after(*CAPITALS, "Thank you.")
    assert ENGLISH.read("Book a table for four", None, style).reason == "no_full_stop"


@pytest.mark.parametrize("text", ["turn on the lights", "TURN ON THE LIGHTS", "I have no time"])
def test_what_has_no_capitals_of_its_own_shows_nothing_of_full_stops(text: str) -> None:
    assert after(*CAPITALS, text) == after(*CAPITALS)


@pytest.mark.parametrize(
    ("bare", "whole"),
    [("i dont know", "i don't know"), ("im", "i'm"), ("thats", "that's"), ("i think theyre", "i think they're")],
)
def test_words_that_are_none_without_their_apostrophe_have_it(bare: str, whole: str) -> None:
    assert ENGLISH.read(bare) == ENGLISH.read(whole)


def test_words_that_are_words_without_it_have_it_where_the_thread_shows_that_it_is_left_out() -> None:
    assert ENGLISH.read("its raining", None, after("i dont know")) == ENGLISH.read("it's raining")
    assert ENGLISH.read("its raining", None, after("i dont know", "I don't know.")) == ENGLISH.read("its raining")
    assert ENGLISH.read("were you late", None, after("i dont know")) == ENGLISH.read("were you late")


def test_a_thread_remembers_how_its_recognizer_writes() -> None:
    buffer = SpeechBuffer(ADAPTIVE, ENGLISH)
    for number, text in enumerate(CAPITALS):
        buffer.feed(Chunk(f"u{number}", 1, "final", text), number * 1_000)
    buffer = SpeechBuffer.restored(buffer.stored(), ADAPTIVE, ENGLISH)
    buffer.feed(Chunk("v", 1, "cumulative", "Book a table for four", 21), 10_000)
    assert [event.reason for event in buffer.tick(10_600) if isinstance(event, End)] == ["complete"]
