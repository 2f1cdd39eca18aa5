"""English. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english_answers import answer
from sulla.speech.english_clauses import clause, listing, modifier, transitive, whole
from sulla.speech.english_dictation import dictation
from sulla.speech.english_hold import asks_for_time
from sulla.speech.english_rules import filler, open_end, preposition, pronoun, question_word, small_word
from sulla.speech.english_words import OPENERS
from sulla.speech.language import Language, Reading

ENGLISH: Final = Language(
    "en",
    OPENERS,
    (
        filler,
        asks_for_time,
        open_end,
        dictation,
        answer,
        question_word,
        preposition,
        small_word,
        pronoun,
        transitive,
        modifier,
        clause,
        listing,
        whole,
    ),
    Reading(0.85, "nothing_is_missing"),
)
