"""English words and pairs of words that lead on wherever they stand. Pure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import Parse
from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

_BEFORE_ADVERB: Final = frozenset(("be", "have", "modal", "subj"))

Holds = Callable[[SpokenText, Parse], bool]


def ending(said: SpokenText, state: Parse) -> Reading | None:
    """The first thing that is known of how a text ends."""
    last = said.last
    if last in said.en["leading"] or last in said.en.expanded or said.before == "as":
        for holds, reading in _ENDINGS:
            if holds(said, state):
                return reading
    if not said.asked and (last in said.en["last"] or said.words[-3:-2] == ("since",)):
        for holds, reading in _BEHIND_OTHERS:
            if holds(said, state):
                return reading
    return Reading(0.15, "self_repair") if _restarts(said) else None


def _a_bit(said: SpokenText, state: Parse) -> bool:
    """ "she's a bit"."""
    return said.words[-2:] == ("a", "bit") and (state.top.word == "be" or bool(state.top.bits & lex.PREDICATE))


def _is_be(en: Vocabulary, word: str) -> bool:
    return (
        en.class_of.get(word) == "be"
        or "be" in {en.class_of.get(part) for part in en.expanded.get(word, ())}
        or word in en["getting"]
    )


def _leads(said: SpokenText, state: Parse) -> bool:
    """ "the book argues": a verb that seldom ends a sentence that says something of somebody."""
    top, bits = state.top, said.en.bits_of(said.last)
    is_told = bits & lex.FINITE and not bits & (lex.BASE | lex.NOUN) and top.word == said.last and not top.gap
    return bool(is_told) and said.last in said.en["leading_verbs"] and not top.wh and not said.end


def _too(said: SpokenText, _: Parse) -> bool:
    """ "it was too"."""
    before = said.before
    return said.last == "too" and (
        before in said.en["way"] or said.en.class_of.get(before) == "be" or before in said.en.expanded
    )


def _called(said: SpokenText, state: Parse) -> bool:
    """ "a file called", "let's call it"."""
    before = said.before
    if said.last == "it":
        return before in ("call", "called", "name") and len(said.words) > 2 and not state.clauses[0].wh
    return said.last in said.en["named"] and before not in said.en.class_of and before not in said.en.expanded


def _since(said: SpokenText, _: Parse) -> bool:
    """ "since my office", but not "since my birthday"."""
    is_time = said.en.bits_of(said.last) & (lex.TIME_NOUN | lex.TIME)
    return said.words[-3:-2] == ("since",) and said.before in said.en["owners"] and not is_time


_BEHIND_OTHERS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (_leads, Reading(0.42, "verb_leads_on")),
    (_a_bit, Reading(0.3, "degree")),
    (
        lambda said, _: (
            len(said.body) == 2 and said.last in said.en["kinds"] and bool(said.en.bits_of(said.before) & lex.BASE)
        ),
        Reading(0.4, "which_one"),
    ),
    (_too, Reading(0.1, "degree")),
    (_called, Reading(0.2, "name_is_missing")),
    (_since, Reading(0.4, "since_or_because")),
    (
        lambda said, _: said.last in ("sort", "kind", "type") and said.before in ("the", "a"),
        Reading(0.35, "how_much_of_what"),
    ),
    (
        lambda said, state: (
            said.last in said.en["logged"] and _is_be(said.en, said.before) and not any(one.wh for one in state.clauses)
        ),
        Reading(0.35, "particle_is_missing"),
    ),
    (
        lambda said, _: (
            said.last in said.en["nobody"] and (said.before in ("but", "and") or said.body[:-1] == ("not",))
        ),
        Reading(0.3, "clause_without_verb"),
    ),
    (
        lambda said, state: said.words[-2:] == ("the", "way") and state.top.word in said.en["doing_so"],
        Reading(0.35, "clause_without_verb"),
    ),
)
"""None of them says anything of an answer."""


def _as_so(said: SpokenText, state: Parse) -> bool:
    """ "as good" wants "as"."""
    is_pair = (
        said.before == "as" and not said.asked and said.last != "well" and state.top.word not in said.en["marking"]
    )
    return is_pair and bool(said.en.bits_of(said.last) & lex.ADJECTIVE) and "as" not in said.words[:-2]


def _measure(said: SpokenText, state: Parse) -> bool:
    if said.last not in said.en["endings_measured"] or said.asked:
        return False
    is_counted = said.en.class_of.get(said.before) == "num" and said.last not in ("number", "amount", "range")
    return state.article == "a" or said.before == "of" or is_counted


def _restarts(said: SpokenText) -> bool:
    """ "the meeting is the meeting", "call tom call", "or rather"."""
    words = said.words
    if words[-2:] in said.en.phrases["repairing"] or words[-3:] in said.en.phrases["repairing"]:
        return True
    if len(words) < 3:
        return False
    if words[-2:] == words[-4:-2] or words[-3:] == words[-6:-3]:
        return True
    bits = said.en.bits_of(said.last)
    if said.last not in words[:-2] or not bits & lex.VERB:
        return False
    if bits & lex.BASE and bits & lex.OBJECT:
        return True
    return bool(bits & (lex.OBJECT | lex.TO)) and any(pair == words[-2:] for pair in pairwise(words[:-2]))


def _adverb(said: SpokenText, state: Parse) -> bool:
    before = said.before
    if said.last not in said.en["adverbs"]:
        return False
    if said.last == "actually" and state.clauses[0].base and not said.asked:
        return True
    if said.asked and before in said.en["nobody"]:
        return False
    if said.en.class_of.get(before) == "demo" and state.top.inverted and state.top.word == "be":
        return True
    is_subject = state.top.subject == before and not state.top.verb and said.en.class_of.get(before) == "pron"
    return is_subject or said.en.class_of.get(before) in _BEFORE_ADVERB or before in said.en.expanded or before == "you"


def _pair(said: SpokenText, _: Parse) -> bool:
    pair = said.words[-2:]
    if (
        said.words[-3:] in said.en.phrases["minding"]
        or pair in said.en.phrases["open_pairs"]
        or said.words[-3:] in said.en.phrases["open_triples"]
    ):
        return True
    return pair in said.en.phrases["pairs"] and said.words[-3:-2] != ("what",)


def _next(said: SpokenText, state: Parse) -> bool:
    is_loose = not state.phrase and state.top.verb and not state.clauses[0].wh
    return said.last == "next" and is_loose and said.before not in said.en["before_next"]


def _second(said: SpokenText, _: Parse) -> bool:
    if said.last in ("secondly", "thirdly") or (said.last in ("step", "number") and said.last in said.words[:-1]):
        return True
    return "first" in said.words[:-1] and (
        said.last == "then" or (said.last in ("second", "third") and "first" in said.words[:-3])
    )


_ENDINGS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (
        lambda said, _: said.last in said.en["degrees"] and not (said.asked and said.last == "only"),
        Reading(0.08, "degree"),
    ),
    (lambda said, _: said.last in said.en["need_more"] and not said.asked, Reading(0.25, "leads_on")),
    (_as_so, Reading(0.4, "as_so")),
    (_measure, Reading(0.42, "how_much_of_what")),
    (
        lambda said, state: said.last in said.en["titles"] and not state.article and not said.asked,
        Reading(0.3, "title"),
    ),
    (_second, Reading(0.1, "leads_on")),
    (lambda said, _: said.last in said.en.expanded and said.last != "dunno", Reading(0.05, "contraction")),
    (_adverb, Reading(0.15, "adverb_leads_on")),
    (_pair, Reading(0.1, "leads_on")),
    (lambda said, state: said.last == "back" and state.top.word in ("turn", "switch"), Reading(0.4, "leads_on")),
    (lambda said, _: said.last == "so" and said.before not in said.en["saying_so"], Reading(0.08, "conjunction")),
    (_next, Reading(0.3, "noun_is_missing")),
    (lambda said, _: said.last == "not" and said.before not in said.en["before_not"], Reading(0.06, "conjunction")),
)
