"""The door to English. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english.answers import answer
from sulla.speech.english.dictation import dictation
from sulla.speech.english.hold import asks_for_time
from sulla.speech.english.lists import repair
from sulla.speech.english.missing import missing
from sulla.speech.english.plain import filler, open_end, whole
from sulla.speech.english.words import OPENERS
from sulla.speech.language import Language, Reading

ENGLISH: Final = Language(
    "en",
    OPENERS,
    (filler, asks_for_time, open_end, dictation, answer, repair, missing, whole),
    Reading(0.85, "nothing_is_missing"),
)

__all__ = ["ENGLISH"]
