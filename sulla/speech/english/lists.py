"""English that takes something back, and lists. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import words as w
from sulla.speech.english.words import word_set
from sulla.speech.language import Reading, Said

_PLACED: Final = w.PREPOSITIONS | w.PARTICLES
_COUNTED: Final = word_set("things reasons problems questions options ways")
_WEEKDAYS: Final = word_set("monday tuesday wednesday thursday friday saturday sunday")
_BEGINNING: Final = word_set("you we i it the there")
_GOING_ON: Final = word_set("then second secondly next finally and but before")
_LISTS: Final = word_set("choices options colours colors sizes names members ingredients steps reasons flavours")


def repair(said: Said) -> Reading | None:
    """ "five, no" and "sorry, not Steve"."""
    words, last, before = said.words, said.last, said.before
    if before == "not" and words[-3:-2] and words[-3] in ("sorry", "no"):
        return Reading(0.1, "self_repair")
    if (before, last) == ("i", "mean") and words[-3:-2] not in (("what",), ("know",), ("who",), ("which",)):
        return Reading(0.04, "self_repair")
    if (
        last == "sorry"
        and len(words) > 3
        and before not in ("i'm", "so", "really", "very", "am", "say", "said", "feel", "than")
    ):
        return Reading(0.15, "self_repair")
    if (
        last == "no"
        and len(words) > 2
        and not (said.asked and len(words) <= 3)
        and before not in ("say", "said", "says", "or", "a", "been")
        and words[-3:-1] != ("yes", "or")
    ):
        return Reading(0.1, "self_repair")
    return None


def listing(said: Said) -> Reading | None:
    """A list without its "and"."""
    words = said.words
    if "step" in words[-3:-1] and said.last in w.NUMBERS:
        return Reading(0.06, "step_without_words")
    if said.last in w.NUMBERS and _COUNTED & set(words) and not said.asked:
        return Reading(0.3, "second_is_missing")
    if said.last in _WEEKDAYS and said.before in _WEEKDAYS:
        return Reading(0.35, "list_without_and")
    if (
        said.body[0] in ("first", "firstly")
        and said.body[1:2]
        and said.body[1] in _BEGINNING
        and not _GOING_ON & set(words)
    ):
        return Reading(0.4, "second_is_missing")
    if "first" in words and "two" in words[:5] and "second" not in words and "then" not in words:
        return Reading(0.2, "second_is_missing")
    if words.count("only") == 1 and words[words.index("only") - 1] == "not" and "but" not in words and len(words) > 3:
        return Reading(0.15, "but_is_missing")
    if "and" in words[-5:] or "or" in words[-5:]:
        return None
    return Reading(0.3, "list_without_and") if _is_list(said) else None


def _is_list(said: Said) -> bool:
    words = said.words
    if words[0] == "the" and "are" in words and len(words) > 3 and words[1] in _LISTS:
        return True
    if said.asked and said.asked[0] in ("which", "what") and words.count("the") >= 2 and len(words) <= 6:
        return not set(words) & _PLACED
    return said.pauses >= 2 and len(words) <= 12 and (words[0] in w.ARTICLES or not said.end)
