"""Pronouns of an English text: the clauses that they begin, or the objects that they are. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.late import each_time, says_when, that_clause
from sulla.speech.english.phrases import named
from sulla.speech.english.state import (
    CLAUSE,
    COMP,
    INF,
    MAIN,
    NO_PHRASE,
    OBJECT,
    OBJECTS,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    REL,
    RELATED,
    SAYING,
    SUB,
    SUBJECT_TOO,
    WHAT,
    Clause,
    Parse,
    push,
)

_HINGES: Final = frozenset("before after since until till as than like except".split())


def take_subj(state: Parse, word: str) -> None:
    """ "i", "she", "they"."""
    that_clause(state)
    if state.phrase == OPEN_PHRASE and state.opened.startswith(("named", "quant")) and state.top.verb:
        # "the best we have"
        state.fresh = True
    if state.prep in _HINGES:
        word_before = state.prep
        push(state, Clause(SUB))
        state.top.wh = word_before
        state.hinge = False
    clause = state.top
    if (
        clause.kind == MAIN
        and not clause.verb
        and not clause.aux
        and (says_when(clause.subject) or (clause.subject and state.fresh and says_when(state.last_named)))
    ):
        each_time(state)
        clause = state.top
    if (clause.verb and not (clause.inverted and not clause.subject)) or (clause.subject and clause.kind != INF):
        clause = _next_subject(state, clause, word)
    clause.subject = word
    is_what = clause.wh == "what" and word in ("i", "you", "we") and not clause.named
    if clause.inverted and clause.wh and clause.needs & PREDICATE and clause.wh != "why" and not is_what:
        clause.needs = 0
        clause.bits = 0
    state.prep = ""
    state.phrase = NO_PHRASE
    state.fresh = False
    state.joined = False


def _next_subject(state: Parse, clause: Clause, word: str) -> Clause:
    """Somebody else begins to do something."""
    waits = not state.clauses[0].verb and not state.clauses[0].aux and len(state.clauses) > 1
    if clause.needs & (CLAUSE | WHAT) or (clause.needs & OBJECT and not clause.gap):
        gap = clause.gap or int(bool(clause.needs & WHAT) and state.fresh and bool(state.article))
        clause.needs = 0
        clause.gap = 0
        new = Clause(COMP, gap)
    elif waits and state.clauses[0].subject == "" and clause.kind != REL and not state.joined:
        del state.clauses[1:]
        return state.clauses[0]
    elif clause.word == "be" and clause.subject == "it" and not clause.needs and state.last_named == state.last:
        new = Clause(REL, 1)
    elif state.fresh and not state.joined and not (state.time and clause.verb):
        new = Clause(REL, 2 if not clause.verb else 1)
    else:
        new = Clause(SUB if waits else MAIN)
    push(state, new)
    return new


def take_pron(state: Parse, word: str) -> None:
    """ "you", "it", "me", "something"."""
    that_clause(state)
    clause = state.top
    if (clause.needs & CLAUSE and clause.word in SAYING) or (
        state.fresh and not state.article and word in OBJECTS and lex.bits_of(state.last) & lex.ING
    ):
        named(state, word, 0, pronoun=True)
        return
    if word == "there" and clause.verb and not clause.needs and (state.last in OBJECTS or state.last in RELATED):
        return
    if clause.needs & WHAT and clause.bits & lex.TELL and word in SUBJECT_TOO and not state.prep:
        take_subj(state, word)
        return
    if (word in OBJECTS and word not in ("you", "it")) or (
        (state.last == clause.word and clause.word not in ("be", "have", "do") and not clause.needs & CLAUSE)
        or (state.prep and state.prep not in _HINGES)
        or clause.needs & (OBJECT | PERHAPS | WHAT)
        or (clause.needs & PREDICATE and clause.subject)
    ):
        named(state, word, 0, pronoun=True)
    elif word in SUBJECT_TOO:
        take_subj(state, word)
    else:
        named(state, word, 0, pronoun=True)
