"""An English preposition that nothing follows. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import COMP, INF, MAIN, OBJECT, REL, SUB, Parse
from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

_PARTICLES: Final = {"be": 0.6, "it": 0.75, "noun": 0.6, "verb": 0.65}

_BEFORE_NUMBER: Final = frozenset(("to", "prep", "mid"))
_NUMBER: Final = Reading(0.35, "which_number")


Holds = Callable[[SpokenText, Parse], bool]


def asks_yes_no(said: SpokenText) -> bool:
    """Whether something was asked that "yes" answers."""
    return (
        bool(said.asked) and said.asked[0] not in said.en["wh"] and bool(set(said.asked[:4]) & said.en["auxiliaries"])
    )


def preposition_gap(said: SpokenText, state: Parse) -> Reading | None:
    """Whether a preposition lacks its noun; it may stand before it, or be an adverb."""
    if not state.prep or said.last == "not":
        is_numbered = said.last in said.en["numbered"] and said.en.class_of.get(said.before) in _BEFORE_NUMBER
        return _NUMBER if is_numbered else None
    for holds, reading in _ADVERBS:
        if holds(said, state):
            return reading
    if state.prep == "to":
        return _to(said, state)
    if said.last == "on" and len(said.body) == 2 and said.before not in said.en.class_of and not state.top.verb:
        return Reading(0.65, "particle")
    if state.mid == "be" and state.top.subject == state.top.wh:
        return _particle(said, state)
    if _is_stranded(said, state):
        return Reading(0.85, "stranded_preposition")
    if state.mid and said.en.class_of.get(said.last) == "mid":
        return _particle(said, state)
    return Reading(0.06, "preposition")


def _is_stranded(said: SpokenText, state: Parse) -> bool:
    if said.en.class_of.get(said.before) == "mid" and said.last in ("at", "in", "with", "from"):
        return False
    if state.hinge and state.prep in said.en["preposition_gaps_when"] and state.top.gap < 2:
        return False
    for clause in reversed(state.clauses):
        least = clause.kind == MAIN and clause.word == "be" and state.prep not in said.en["after_be"]
        if clause.verb and clause.gap > least:
            return True
        if clause.kind not in (INF, COMP):
            return False
    return False


def _day_after(said: SpokenText, state: Parse) -> bool:
    """ "the week after"."""
    is_time = bool(said.en.bits_of(said.before) & lex.TIME_NOUN) and said.before != "quarter"
    return said.last in ("before", "after") and is_time and (not said.asked or state.article == "the")


def _been_before(said: SpokenText, state: Parse) -> bool:
    if said.last != "before":
        return False
    is_used = state.top.kind == REL and state.top.verb
    return is_used or said.before in said.en["phrases_of_time"] or bool(said.en["been"] & set(said.words))


def _moves(said: SpokenText, state: Parse) -> bool:
    """ "he walked past"."""
    word = state.top.word
    return (
        said.last in said.en["past"]
        and word in said.en["motion"]
        and (said.before == word or said.before in said.en["objects"])
    )


def _sinks(said: SpokenText) -> bool:
    """ "drops below", "goes above"."""
    return said.before in said.en["sinking"] and said.last in ("above", "below", "beyond")


def _looked_at(said: SpokenText, _: Parse) -> bool:
    """ "get that looked at"."""
    if said.words[-2:] not in said.en.phrases["done_to"]:
        return False
    if said.en.class_of.get(said.words[-3:][0]) in ("be", "skip", "not"):
        return True
    is_done = said.last in ("at", "after", "into") and said.en.bits_of(said.before) & lex.PARTICIPLE
    return bool(is_done) and bool(said.en["having"] & set(said.words))


def _where_from(said: SpokenText, state: Parse) -> bool:
    is_asked = any(clause.wh == "where" for clause in state.clauses)
    if state.prep == "to":
        return is_asked and said.before == state.top.word and said.before not in said.en["willing"]
    return said.before == "where" or (is_asked and state.prep == "from" and state.top.word in said.en["coming_from"])


_ADVERBS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (_day_after, Reading(0.85, "the_day_after")),
    (
        lambda said, state: (
            state.prep in said.en["places"] and said.before not in said.en["before_place"] and not _sinks(said)
        ),
        Reading(0.65, "adverb_of_place"),
    ),
    (_been_before, Reading(0.7, "adverb_of_time")),
    (_where_from, Reading(0.7, "where_from")),
    (_moves, Reading(0.65, "particle")),
    (
        lambda said, _: said.words[-2:] == ("ever", "since") and bool(said.en["ever"] & set(said.words)),
        Reading(0.65, "ever_since"),
    ),
    (lambda said, _: said.last == "on" and said.before in said.en["before_on"], Reading(0.75, "particle")),
    (_looked_at, Reading(0.65, "stranded_preposition")),
    (
        lambda said, _: said.last == "behind" and (said.before == "from" or bool(said.en["left"] & set(said.words))),
        Reading(0.65, "particle"),
    ),
    (lambda said, _: said.last == "before" and said.before in said.en["likening"], Reading(0.8, "than_before")),
    (
        lambda said, _: said.last == "behind" and bool(said.en.bits_of(said.before) & lex.TIME_NOUN),
        Reading(0.7, "time_behind"),
    ),
    (lambda said, _: said.last == "around" and said.before in said.en["before_around"], Reading(0.65, "particle")),
    (lambda said, _: said.last == "along" and bool(said.en["along"] & set(said.words)), Reading(0.65, "particle")),
)


def _particle(said: SpokenText, state: Parse) -> Reading:
    last, mid, subject = said.last, state.mid, state.top.subject
    if last in ("by", "along") and mid != "verb":
        return Reading(0.2, "particle_begins_a_phrase")
    if mid == "be":
        is_person = subject in said.en["people"] or said.en.bits_of(subject or "?") & lex.PERSON
        if last == "in" and is_person:
            return Reading(0.6, "particle")
        if last == "through" and state.top.kind in (SUB, COMP):
            return Reading(0.55, "particle")
        if subject == "there":
            return Reading(0.3, "particle_begins_a_phrase")
        if last in ("in", "through") or (subject in ("i", "we") and not state.top.inverted):
            return Reading(0.3, "particle_begins_a_phrase")
    return Reading(_PARTICLES[mid], "particle")


def _to(said: SpokenText, state: Parse) -> Reading:
    """ "who did you talk to", "i'd love to"."""
    top, before = state.top, said.before
    if top.gap and top.needs & OBJECT and before not in said.en["willing"]:
        return Reading(0.3, "to_do_what")
    gap = max(
        clause.gap if clause.verb and (clause.word != "be" or clause.kind != MAIN) else 0 for clause in state.clauses
    )
    if gap == 2 and before not in said.en["willing"]:
        return Reading(0.85, "stranded_preposition")
    if gap and before not in said.en["willing"]:
        return Reading(0.7, "stranded_preposition")
    for holds, reading in _TO_DO_SO:
        if holds(said, state):
            return reading
    return Reading(0.06, "preposition")


def _denies(said: SpokenText, state: Parse) -> bool:
    """ "you don't have to"."""
    if state.clauses[0].base and len(state.clauses) > 2:
        return False
    is_denied = said.words[0] == "why" or _is_denied(said.en, said.words[:-1])
    is_asked = said.before in said.en["objects"] and said.words[-3:][0] in ("asked", "told", "tell", "want")
    return (said.before in said.en["willing"] or is_asked) and is_denied


def _is_denied(en: Vocabulary, words: tuple[str, ...]) -> bool:
    return bool(en["negative"] & set(words)) or any(word.endswith("n't") for word in words)


def _as_before(said: SpokenText, _: Parse) -> bool:
    """ "more than i wanted to", "but i forgot to"."""
    if {"than", "as"} & set(said.words[-6:-2]) or ("but" in said.words[:-3] and said.before in said.en["but"]):
        return True
    return said.before == "used" and bool(said.en["the_way"] & set(said.words[-6:-2]))


def _gladly(said: SpokenText, state: Parse) -> bool:
    is_inner = (state.top.kind != MAIN and (state.top.kind != COMP or bool(state.top.wh))) or bool(said.asked)
    return (
        said.before in said.en["gladly"]
        or (is_inner and said.before in said.en["willingly"])
        or (said.before == "how" and len(said.words) > 2 and (bool(said.asked) or _is_denied(said.en, said.words)))
    )


_TO_DO_SO: Final[tuple[tuple[Holds, Reading], ...]] = (
    (
        lambda said, state: said.before in said.en["freely"] and len(said.words) > 2 and not state.clauses[0].base,
        Reading(0.6, "to_do_so"),
    ),
    (_denies, Reading(0.52, "to_do_so")),
    (_as_before, Reading(0.7, "to_do_so")),
    (lambda said, _: said.before in said.en["shortly"] and asks_yes_no(said), Reading(0.8, "to_do_so")),
    (_gladly, Reading(0.6, "to_do_so")),
)
