"""How complete a text is that somebody has spoken so far: no model, no download, microseconds. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import ENGLISH
from sulla.speech.language import Language, Reading, look

COMPLETE: Final = 0.5
"""The score from which on a text counts as complete."""

_SILENT: Final = Reading(0.0, "no_words")


def read(text: str, question: str | None = None, language: Language = ENGLISH) -> Reading:
    """How complete a text is: if silence followed, would the turn have been given away?

    Args:
        text: what was said so far, as a recognizer gives it: punctuation and case may be missing or wrong.
        question: what the speaker had been asked, if they had.
        language: that it is in.
    """
    said = look(text, question, language.openers)
    if said is None:
        return _SILENT
    for rule in language.rules:
        found = rule(said)
        if found is not None:
            return found
    return language.otherwise
