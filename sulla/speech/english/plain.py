"""What the end of an English text says by itself: fillers and punctuation. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english.words import FILLERS
from sulla.speech.language import Reading, Said

MOST_ANSWERED: Final = 8
"""Longer answers are as sure as any other text."""
SHORT_ANSWER: Final = 5
NO_STOP: Final = Reading(0.45, "no_full_stop")


def filler(said: Said) -> Reading | None:
    """Nobody stops at "um".

    Args:
        said: the text.
    """
    return Reading(0.03, "filler") if said.last in FILLERS else None


def open_end(said: Said) -> Reading | None:
    """A comma, a dash or dots at the end.

    Args:
        said: the text.
    """
    if said.end and said.end[-1] in ",;:-\u2013\u2014\u2026":
        return Reading(0.08, "open_punctuation")
    return Reading(0.15, "dots") if said.end.endswith("..") else None


def whole(said: Said) -> Reading | None:
    """Nothing is missing; some ends are surer than others.

    Args:
        said: the text.
    """
    if said.end.endswith(("?", "!")):
        return Reading(0.95, "question_mark")
    if said.asked and len(said.words) <= MOST_ANSWERED:
        return Reading(0.95 if len(said.words) <= SHORT_ANSWER else 0.9, "short_answer", "answer")
    if said.end:
        return Reading(0.93, "full_stop")
    return NO_STOP if is_unended(said) else None


def is_unended(said: Said) -> bool:
    """Whether the full stop is missing that a recognizer that writes capitals would have written by now.

    Args:
        said: the text.
    """
    return said.written and not said.end and not said.asked
