"""Noun phrases of an English text, and what they are in their clause. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    EXPLAINING,
    FIRST,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OBJECTS,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    PREPOSITION,
    RELATED,
    SAYING,
    TO,
    WHAT,
    WHERE,
    Clause,
    Parse,
    push,
)


def open_phrase(state: Parse, kind: str) -> None:
    """A word opens a phrase."""
    state.phrase = OPEN_PHRASE
    state.opened = kind
    state.article = ""
    if state.prep == "to":
        _placed(state.top)
    state.filled = state.prep or ("and" if state.joined else "")
    state.prep = ""
    state.joined = False
    state.fresh = False
    state.plural = False
    state.first = False


_PLURAL_FIRST: Final = frozenset(
    "sports sales customs savings accounts news arms goods clothes ladies kids christmas operations "
    "systems glasses jeans parents students teachers maths physics thursdays mondays tuesdays wednesdays "
    "fridays saturdays sundays results awards drinks games arts james thomas is was us this plus bus gas".split()
)


def _placed(clause: Clause) -> None:
    """Something says where to."""
    if clause.word in EXPLAINING and clause.needs & OBJECT and not clause.gap:
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
    state.fresh = not pronoun or word in RELATED or word == "ones"
    state.plural = bool(bits & lex.PLURAL) or (word.endswith("s") and not word.endswith(("ss", "us", "is")))
    if continues and was_plural and bits & lex.PLURAL and state.top.inverted and state.top.needs & PREDICATE:
        continues = False
    if continues and was_plural and state.last not in _PLURAL_FIRST:
        state.listed = True
    state.last_named = word
    state.person = (
        bool(bits & lex.PERSON) or (pronoun and word in OBJECTS and word != "it") or (continues and state.person)
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
        _placed(state.top)
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
        clause.adjective in _SURE and clause.verb and not clause.needs & FIRST
    ):
        phrase, fresh = state.phrase, state.fresh
        clause.needs = 0
        push(state, Clause(COMP, clause.gap))
        clause.gap = 0
        state.top.subject = word
        state.phrase, state.fresh = phrase, fresh
    elif clause.needs & FIRST:
        _object(state, clause)
        if CLASS_OF.get(word) == "num" or (clause.word == "compare" and state.plural):
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
        clause.wh in _WITH_NOUN and state.article in ("", word) and CLASS_OF.get(word) not in ("demo", "pron")
    )
    if is_asked_for and not clause.subject and not clause.named:
        clause.named = True
        return
    if clause.subject and state.article in _LISTED_FIRST and not state.time and word not in _MEASURES:
        state.listed = True
    clause.subject = clause.subject or word


def _begins_thought(state: Parse, clause: Clause, word: str) -> bool:
    """Whether a noun is not what is said, but the subject of it ("I think the plumber")."""
    name = CLASS_OF.get(word)
    if not clause.needs & CLAUSE or name == "num" or word in _HELLO:
        return False
    return clause.word not in SAYING or (clause.word in _SAID and state.article in _DEFINITE and name is None)


_HELLO: Final = frozenset("hello hi goodbye bye thanks yes no sorry nothing something please anything cheers".split())
_SURE: Final = frozenset(
    "sure glad certain positive confident convinced hopeful aware worried afraid scared happy sorry lucky surprised "
    "amazed disappointed annoyed pleased grateful thankful relieved".split()
)
"""What somebody is sure of may follow as a clause."""


def _second_object(state: Parse, clause: Clause, word: str) -> None:
    if clause.needs & WHAT:
        clause.needs &= ~WHAT
        is_told = word in CLASS_OF or word in _TOLD
        if clause.word in _TELLING and state.article in _DEFINITE and not is_told:
            phrase, fresh = state.phrase, state.fresh
            push(state, Clause(COMP))
            state.top.subject = word
            state.phrase, state.fresh = phrase, fresh
    elif clause.needs & WHERE and CLASS_OF.get(word) == "num":
        clause.needs = 0
    else:
        state.placed = state.last == clause.word
        one_is_enough = clause.bits & (lex.OBJECT | _TWICE) == lex.OBJECT and clause.word not in _NAMING
        if one_is_enough and state.article in _LISTING and not state.time and word not in _MEASURES:
            state.listed = True


_GIVING: Final = frozenset("give gives gave giving given hand lend lent owe owes owed".split())
_NAMING: Final = lex.forms(
    "call name paint dye colour color elect consider cost bet charge spare save wish forgive envy fine"
)
_TELLING: Final = frozenset("tell tells told telling remind reminded warned promised assured".split())
_TOLD: Final = frozenset(
    "story truth lie joke time name way news secret answer difference reason rest price score result "
    "password date".split()
)
_TWICE: Final = lex.TELL | lex.GIVE | lex.LET | lex.PLACE


_MEASURES: Final = frozenset("bit lot little few couple while way touch notch tad smidge fraction".split())


_LISTED_FIRST: Final = frozenset("the my a an some her his our their your".split())


_LISTING: Final = frozenset("a an some my".split())


def _object(state: Parse, clause: Clause) -> None:
    """The verb has what it needs first; it may need a second thing."""
    bits = clause.bits
    clause.needs = 0
    if state.last_named in _TOLD and not state.person:
        return
    if (
        (bits & lex.TELL and (state.person or state.name or (clause.word in _TELLING and clause.base)))
        or (
            bits & lex.GIVE
            and (
                (state.person and (state.last_named != "them" or clause.word in _GIVING))
                or (state.name and clause.word in _GIVING)
            )
        )
        or (clause.subject == "it" and clause.word in _COSTS and state.person)
    ):
        clause.needs = WHAT
    elif clause.word in _LETTING:
        clause.needs = BARE
    elif (
        bits & lex.PLACE
        and not (clause.base and clause.word == "leave" and state.article == "it")
        and not (clause.word in _MAKING and (state.article not in _DEFINITE or not clause.base))
    ):
        clause.needs = WHERE
    elif bits & lex.TO and state.person and (clause.word in _WANTED or (clause.word == "like" and clause.base)):
        clause.needs = TO


_WITH_NOUN: Final = frozenset("what which whose whatever whichever how".split())


_SAID: Final = frozenset("said says".split())


_COSTS: Final = frozenset("takes took cost costs take".split())


_MAKING: Final = frozenset("make makes made making leave leaves left leaving keep keeps kept".split())


_DEFINITE: Final = frozenset("the my our your it them him her his this that these those".split())


_LETTING: Final = frozenset("let lets letting".split())


_WANTED: Final = frozenset(
    "want wants wanted need needs needed expect expects expected allow allows allowed force forced cause "
    "encourage urge".split()
)


def close(state: Parse) -> None:
    """Name a phrase by its last word ("the rest of", "a few of")."""
    if (
        state.phrase == OPEN_PHRASE
        and state.opened not in ("det", "poss", "demo", "quant")
        and not state.opened.startswith("num:")
    ):
        named(state, state.last, lex.NOUN)
