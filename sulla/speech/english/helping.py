"""Helping verbs of an English text: "is", "do", "can". Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.phrases import named
from sulla.speech.english.state import (
    CLAUSE,
    COMP,
    INF,
    MAIN,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PREDICATE,
    Clause,
    Parse,
    push,
    waits,
)
from sulla.speech.english.verbal import hinged, home, infinitive, ing, verb


def take_be(state: Parse, word: str) -> None:
    """ "is", "been", "to be"."""
    clause = state.top
    if word in ("be", "been", "being") and state.last != "to" and (clause.aux or clause.verb):
        clause.verb, clause.aux, clause.needs, clause.word, clause.bits = True, "", PREDICATE, "be", 0
        clause.at = state.seen
        clause.subject = clause.subject or "you"
        state.phrase, state.fresh, state.joined, state.prep = NO_PHRASE, False, False, ""
        return
    if state.last == "to":
        infinitive(state, "be", lex.PREDICATE | lex.BASE)
        return
    if word == "be" and state.seen == 0:
        clause.subject, clause.verb, clause.word, clause.needs = "you", True, "be", PREDICATE
        return
    if word == "being" and not clause.subject:
        clause.subject = word
        return
    if clause.kind == MAIN and clause.wh == "what" and clause.verb and not clause.inverted:
        clause.gap, clause.needs, clause.word, clause.bits, clause.at = 0, PREDICATE, "be", 0, state.seen
        state.phrase, state.fresh = NO_PHRASE, False
        return
    main = state.clauses[0]
    is_named = main.wh == "what" and main.verb and not main.inverted and main.word != "be"
    if is_named and clause.kind == INF and state.last == clause.word:
        # "what i meant to say was"
        del state.clauses[1:]
        main.at = state.seen
        main.gap, main.needs, main.word, main.bits = 0, PREDICATE, "be", 0
        state.phrase, state.fresh = NO_PHRASE, False
        return
    clause = _begin_aux(state)
    clause.at = state.seen
    clause.verb = True
    clause.needs = PREDICATE
    clause.word = "be"
    clause.bits = 0
    state.phrase, state.fresh, state.joined, state.prep, state.filled = NO_PHRASE, False, False, "", ""


def _begin_aux(state: Parse) -> Clause:
    """The clause that a helping verb belongs to."""
    state.listed = False
    if state.pair != "between":
        state.pair = ""
    if hinged(state):
        return state.top
    clause = state.top
    if state.seen == 1 and clause.verb and clause.base and clause.subject == "you":
        # "coach is fine"
        clause.verb, clause.base, clause.needs, clause.subject = False, False, 0, state.last
        return clause
    is_asked = clause.inverted and clause.wh and state.last == clause.subject
    if clause.verb and state.last in state.en["subject_too"] and not state.joined and not is_asked:
        return _after_pronoun(state)
    if clause.verb or clause.aux:
        return _another_aux(state, clause)
    if clause.kind == MAIN and not clause.subject:
        clause.inverted = True
    elif not clause.subject and clause.wh and clause.kind == COMP and not clause.named:
        clause.subject, clause.gap = clause.wh, 0
    elif not clause.subject and clause.gap:
        clause.subject, clause.gap = "that", int(clause.named and (state.plural or state.listed))
    elif not clause.subject and clause.wh:
        clause.subject, clause.gap = clause.wh, 0
    return clause


def _after_pronoun(state: Parse) -> Clause:
    """ "it" was no object, but the subject of what begins here."""
    main = state.clauses[0]
    if waits(state) and main.subject and not state.top.bits & lex.CLAUSE and state.top.kind != MAIN:
        return home(state)
    if waits(state) and not main.subject:
        del state.clauses[1:]
        main.subject = state.last
        return main
    new = Clause(MAIN if waits(state) else COMP)
    new.subject = state.last
    push(state, new)
    return new


def _another_aux(state: Parse, clause: Clause) -> Clause:
    lacking = any(not one.verb and one.subject for one in state.clauses)
    if state.joined:
        clause.aux = ""
        return clause
    if clause.needs & CLAUSE and clause.gap and not waits(state):
        clause.needs = clause.gap = 0
        new = Clause(COMP)
        new.subject = "that"
        push(state, new)
        return new
    stands_alone = state.phrase == OPEN_PHRASE and state.opened in ("demo", "quant")
    if (state.clauses[0] is clause or not lacking) and not state.fresh and not stands_alone:
        new = Clause(MAIN)
        push(state, new)
        new.inverted = True
        return new
    clause = home(state)
    if state.last == "no" and not clause.subject:
        clause.inverted = True
    else:
        clause.subject = clause.subject or "?"
    return clause


def take_do(state: Parse, word: str) -> None:
    """ "do", "did", "doesn't"."""
    clause = state.top
    if (clause.aux or state.last == "to") and word == "do":
        verb(state, "do", lex.BASE | lex.OBJECT)
        return
    clause = _begin_aux(state)
    clause.at = state.seen
    clause.aux = "do"
    clause.verb = False
    clause.needs = 0
    clause.word = word
    state.phrase, state.fresh, state.joined = NO_PHRASE, False, False


def take_have(state: Parse, word: str) -> None:
    """ "have", "has", "had"."""
    clause = state.top
    if word == "have" and not state.plural:
        state.hinge = False
    if word == "have" and (clause.aux or state.last == "to"):
        verb(state, "have", lex.BASE | lex.OBJECT | lex.TO)
        return
    if word == "had" and clause.word == "have" and clause.needs & OBJECT and clause.verb:
        clause.bits = 0
        return
    if word == "having":
        ing(state, word, lex.ING | lex.OBJECT)
        return
    clause = _begin_aux(state)
    clause.at = state.seen
    clause.verb = True
    clause.needs = OBJECT
    clause.word = "have"
    clause.bits = lex.TO
    if not clause.inverted:
        clause.subject = clause.subject or "?"
    state.phrase, state.fresh, state.joined = NO_PHRASE, False, False


def take_modal(state: Parse, word: str) -> None:
    """ "can", "will", "ought"."""
    if (state.phrase == OPEN_PHRASE and state.opened == "det") or (word == "may" and state.prep):
        named(state, word, lex.NOUN)
        return
    clause = _begin_aux(state)
    clause.at = state.seen
    clause.aux = "modal"
    clause.verb = False
    clause.needs = 0
    clause.word = word
    state.phrase, state.fresh, state.joined = NO_PHRASE, False, False


def take_let(state: Parse, word: str) -> None:
    """ "let's"."""
    clause = state.top
    if clause.verb:
        clause = Clause(MAIN)
        push(state, clause)
    clause.subject = "we"
    clause.aux = "let"
