""" "up", "off", "on": the end of a verb, or the beginning of a phrase. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.joints import as_is, take_preposition
from sulla.speech.english.phrases import named
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PREDICATE,
    PREPOSITION,
    WHERE,
    Clause,
    Parse,
)
from sulla.speech.english.verbal import verb


def take_part(state: Parse, word: str) -> None:
    """ "up", "off", "out"."""
    clause = state.top
    if word == "back" and clause.aux and clause.subject and state.last in ("last", "to", clause.subject):
        verb(state, word, lex.BASE | lex.OBJECT)
        return
    if state.last == clause.word:
        clause.bits &= ~(lex.PLACE | lex.GIVE | lex.TELL)
    if state.phrase == OPEN_PHRASE and state.opened == "det":
        named(state, word, lex.NOUN)
        return
    as_is(state)
    if state.phrase == OPEN_PHRASE:
        state.phrase = NO_PHRASE
    if (
        clause.subject
        and not clause.verb
        and not clause.aux
        and state.fresh
        and state.phrase == NAMED_PHRASE
        and not clause.wh
    ):
        clause.verb, clause.word = True, state.last
    clause.needs &= ~(WHERE | PREDICATE | PREPOSITION | BARE)
    if state.last in state.en.alone_with(word) or (state.last == clause.word and clause.word in state.en["wanting"]):
        clause.needs = 0
        clause.bits &= ~lex.OBJECT
    if (
        word == "out"
        and state.last in state.en["finding"]
        and (clause.subject == "it" or state.last not in ("turns", "turned"))
    ):
        clause.needs = CLAUSE
    state.fresh = False
    state.prep = ""


def take_mid(state: Parse, word: str) -> None:
    """ "on", "in", "over", which end something or begin it."""
    clause = state.top
    if state.phrase == OPEN_PHRASE and state.opened == "det":
        named(state, word, lex.NOUN)
        return
    if (
        clause.kind == COMP
        and clause.subject == state.last == "it"
        and not clause.verb
        and not clause.aux
        and len(state.clauses) > 1
    ):
        # "think it over"
        state.clauses.pop()
        clause = state.top
        clause.needs = 0
    as_is(state)
    can_end = _can_end(state, clause, word)
    state.mid = ""
    if state.last == clause.word and clause.word in ("get", "gets", "got", "getting"):
        clause.needs = 0
        can_end = "verb" if word in ("on", "in", "over", "by", "along", "through") else ""
    if can_end == "" and state.last == clause.word and clause.word in state.en.ended_by(word):
        clause.needs &= ~OBJECT
        can_end = "verb"
    elif (
        state.last == clause.word and clause.needs & OBJECT and clause.word in state.en["takes_off"] and not clause.gap
    ):
        clause.bits &= ~(lex.PLACE | lex.GIVE | lex.TELL)
        return
    take_preposition(state, word)
    state.mid = can_end


def _can_end(state: Parse, clause: Clause, word: str) -> str:
    """What "on" or "in" would end here, if nothing followed."""
    if clause.word == "be" and clause.needs & PREDICATE and (clause.subject or clause.wh):
        return "be"
    if clause.needs & OBJECT:
        return ""
    if (
        state.last in state.en["objects"] and clause.subject != state.last and clause.word in state.en["takes_off"]
    ) or (state.last == "back" and clause.word in state.en["switches"]):
        return "it"
    if word == "on" and clause.word in state.en["by_itself"] and clause.subject not in ("you", "to", "i", "we"):
        return "verb"
    if state.last == clause.word or state.last in ("back", "on", "over"):
        return "verb" if clause.word in state.en.ended_by(word) else ""
    is_one = state.fresh and clause.verb and state.article not in ("", "a", "an")
    return "noun" if is_one and clause.word in (state.en["switches"] if word == "on" else state.en["plugs"]) else ""
