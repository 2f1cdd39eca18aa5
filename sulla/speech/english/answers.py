"""Short answers in English: what cannot stand alone can, after its question. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import words as w
from sulla.speech.english.words import word_set
from sulla.speech.language import Reading, Said

MOST_WORDS: Final = 6
"""Longer ones are read as any other text."""

_YES_NO: Final = word_set(
    "do does did is are was were have has had can could will would shall should may might am isn't "
    "aren't don't won't any want"
)
_ANSWERING: Final = word_set(
    "yes yeah yep yup no nope nah sure maybe probably definitely certainly exactly correct right true"
)
_LIKELY: Final = word_set("probably definitely maybe certainly")
_WHOLE: Final = word_set(
    "not so none both all mine yours never sometimes now that this those these it some his hers neither either"
)
_AGREEING: Final = word_set("did does is was has will do can are would were have should could am")
_ORDINALS: Final = word_set("first second third fourth fifth sixth seventh eighth ninth tenth")
_DATING: Final = word_set("when day date birthday which")
_LIKE_ER: Final = ("er", "more", "less")


def answer(said: Said) -> Reading | None:
    """A few words after a question answer it, if they can stand alone.

    Args:
        said: the text.
    """
    if not said.asked or len(said.words) > MOST_WORDS:
        return None
    words = tuple(word for word in said.words if word not in w.FILLERS)
    if not words:
        return None
    if words[-1] in _LIKELY and len(words) <= 2 and said.asked[0] in w.WH:
        return Reading(0.3, "probably_what", "answer")
    if len(words) == 1 and (words[0] in _ANSWERING or words[0] in w.MODIFIERS):
        return Reading(0.98, "one_word", "answer")
    return _agreement(said, words) or _choice(said, words)


def _agreement(said: Said, words: tuple[str, ...]) -> Reading | None:
    """ "I do", "no it isn't", "my sister did"."""
    rest = words[1:] if words[0] in _ANSWERING else words
    if len(words) == 2 and words[0] in _ANSWERING and words[1] in w.AUXILIARIES:
        return Reading(0.93, "short_agreement", "answer")
    is_pair = 2 <= len(rest) <= 3 and rest[0] in w.PRONOUNS and rest[1] in w.AUXILIARIES
    if is_pair and _asks_yes_no(said.asked) and (len(rest) == 2 or rest[2] == "not"):
        return Reading(0.93, "short_agreement", "answer")
    if words in (("please", "do"), ("do", "please"), ("please", "don't")):
        return Reading(0.95, "short_agreement", "answer")
    if said.asked[0] in ("who", "who's", "who'll") and len(words) > 1 and words[-1] in _AGREEING:
        return Reading(0.9, "who_did", "answer")
    return None


def _choice(said: Said, words: tuple[str, ...]) -> Reading | None:
    """ "the blue", "the second", "the more the better"."""
    rest = words[1:] if words[0] in _ANSWERING else words
    if len(rest) <= 2 and rest[-1] in _WHOLE:
        return Reading(0.9, "short_answer", "answer")
    if words[0] in w.DETERMINERS and 2 <= len(words) <= 3 and words[-1] in w.MODIFIERS:
        return Reading(0.9, "the_one_of_them", "answer")
    if len(words) == 4 and words[0] == words[2] == "the" and words[3].endswith(_LIKE_ER):
        return Reading(0.9, "the_more_the_better", "answer")
    if words[-1] in _ORDINALS and len(words) > 1 and _DATING & set(said.asked):
        return Reading(0.9, "date", "answer")
    return None


def _asks_yes_no(asked: tuple[str, ...]) -> bool:
    return asked[0] not in w.WH and any(word in _YES_NO for word in asked[:3])
