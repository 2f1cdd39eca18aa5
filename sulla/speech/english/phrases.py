"""Noun phrases of an English text, and what they are in their clause. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    FIRST,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    PREPOSITION,
    TO,
    WHAT,
    WHERE,
    Clause,
    Parse,
    push,
)
from sulla.speech.english.vocabulary import Vocabulary


def open_phrase(state: Parse, kind: str) -> None:
    """A word opens a phrase."""
    state.phrase = OPEN_PHRASE
    state.opened = kind
    state.article = ""
    if state.prep == "to":
        _placed(state.en, state.top)
    state.filled = state.prep or ("and" if state.joined else "")
    state.prep = ""
    state.joined = False
    state.fresh = False
    state.plural = False
    state.first = False


def _placed(en: Vocabulary, clause: Clause) -> None:
    """Something says where to."""
    if clause.word in en["explaining"] and clause.needs & OBJECT and not clause.gap:
        return
    if clause.gap and clause.needs & OBJECT:
        clause.gap = 0
    clause.needs &= ~(PREPOSITION | WHERE | PERHAPS | PREDICATE | OBJECT | WHAT)


def named(state: Parse, word: str, bits: int, *, pronoun: bool = False) -> None:
    """A phrase has its noun: it is an object, a subject, or what a preposition needs."""
    was_plural = state.plural
    continues = state.phrase == NAMED_PHRASE and state.fresh and not pronoun and not state.prep
    state.name = state.phrase == NO_PHRASE and not bits & (lex.KNOWN | lex.PLURAL) and not pronoun
    bare = state.phrase != OPEN_PHRASE and not pronoun
    state.phrase = NO_PHRASE if pronoun else NAMED_PHRASE
    state.fresh = not pronoun or word in state.en["related"] or word == "ones"
    state.plural = bool(bits & lex.PLURAL) or (word.endswith("s") and not word.endswith(("ss", "us", "is")))
    if continues and was_plural and bits & lex.PLURAL and state.top.inverted and state.top.needs & PREDICATE:
        continues = False
    if continues and was_plural and state.last not in state.en["plural_first"]:
        state.listed = True
    state.last_named = word
    state.person = (
        bool(bits & lex.PERSON)
        or (pronoun and word in state.en["objects"] and word != "it")
        or (continues and state.person)
    )
    state.first = bool(bits & lex.FIRST_PART) and not pronoun
    state.time = bool(bits & (lex.TIME_NOUN | lex.TIME))
    if continues:
        return
    if bare:
        state.article = ""
    if pronoun:
        state.article = word
    if state.prep == "to":
        _placed(state.en, state.top)
    filled = state.filled or state.prep or state.joined
    state.head = word
    state.conjoined = state.filled == "and" and not pronoun
    state.prep = ""
    state.joined = False
    state.filled = ""
    state.placed = True
    if filled:
        return
    _role(state, state.top, word)


def _role(state: Parse, clause: Clause, word: str) -> None:
    """What a phrase is in its clause."""
    if clause.inverted and not clause.subject:
        _asked_subject(state, clause, word)
    elif not clause.verb and not clause.aux:
        _subject(state, clause, word)
    elif _begins_thought(state, clause, word) or (
        clause.adjective in state.en["sure"] and clause.verb and not clause.needs & FIRST
    ):
        phrase, fresh = state.phrase, state.fresh
        clause.needs = 0
        push(state, Clause(COMP, clause.gap))
        clause.gap = 0
        state.top.subject = word
        state.phrase, state.fresh = phrase, fresh
    elif clause.needs & FIRST:
        _object(state, clause)
        if state.en.class_of.get(word) == "num" or (clause.word == "compare" and state.plural):
            clause.needs = 0
    elif clause.aux == "do" and clause.subject and not clause.inverted:
        clause.aux, clause.verb, clause.word, clause.bits = "", True, "do", 0
    else:
        _second_object(state, clause, word)


def _asked_subject(state: Parse, clause: Clause, word: str) -> None:
    """The subject of a question; or the object of "who has"."""
    if clause.word == "have" and clause.gap and clause.wh in ("who", "which"):
        clause.subject, clause.gap, clause.needs, clause.inverted = clause.wh, 0, 0, False
        return
    clause.subject = word
    if clause.wh and clause.needs & PREDICATE and clause.wh != "why":
        clause.needs = 0
        clause.gap = min(clause.gap, 1) if state.fresh else clause.gap


def _subject(state: Parse, clause: Clause, word: str) -> None:
    is_asked_for = (
        clause.wh in state.en["with_noun"]
        and state.article in ("", word)
        and state.en.class_of.get(word) not in ("demo", "pron")
    )
    if is_asked_for and not clause.subject and not clause.named:
        clause.named = True
        return
    if (
        clause.subject
        and state.article in state.en["listed_first"]
        and not state.time
        and word not in state.en["measures"]
    ):
        state.listed = True
    clause.subject = clause.subject or word


def _begins_thought(state: Parse, clause: Clause, word: str) -> bool:
    """Whether a noun is not what is said, but the subject of it ("I think the plumber")."""
    name = state.en.class_of.get(word)
    if not clause.needs & CLAUSE or name == "num" or word in state.en["hello"]:
        return False
    return clause.word not in state.en["saying"] or (
        clause.word in state.en["phrases_said"] and state.article in state.en["phrases_definite"] and name is None
    )


def _second_object(state: Parse, clause: Clause, word: str) -> None:
    if clause.needs & WHAT:
        clause.needs &= ~WHAT
        is_told = word in state.en.class_of or word in state.en["told"]
        if clause.word in state.en["telling"] and state.article in state.en["phrases_definite"] and not is_told:
            phrase, fresh = state.phrase, state.fresh
            push(state, Clause(COMP))
            state.top.subject = word
            state.phrase, state.fresh = phrase, fresh
    elif clause.needs & WHERE and state.en.class_of.get(word) == "num":
        clause.needs = 0
    else:
        state.placed = state.last == clause.word
        one_is_enough = clause.bits & (lex.OBJECT | _TWICE) == lex.OBJECT and clause.word not in state.en["naming"]
        if (
            one_is_enough
            and state.article in state.en["listing"]
            and not state.time
            and word not in state.en["measures"]
        ):
            state.listed = True


_TWICE: Final = lex.TELL | lex.GIVE | lex.LET | lex.PLACE


def _object(state: Parse, clause: Clause) -> None:
    """The verb has what it needs first; it may need a second thing."""
    bits = clause.bits
    clause.needs = 0
    if state.last_named in state.en["told"] and not state.person:
        return
    if (
        (bits & lex.TELL and (state.person or state.name or (clause.word in state.en["telling"] and clause.base)))
        or (
            bits & lex.GIVE
            and (
                (state.person and (state.last_named != "them" or clause.word in state.en["giving"]))
                or (state.name and clause.word in state.en["giving"])
            )
        )
        or (clause.subject == "it" and clause.word in state.en["costs"] and state.person)
    ):
        clause.needs = WHAT
    elif clause.word in state.en["letting"]:
        clause.needs = BARE
    elif (
        bits & lex.PLACE
        and not (clause.base and clause.word == "leave" and state.article == "it")
        and not (
            clause.word in state.en["making"] and (state.article not in state.en["phrases_definite"] or not clause.base)
        )
    ):
        clause.needs = WHERE
    elif (
        bits & lex.TO
        and state.person
        and (clause.word in state.en["wanted"] or (clause.word == "like" and clause.base))
    ):
        clause.needs = TO


def close(state: Parse) -> None:
    """Name a phrase by its last word ("the rest of", "a few of")."""
    if (
        state.phrase == OPEN_PHRASE
        and state.opened not in ("det", "poss", "demo", "quant")
        and not state.opened.startswith("num:")
    ):
        named(state, state.last, lex.NOUN)
