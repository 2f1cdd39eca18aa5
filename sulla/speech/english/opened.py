"""Nouns, verbs, adjectives and adverbs of an English text: any word that is not in a closed class. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.fits import must_be_verb, verb_fits
from sulla.speech.english.joints import as_is
from sulla.speech.english.phrases import named, open_phrase
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    FIRST,
    MAIN,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    WHAT,
    WHERE,
    Clause,
    Parse,
)
from sulla.speech.english.verbal import finite, that_someone, verb


def open_class(state: Parse, word: str) -> None:
    """Any word that is not in a closed class."""
    bits = state.en.bits_of(word) if not word[0].isdigit() else lex.NOUN
    if word.endswith(("'s", "s'")):
        _possessive(state, word)
    elif (state.first and state.fresh) or (word == "old" and state.last in state.en["years"]):
        named(state, word, lex.NOUN)
    elif state.phrase == OPEN_PHRASE:
        _within(state, word, bits)
    elif not _verb(state, word, bits):
        _other(state, word, bits)


def _verb(state: Parse, word: str, bits: int) -> bool:
    """Take a verb, if it is one."""
    if bits & lex.PARTICIPLE and not bits & lex.BASE and state.held == "with" and state.fresh and state.top.verb:
        # "with the lights turned off"
        state.held, state.fresh = "", False
    elif bits & lex.VERB and verb_fits(state, word, bits):
        verb(state, word, bits)
    elif not bits & lex.KNOWN and bits & lex.NOUN and must_be_verb(state):
        verb(state, word, lex.BASE | lex.PRESENT | lex.ALONE | lex.OBJECT)
    else:
        return False
    return True


def _other(state: Parse, word: str, bits: int) -> None:
    """Take a word that is no verb here, and stands in no phrase."""
    if bits & lex.PARTICIPLE and state.top.word in state.en["causing"] and state.top.verb:
        state.top.needs &= 0 if state.last == state.top.word else ~(WHERE | BARE)
        state.fresh = False
    elif bits & lex.ADJECTIVE and not (bits & lex.NOUN and (state.top.needs & (OBJECT | WHAT) or state.prep)):
        _adjective(state, word, bits)
    elif bits & lex.TIME and not bits & lex.NOUN:
        _adverb(state, word)
    elif bits & lex.TIME_NOUN and not state.prep and not state.top.needs & FIRST and state.top.verb:
        state.phrase, state.fresh, state.time, state.joined = NO_PHRASE, True, True, False
    else:
        named(state, word, bits)


def _possessive(state: Parse, word: str) -> None:
    clause = state.top
    if not clause.verb and not clause.aux and not clause.subject and not state.prep:
        clause.subject = word
    filled = state.filled if state.phrase == OPEN_PHRASE else ""
    open_phrase(state, "poss")
    state.filled = state.filled or filled


def _within(state: Parse, word: str, bits: int) -> None:
    """A word behind an article, a number or an adjective."""
    opened = state.opened
    soft = opened in ("demo", "quant", "some") or opened.startswith("num")
    if _ends_phrase(state, word, bits, soft=soft) or (opened == "poss" and _is_so(state, word, bits)):
        return
    if bits & lex.ADJECTIVE and not bits & lex.NOUN and not (word == "second" and state.article == "a"):
        state.opened = opened if opened.startswith("adj") else "adj:" + opened
        if bits & lex.NAMED:
            state.opened = "named:" + opened
    elif bits & (lex.ING | lex.PARTICIPLE) and not bits & (lex.SURE_NOUN | lex.NOUN | lex.BASE) and opened != "demo":
        state.opened = "ing:" + opened
    elif bits & lex.TIME and not bits & lex.NOUN:
        if soft:
            _adverb(state, word)
    else:
        if that_someone(state, bits):
            named(state, word, bits)
            return
        if soft or state.joined:
            state.phrase = NAMED_PHRASE
            state.fresh = True
            state.plural = False
        named(state, word, bits)
        state.joined = False


def _is_so(state: Parse, word: str, bits: int) -> bool:
    """Take "getting" of "my brother's getting" and "late" of "anna's late"."""
    top = state.top
    is_doing = bits & lex.ING and not bits & (lex.SURE_NOUN | lex.NOUN | lex.ADJECTIVE | lex.BASE)
    if not is_doing and word not in state.en["predicates"]:
        return False
    if state.filled == "and" and top.verb and not top.needs:
        state.filled = ""
        new = Clause(MAIN)
        new.subject = state.last
        state.clauses.append(new)
        top = new
    if top.verb or top.aux or state.filled or not top.subject or state.last != top.subject.split()[-1]:
        return False
    as_is(state)
    if is_doing:
        verb(state, word, bits)
    else:
        top.needs = 0
    return True


def _ends_phrase(state: Parse, word: str, bits: int, *, soft: bool) -> bool:
    """Take a word that shows that a phrase was whole before it ("some work", "that is")."""
    top = state.top
    is_past = bool(bits & lex.FINITE) and not bits & (lex.NOUN | lex.BASE)
    is_adjective, is_demo = bool(bits & lex.ADJECTIVE), state.opened == "demo"
    measured = state.last in ("little", "bit") or (state.opened == "quant" and state.last in state.en["opened_degrees"])
    is_somebodys = state.opened == "poss" and state.filled in ("of", "from", "at")
    if is_past and (is_somebodys or (soft and not top.verb)):
        state.phrase = NO_PHRASE
        finite(state, word, bits)
    elif soft and bits & lex.BASE and top.aux and top.subject and not (is_demo and bits & lex.SURE_NOUN):
        state.phrase = NO_PHRASE
        verb(state, word, bits)
    elif is_adjective and measured:
        state.phrase = NO_PHRASE
        _adjective(state, word, bits)
    elif is_adjective and soft and state.opened != "quant" and top.needs & PREDICATE:
        top.needs = 0
    elif is_adjective and state.last in ("this", "that") and top.word in state.en["seeming"] and not bits & lex.NOUN:
        state.phrase, top.needs = NO_PHRASE, 0
    else:
        return False
    return True


def _adjective(state: Parse, word: str, bits: int) -> None:
    clause = state.top
    is_needed = clause.needs & PREDICATE and (clause.subject or clause.wh)
    if state.joined and not state.prep:
        state.joined = False
        if not clause.needs & (OBJECT | WHAT):
            state.fresh = False
            return
    if state.prep in ("than", "as") and not bits & lex.NAMED:
        state.prep = ""
        clause.needs = 0
    elif state.prep:
        _open_bare(state, bits)
    elif is_needed or (clause.word in state.en["getting"] and clause.needs):
        clause.needs &= ~(PREDICATE | OBJECT | PERHAPS | WHERE | BARE)
        clause.adjective = word
        state.fresh = False
    elif clause.needs & WHAT and word in state.en["later"]:
        clause.needs &= ~WHAT
        _adverb(state, word)
    elif clause.needs & (OBJECT | WHAT):
        _open_bare(state, bits)
    else:
        _loose_adjective(state, clause, word, bits)


def _open_bare(state: Parse, bits: int) -> None:
    open_phrase(state, "bare")
    if bits & lex.NAMED:
        state.opened = "named:bare"


def _loose_adjective(state: Parse, clause: Clause, word: str, bits: int) -> None:
    clause.needs &= ~(WHERE | BARE)
    if bits & lex.TIME:
        _adverb(state, word)
    elif not clause.verb and not clause.subject and not clause.wh:
        clause.adjective = word
        open_phrase(state, "start")


def _adverb(state: Parse, word: str) -> None:
    clause = state.top
    if word == "ago" and not clause.verb and not clause.aux:
        clause.subject = ""
    if word == "otherwise":
        clause.needs &= ~CLAUSE
    as_is(state)
    if not word.endswith("ly"):
        state.joined = False
    if word in state.en["opened_predicates"]:
        clause.needs &= ~(WHERE | PREDICATE | WHAT | BARE | (OBJECT if clause.word in state.en["getting"] else 0))
        state.prep = ""
    elif state.en.bits_of(word) & lex.TIME_NOUN or not word.endswith("ly"):
        state.prep = ""
    state.phrase = NO_PHRASE
    state.fresh = False
