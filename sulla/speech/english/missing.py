"""What an English text still needs before whoever speaks has said it. Pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.alone import LEADING, is_tag, one_word, short
from sulla.speech.english.answers import MOST_ANSWERED, NO_STOP, is_unended
from sulla.speech.english.clause_gaps import clause_gaps
from sulla.speech.english.endings import ending
from sulla.speech.english.lists import listing
from sulla.speech.english.parse import parse
from sulla.speech.english.phrase_gaps import phrase_gap
from sulla.speech.english.preposition_gaps import preposition_gap
from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

MOST_WORDS: Final = 32
"""Of a text that are read."""
SURE_ANSWER: Final = 0.6

_BEHIND_NO: Final = frozenset(("det", "demo", "num", "prep", "mid", "both", "to", "not", "subj"))
_NAMING: Final = frozenset(("num", "det", "demo", "prep", "mid", "not", None))
_BEFORE_NOUN: Final = frozenset(("mid", "prep", "both", "to"))
DOUBT: Final = 0.5
_DOUBTFUL: Final = frozenset(
    "list_without_and object_is_missing only_when_or_where "
    "predicate_is_missing question_without_subject preposition_is_missing where_or_how_is_missing "
    "noun_may_be_missing number_of_what clause_is_missing first_half_of_a_name to_do_what as_so".split()
)
"""Gaps that a full stop outweighs: they are misread as often as recognizers put a stop into the midst of a sentence."""
_OF_THE_BEGINNING: Final = frozenset(("main_verb_is_missing", "main_clause_is_missing", "only_when_or_where"))
"""What cannot be said of a text whose beginning was not read."""
_FOLLOWED: Final = frozenset(("subj", "pron", "det"))


def missing(said: SpokenText) -> Reading | None:
    """What the sentence still needs, or the list that it is.

    Returns:
        The gap that is surest; a score of 0.5 and over says that one was found filled. None where nothing is missing.
    """
    gaps = [gap for gap in (listing(said), _gap(said)) if gap is not None]
    return min(gaps, key=_score, default=None)


def _score(gap: Reading) -> float:
    return gap.score


def _gap(said: SpokenText) -> Reading | None:
    """What is missing, after its punctuation and its question had their say."""
    found = _missing(said)
    if found is None:
        return None
    if found.score < DOUBT and said.end and _is_ended(said, found):
        found = Reading(0.6, "ended_by_punctuation")
    if found.reason == "object_may_follow" and is_unended(said):
        found = min(found, NO_STOP, key=_score)
    if said.asked and found.score >= SURE_ANSWER and len(said.words) <= MOST_ANSWERED:
        return Reading(0.9, found.reason, "answer")
    return found


def _is_ended(said: SpokenText, found: Reading) -> bool:
    """Whether its punctuation says more than a gap that is often misread."""
    if said.end.endswith("?"):
        return said.en.class_of.get(said.last) not in ("det", "conj")
    is_request = found.reason == "object_is_missing" and said.en.bits_of(said.last) & lex.BASE
    return found.reason in _DOUBTFUL and said.last not in said.en.class_of and not is_request


def _missing(said: SpokenText) -> Reading | None:
    repaired = (
        _after_repair(said) if len(said.words) > 3 and not said.en["missing_repairing"].isdisjoint(said.words) else None
    )
    if repaired is not None:
        return _repaired(said, repaired)
    if ("that's", "it") in (said.words[-4:-2], said.words[-2:]) and len(said.words) > 3:
        return Reading(0.8, "that_is_all")
    said = _bared(said)
    body = _sentence(said)
    if not body:
        return Reading(0.06, "step_without_words")
    found, is_decided = short(said, body)
    if is_decided:
        return found
    if (
        body[0] == "the"
        and len(body) > 2
        and _compares(said.en, body[1])
        and said.en.class_of.get(body[2]) in _FOLLOWED
    ):
        return _the_more(said, body)
    if len(body) == 1:
        return one_word(said)
    if len(body) > 4 and body[-1] in said.en["tags"] and is_tag(said.en, body):
        body = body[:-2]
    state = parse(said.en, body[-MOST_WORDS:])
    gaps = (ending(said, state), phrase_gap(said, state), preposition_gap(said, state), *clause_gaps(said, state))
    known = [
        gap for gap in gaps if gap is not None and not (len(body) > MOST_WORDS and gap.reason in _OF_THE_BEGINNING)
    ]
    return min(known, key=_score, default=None)


def _bared(said: SpokenText) -> SpokenText:
    """Without what may stand around any sentence ("how come", "please", "if you ask me")."""
    if said.words[-4:] == ("if", "you", "ask", "me") and len(said.words) > 6:
        said = replace(said, words=said.words[:-4])
    if said.last in ("please", "thanks") and len(said.words) > said.lead + 1 and said.before != "to":
        said = replace(said, words=said.words[:-1])
    if said.body[:2] == ("how", "come") and len(said.body) > 3:
        said = replace(said, lead=said.lead + 2)
    return said


def _after_repair(said: SpokenText) -> SpokenText | None:
    """What stands behind "no" or "sorry" where they take something back."""
    words = said.words
    for at in range(len(words) - 2, said.lead, -1):
        word, following = words[at], words[at + 1]
        if (
            (word, following) in said.en.phrases["instead"]
            and at + 2 < len(words)
            and (word != "i" or _renames(said.en, words, at))
        ):
            return replace(said, words=words[at + 2 :], lead=0, asked=said.asked or ("what",))
        is_no = word == "no" and (
            said.en.class_of.get(following) in _BEHIND_NO
            or following in said.en["behind_no_too"]
            or following in words[:at]
        )
        if is_no or (word == "sorry" and words[at - 1] not in said.en["sorry"]):
            return replace(said, words=words[at + 1 :], lead=0, asked=said.asked or ("what",))
    return None


def _renames(en: Vocabulary, words: tuple[str, ...], at: int) -> bool:
    """Whether "i mean" gives something another name ("for seven i mean eight")."""
    is_named = en.class_of.get(words[at + 2]) in _NAMING and len(words) - at <= 6
    return words[0] == "not" or (at > 2 and is_named and words[at - 1] not in en["before_mean"])


def _repaired(said: SpokenText, repaired: SpokenText) -> Reading:
    last = repaired.last
    if said.en.bits_of(last) & lex.BASE and last in said.words[:-1] and "the" not in repaired.words:
        return Reading(0.2, "object_is_missing")
    if len(repaired.words) == 1 and said.en.class_of.get(last) in _BEFORE_NOUN:
        return Reading(0.1, "preposition")
    if repaired.words[0] == "not" and len(repaired.words) - (said.en.class_of.get(repaired.before) == "det") <= 2:
        return Reading(0.15, "self_repair")
    return _missing(repaired) or Reading(0.8, "repaired")


def _sentence(said: SpokenText) -> tuple[str, ...]:
    """The words of the last sentence, without what only leads up to it; none if only "step two" was said."""
    body = said.body
    if len(body) > 2 and body[0] in ("step", "number"):
        body = _last_step(said.en, body)
    if said.lead and len(body) > 1 and body[0] == "that" and said.words[said.lead - 1] == "now":
        return ("since", *body[1:])
    if len(body) > 2 and body[0] in said.en["supposing"] and body[1] == "that":
        return ("although", *body[2:])
    if len(body) < 3:
        return body
    first, second, third = body[:3]

    if first in ("about", "around") and said.en.class_of.get(second) == "num":
        return body[1:]
    if first in ("first", "then", "next") and said.en.bits_of(second) & lex.BASE:
        return body[1:]
    if body[:3] == ("you", "know", "what") and len(body) > 4:
        return body[3:]
    if body[:4] == ("if", "you", "ask", "me") and len(body) > 5:
        return body[4:]
    if (first, second) == ("no", "matter") and len(body) > 3:
        return ("although", *body[3:])
    is_thought = first == "i" and second in said.en["thinking"] and third not in said.en["not_thought"]
    is_lead = (first, second) == ("i'd", "say")
    return body[2:] if is_thought or is_lead else body


def _last_step(en: Vocabulary, body: tuple[str, ...]) -> tuple[str, ...]:
    """Behind the last "step two"."""
    for at in range(len(body) - 2, -1, -1):
        if body[at] in ("step", "number") and en.class_of.get(body[at + 1]) == "num":
            return body[at + 2 :]
    return body


def _compares(en: Vocabulary, word: str) -> bool:
    return word in en["comparatives"] or (word.endswith("er") and bool(en.bits_of(word) & lex.ADJECTIVE))


def _the_more(said: SpokenText, body: tuple[str, ...]) -> Reading | None:
    """ "The more you read" wants "the more"."""
    if any(one == "the" and _compares(said.en, other) for one, other in pairwise(body[2:])):
        if _compares(said.en, body[-1]) and len(body) > 5:
            return Reading(0.3, "the_more_the_better")
        return Reading(0.1, "leads_on") if said.en.class_of.get(body[-1]) in LEADING else None
    return Reading(0.15, "the_more_the_better") if not said.asked else None
