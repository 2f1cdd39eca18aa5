"""English of one word or a few, and what is said in set phrases. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

LEADING: Final = frozenset("det subj be have do modal to prep both conj sub whether let".split())
"""Classes of words that nothing ends with."""
HELPING: Final = frozenset(("be", "do", "have", "modal"))

_BEHIND_ASKING: Final = frozenset(("prep", "both", "to", "mid"))
_BEFORE_ASKING: Final = frozenset(("both", "prep"))
_JOINING: Final = frozenset(("wh", "conj", "sub", "both", "whether"))
_ANSWERING: Final = frozenset(("quant", "num", "demo", "mid", "wh", "pron", "part"))
_STANDING_IN: Final = frozenset(("quant", "demo", "pron"))
_WITH_MORE: Final = lex.OBJECT | lex.TELL | lex.GIVE | lex.PLACE


def short(said: SpokenText, body: tuple[str, ...]) -> tuple[Reading | None, bool]:
    """What is said in few words.

    Args:
        said: the text.
        body: its sentence.

    Returns:
        A reading, and whether it decides.
    """
    if (
        body[-2:] in said.en.phrases["set_phrases"]
        or body in said.en.phrases["ask_back"]
        or (len(body) > 2 and body[:2] == ("make", "that"))
    ):
        return None, True
    if body[-1] == "do" and 1 < len(body) < 5 and body[-2].endswith("'ll") and body[-2] not in said.en.expanded:
        return Reading(0.8, "that_will_do"), True
    if body[-2:] == ("what", "for"):
        return Reading(0.7, "what_for"), True
    if len(body) == 2 and _asks(said.en, body):
        return Reading(0.65, "short_question"), True
    if said.asked and _answers(said.en, body):
        return Reading(0.8, "short_answer"), True
    if len(body) == 3 and body[0] in ("here", "there", "off") and body[1] in said.en["tags"]:
        return Reading(0.8, "here_you_are"), True
    words = said.words
    if len(words) == 3 and words[0] in ("so", "neither", "nor") and said.en.class_of.get(words[1]) in HELPING:
        return Reading(0.8, "so_do_i"), True
    return None, False


def _asks(en: Vocabulary, body: tuple[str, ...]) -> bool:
    """ "who with", "since when"."""
    first, second = body
    if first in ("how", "what") and second == "to":
        return False
    return (first in en["asking"] and en.class_of.get(second) in _BEHIND_ASKING) or (
        second in en["asking"] and en.class_of.get(first) in _BEFORE_ASKING
    )


def _answers(en: Vocabulary, body: tuple[str, ...]) -> bool:
    """ "sort of", "monday it is"."""
    if body in en.phrases["vague"] or body[-2:] in en.phrases["answers"]:
        return True
    return len(body) == 3 and body[-2:] == ("it", "is") and body[0] not in en.class_of


def is_tag(en: Vocabulary, body: tuple[str, ...]) -> bool:
    """Whether a sentence ends in a question of two words ("isn't it", "would you").

    Args:
        body: of at least three words.
    """
    helping = body[-2]
    if en.class_of.get(helping) not in HELPING or en.class_of.get(body[-3]) in _JOINING or body[-3] in en["leading_in"]:
        return False
    if helping.endswith("n't") or (body[-1] == "you" and helping in en["asking_for"]):
        return True
    return any(word in en["denying"] or word.endswith("n't") for word in body[:-2])


def one_word(said: SpokenText) -> Reading | None:
    """One word by itself."""
    word = said.last
    name = said.en.class_of.get(word)
    if word in said.en.expanded and word != "dunno":
        return Reading(0.04, "contraction")
    if (said.asked and (name in _ANSWERING or word == "let's")) or (word == "do" and "please" in said.words):
        return None
    if word in said.asked and "or" in said.asked:
        return None
    if name in LEADING:
        return Reading(0.05, "leads_on")
    if name == "wh":
        return Reading(0.75, "question_word_alone") if said.end == "?" else Reading(0.35, "question_word")
    return _one_of_many(said, word, name)


def _one_of_many(said: SpokenText, word: str, name: str | None) -> Reading | None:
    if name == "num":
        return Reading(0.4, "number_of_what")
    if name in _STANDING_IN:
        return Reading(0.1, "begins_a_sentence")
    if said.asked:
        return None
    if word in said.en["degrees"]:
        return Reading(0.08, "degree")
    if word.endswith("ly") and word not in said.en["adverbs_alone"] and said.en.bits_of(word) == lex.TIME:
        return Reading(0.35, "adverb_leads_on")
    if name == "mid" or word in said.en["leading_words"]:
        return Reading(0.3, "leads_on")
    bits = said.en.bits_of(word)
    if bits & lex.BASE and bits & _WITH_MORE and word not in said.en["commands"]:
        return Reading(0.4 if bits & lex.ALONE else 0.3, "object_is_missing")
    return None
