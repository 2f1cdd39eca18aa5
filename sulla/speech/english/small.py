"""Articles, numbers and their like in an English text. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF
from sulla.speech.english.joints import as_is, take_wh
from sulla.speech.english.late import each_time, imperative, that_clause
from sulla.speech.english.phrases import named, open_phrase
from sulla.speech.english.state import (
    FRONTED,
    LONE,
    NAMED_PHRASE,
    NO_PHRASE,
    OPEN_PHRASE,
    REL,
    RELATED,
    WHAT,
    Clause,
    Parse,
    push,
    waits,
)
from sulla.speech.english.verbal import other_verb

_MEASURED: Final = frozenset(("much", "many"))
_DEGREES: Final = frozenset("little bit lot much far".split())


def take_det(state: Parse, word: str) -> None:
    """ "the", "my", "every"."""
    if word in ("whose", "whichever", "whatever"):
        take_wh(state, word)
    that_clause(state)
    as_is(state)
    is_each = state.article in ("every", "each") or state.before in ("next", "last", "first", "any")
    if state.last == "time" and state.fresh and is_each and not state.top.verb:
        each_time(state)
    if (
        state.fresh
        and state.phrase == NAMED_PHRASE
        and waits(state)
        and not state.clauses[0].subject
        and state.top.verb
    ):
        bits = lex.bits_of(state.last)
        if bits & lex.BASE and bits & lex.OBJECT:
            other_verb(state, state.last, bits)
    clause = state.top
    state.doubled = state.fresh and state.phrase == NAMED_PHRASE and not state.time and not state.prep
    if state.seen == 1 and state.last in ("have", "having", "haven't", "hadn't") and word in ("a", "an"):
        clause.inverted, clause.subject = False, "you"
    imperative(state)
    if state.seen == 1 and clause.wh == "what" and word in ("a", "an"):
        clause.verb = True
    open_phrase(state, "det")
    state.article = "" if word in FRONTED else word


def take_demo(state: Parse, word: str) -> None:
    """ "this", "that", "these"."""
    clause = state.top
    is_named = state.fresh and (state.phrase == NAMED_PHRASE or state.last in RELATED)
    if word == "that" and is_named and not clause.needs & WHAT:
        push(state, Clause(REL, 2))
        return
    # Stands for something until a noun shows otherwise.
    named(state, word, 0, pronoun=True)
    _soft(state, "demo")


def _soft(state: Parse, kind: str) -> None:
    """A word that can be all of a phrase, or open one."""
    state.phrase = OPEN_PHRASE
    state.opened = kind


def take_quant(state: Parse, word: str) -> None:
    """ "some", "both", "more"."""
    if word in ("her", "his", "some", "no", "all", "most"):
        that_clause(state)
    if state.last == "how" and word in _MEASURED:
        state.top.gap = 2
    if word in ("either", "neither") and state.last != "not":
        state.pair = word
    if _is_degree(state, word):
        return
    if state.phrase == OPEN_PHRASE and state.opened not in ("demo", "quant", "num"):
        if word == "half":
            named(state, word, 0)
        elif word in ("few", "little") and state.article == "a":
            state.phrase = NO_PHRASE
            named(state, word, 0, pronoun=True)
            _soft(state, "some")
        return
    if state.phrase != OPEN_PHRASE:
        named(state, word, 0, pronoun=True)
    _soft(state, "quant")


def _is_degree(state: Parse, word: str) -> bool:
    """Take "more" of "a little more" and "all" of "we all"."""
    if word in ("more", "less") and state.last in _DEGREES and not state.prep:
        state.phrase = NO_PHRASE
        state.article = word
        return True
    if word in ("both", "all", "each") and (state.last in LONE or CLASS_OF.get(state.last) in ("be", "have", "modal")):
        if word == "all" and state.top.subject in ("it", "that"):
            state.top.needs = 0
            state.fresh, state.last_named = True, word
        return True
    if state.phrase == OPEN_PHRASE and state.last == "any" and word in ("more", "less"):
        state.phrase = NO_PHRASE
        return True
    return False


def take_num(state: Parse, word: str) -> None:
    """ "three", "hundred"."""
    if state.phrase == NAMED_PHRASE and state.fresh and not state.prep:
        # "page two", "flight six"
        state.first = False
        return
    if state.phrase != OPEN_PHRASE:
        prep = state.prep
        named(state, word, 0, pronoun=True)
        _soft(state, "num:" + prep)
    elif word == "one":
        named(state, word, 0)
    elif not state.opened.startswith("num"):
        state.opened = "num:" + state.opened
