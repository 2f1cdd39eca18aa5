"""What the end of an English text says by itself, and short answers: after a question they can stand alone. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

MOST_ANSWERED: Final = 8
"""Longer answers are as sure as any other text."""
SHORT_ANSWER: Final = 5
NO_STOP: Final = Reading(0.45, "no_full_stop")


def filler(said: SpokenText) -> Reading | None:
    """Nobody stops at "um"."""
    return Reading(0.03, "filler") if said.last in said.en["fillers"] else None


def open_end(said: SpokenText) -> Reading | None:
    """A comma, a dash or dots at the end."""
    if said.end and said.end[-1] in ",;:-\u2013\u2014\u2026":
        return Reading(0.08, "open_punctuation")
    return Reading(0.15, "dots") if said.end.endswith("..") else None


def whole(said: SpokenText) -> Reading | None:
    """Nothing is missing; some ends are surer than others."""
    if said.end.endswith(("?", "!")):
        return Reading(0.95, "question_mark")
    if said.asked and len(said.words) <= MOST_ANSWERED:
        return Reading(0.95 if len(said.words) <= SHORT_ANSWER else 0.9, "short_answer", "answer")
    if said.end:
        return Reading(0.93, "full_stop")
    return NO_STOP if is_unended(said) else None


def is_unended(said: SpokenText) -> bool:
    """Whether the full stop is missing that a recognizer that writes capitals would have written by now."""
    return said.written and not said.end and not said.asked


MOST_WORDS: Final = 6
"""Longer ones are read as any other text."""

_LIKE_ER: Final = ("er", "more", "less")


def answer(said: SpokenText) -> Reading | None:
    """A few words after a question answer it, if they can stand alone."""
    if not said.asked or len(said.words) > MOST_WORDS:
        return None
    words = tuple(word for word in said.words if word not in said.en["fillers"])
    if not words:
        return None
    if words[-1] in said.en["likely"] and len(words) <= 2 and said.asked[0] in said.en["wh"]:
        return Reading(0.3, "probably_what", "answer")
    if len(words) == 1 and (words[0] in said.en["answering"] or words[0] in said.en["modifiers"]):
        return Reading(0.98, "one_word", "answer")
    return _agreement(said, words) or _choice(said, words)


def _agreement(said: SpokenText, words: tuple[str, ...]) -> Reading | None:
    """ "I do", "no it isn't", "my sister did"."""
    rest = words[1:] if words[0] in said.en["answering"] else words
    if len(words) == 2 and words[0] in said.en["answering"] and words[1] in said.en["auxiliaries"]:
        return Reading(0.93, "short_agreement", "answer")
    is_pair = 2 <= len(rest) <= 3 and rest[0] in said.en["pronouns"] and rest[1] in said.en["auxiliaries"]
    if is_pair and _asks_yes_no(said.en, said.asked) and (len(rest) == 2 or rest[2] == "not"):
        return Reading(0.93, "short_agreement", "answer")
    if words in (("please", "do"), ("do", "please"), ("please", "don't")):
        return Reading(0.95, "short_agreement", "answer")
    if said.asked[0] in ("who", "who's", "who'll") and len(words) > 1 and words[-1] in said.en["agreeing"]:
        return Reading(0.9, "who_did", "answer")
    return None


def _choice(said: SpokenText, words: tuple[str, ...]) -> Reading | None:
    """ "the blue", "the second", "the more the better"."""
    rest = words[1:] if words[0] in said.en["answering"] else words
    if len(rest) <= 2 and rest[-1] in said.en["whole"]:
        return Reading(0.9, "short_answer", "answer")
    if words[0] in said.en["determiners"] and 2 <= len(words) <= 3 and words[-1] in said.en["modifiers"]:
        return Reading(0.9, "the_one_of_them", "answer")
    if len(words) == 4 and words[0] == words[2] == "the" and words[3].endswith(_LIKE_ER):
        return Reading(0.9, "the_more_the_better", "answer")
    if words[-1] in said.en["ordinals"] and len(words) > 1 and said.en["dating"] & set(said.asked):
        return Reading(0.9, "date", "answer")
    return None


def _asks_yes_no(en: Vocabulary, asked: tuple[str, ...]) -> bool:
    return asked[0] not in en["wh"] and any(word in en["yes_no"] for word in asked[:3])
