"""The turn detector for English: no model, no download, some 50 us. The first rule that has an answer decides. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.speech.english.answers import WHOLE_ANSWER, answer, answers_whole, filler, fits, open_end, whole
from sulla.speech.english.dictation import dictation
from sulla.speech.english.hold import asks_for_time
from sulla.speech.english.lists import repair
from sulla.speech.english.missing import missing
from sulla.speech.english.text import SpokenText, learnt, look
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import COMPLETE, UNKNOWN, Reading, Style

_RULES: Final = (filler, asks_for_time, open_end, dictation, answer, repair, missing, whole)
_SILENT: Final = Reading(0.0, "no_words")
_AS_ASKED: Final = ("dictation", "hold")
"""Kinds that mean what they mean, whatever was asked."""
_WHOLE: Final = Reading(0.85, "nothing_is_missing")


class EnglishDetector:
    """Implements `TurnDetector`; one does for all speakers.

    Args:
        vocabulary: the English words, which it holds as long as it lives.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def read(self, text: str, question: str | None = None, style: Style = UNKNOWN) -> Reading:
        """How complete a text is, from its last words, the question before it and how the recognizer writes."""
        said = look(self.vocabulary, text, question, style)
        if said is None:
            return _SILENT
        found = _read(said)
        if not said.asked or found.kind in _AS_ASKED or found.score < COMPLETE or fits(said):
            return found
        unasked = _read(replace(said, asked=(), written=False))
        if unasked.score >= found.score:
            return found
        return WHOLE_ANSWER if answers_whole(said, unasked) else unasked

    def learn(self, text: str, style: Style) -> Style:
        """What a turn shows of how the recognizer writes."""
        return learnt(self.vocabulary, text, style)


def _read(said: SpokenText) -> Reading:
    """What the first rule says that has an answer."""
    for rule in _RULES:
        if (found := rule(said)) is not None:
            return found
    return _WHOLE
