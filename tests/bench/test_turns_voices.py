from __future__ import annotations

import pytest

from bench.turns.product import Person, Turn, listen
from bench.turns.recognizers import Recognizes, Speech, Timed, deepgram, flux, vosk, written
from bench.turns.voices import _is_whole
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

SAID = "Our street will be closed for resurfacing until the fourteenth"
WORDS = written(SAID, "lower case")


@pytest.mark.parametrize("recognizes", [deepgram, flux, vosk])
def test_two_sentences_with_a_pause_between_them_are_two_turns(recognizes: Recognizes) -> None:
    begun = Speech(WORDS, 0.1)
    again = Speech(WORDS, begun.ends_s + 3.0)
    person = Person([*recognizes([begun, again], 0.25, "lower case")])
    listen([person])
    assert _is_whole(person.heard, [WORDS, WORDS])


def test_a_sentence_that_is_cut_is_seen() -> None:
    frames = [*deepgram([Speech(WORDS, 0.1)], 1.0, "lower case")]
    slow = Person([frames[0], *(Timed(one.at_s + 5.0, one.frame) for one in frames[1:])])
    listen([slow])
    assert len(slow.heard) == 2
    assert not _is_whole(slow.heard, [WORDS])


def test_who_comes_back_after_the_daemon_was_away_has_one_turn() -> None:
    person = Person([*deepgram([Speech(WORDS, 0.1)], 0.25, "lower case")])
    listen([person], (1.0, 2.2))
    assert len(person.heard) == 1


def test_what_the_agent_has_asked_counts() -> None:
    def reason(question: str | None) -> str:
        person = Person([*deepgram([Speech(("the", "left"), 0.1)], 60.0, "lower case")], question)
        listen([person])
        return person.heard[0].reason

    assert (reason(None), reason("Left or right?"), reason("Anything else?")) == ("silence", "complete", "silence")


def test_a_turn_is_whole_whatever_punctuation_a_recognizer_has_put_into_it() -> None:
    assert _is_whole([Turn("Our street. Is closed!", "complete", 0)], [("our", "street", "is", "closed")])
    assert not _is_whole(
        [Turn("our street", "complete", 0), Turn("is closed", "complete", 0)], [("our", "street", "is")]
    )
