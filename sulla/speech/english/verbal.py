"""Verbs of an English text and the clauses that they belong to, also those that show themselves only later. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    FIRST,
    INF,
    MAIN,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    PREPOSITION,
    REL,
    STRICT,
    SUB,
    Clause,
    Parse,
    push,
)
from sulla.speech.english.vocabulary import Vocabulary


def _needs_of(bits: int, *, passive: bool) -> int:
    if passive:
        return CLAUSE if bits & lex.CLAUSE and not bits & lex.OBJECT else 0
    if bits & lex.OBJECT:
        return PERHAPS if bits & lex.ALONE else OBJECT
    if bits & lex.CLAUSE:
        return CLAUSE
    if bits & lex.PREDICATE and not bits & lex.ALONE:
        return PREDICATE
    if bits & lex.PREPOSITION:
        return PREPOSITION
    return PERHAPS if bits & lex.PLACE | bits & lex.GIVE | bits & lex.TELL else 0


def set_verb(state: Parse, clause: Clause, word: str, bits: int, *, passive: bool = False) -> None:
    """A clause has its verb."""
    state.listed = state.doubled = False
    clause.at = state.seen
    clause.verb = True
    clause.aux = ""
    clause.word = word
    clause.bits = bits
    clause.base = bool(bits & lex.BASE)
    if state.pair != "between":
        state.pair = ""
    clause.needs = _needs_of(bits, passive=passive)
    state.phrase = NO_PHRASE
    state.fresh = False
    state.joined = False
    state.prep = state.filled = ""


def finite(state: Parse, word: str, bits: int) -> None:
    """A verb that has its subject before it."""
    hinged(state)
    clause = state.top
    if state.doubled and clause.subject and not clause.verb and not clause.aux and clause.subject != state.head:
        # "the reason the sky turns"
        clause = Clause(REL, 1)
        push(state, clause)
        clause.subject = state.head
    if clause.verb or (clause.aux and not clause.inverted):
        clause = home(state)
    if not clause.subject and clause.gap and not clause.wh:
        clause.gap = 0
        clause.subject = "that"
    elif not clause.subject and clause.wh:
        clause.subject = clause.wh
        clause.gap = 0
    clause.subject = clause.subject or "?"
    set_verb(state, clause, word, bits)


def home(state: Parse) -> Clause:
    """The clause that waits for a verb; a new one if none does."""
    clauses = state.clauses
    for at in range(len(clauses) - 1, -1, -1):
        clause = clauses[at]
        if not clause.verb and (clause.subject or (at == 0 and (state.fresh or state.last in state.en.class_of))):
            del clauses[at + 1 :]
            return clause
    if state.fresh and (state.listed or state.doubled) and clauses[-1].verb and not state.joined:
        # "a joke my uncle told"
        clause = Clause(REL, 2)
        clause.subject = state.head
    else:
        clause = Clause(COMP if state.top.kind == COMP else MAIN)
    push(state, clause)
    return clause


def infinitive(state: Parse, word: str, bits: int) -> None:
    """A verb behind "to"."""
    parent = state.top
    gap = 0
    if (parent.gap and parent.word == "used") or (
        parent.gap and not (parent.verb and parent.needs & OBJECT and not parent.bits & lex.TO)
    ):
        gap = parent.gap
    elif (state.last_named in state.en["related"] and state.fresh) or _is_tough(state, parent):
        gap = 2
    elif (
        state.fresh or (state.last == "to" and parent.word == "be" and not parent.adjective)
    ) and not parent.bits & lex.TELL:
        gap = 1
    clause = Clause(INF, gap)
    clause.subject = "to"
    parent.needs = 0
    if not parent.verb and (parent.wh or parent.aux):
        parent.verb, parent.aux = True, ""
    push(state, clause)
    set_verb(state, clause, word, bits)


def _is_tough(state: Parse, parent: Clause) -> bool:
    adjective = parent.adjective
    return adjective in state.en["tough"] or bool(adjective and state.too and adjective not in state.en["timely"])


def hinged(state: Parse) -> bool:
    """Make a clause of "before the shop", now that its verb is there."""
    clause = state.top
    if not state.hinge or not (state.fresh or state.phrase == OPEN_PHRASE) or not (clause.verb or not clause.subject):
        return False
    push(state, Clause(SUB))
    state.top.subject = "?"
    state.top.wh = state.held if state.held == "than" else ""
    state.hinge = False
    return True


def is_helped(state: Parse, clause: Clause, bits: int) -> bool:
    """Whether a participle belongs to "is" or "has"."""
    if not bits & lex.PARTICIPLE or clause.word not in ("be", "have") or not (clause.subject or clause.wh):
        return False
    return bool(clause.needs & STRICT) or (clause.inverted and bool(clause.wh) and state.last == clause.subject)


def verb(state: Parse, word: str, bits: int) -> None:
    """A verb, in whatever form."""
    clause = state.top
    if state.last == "to" and bits & lex.BASE:
        infinitive(state, word, bits)
    elif bits & lex.ING and not bits & lex.BASE:
        ing(state, word, bits)
    elif clause.aux:
        clause.subject = clause.subject or "you"
        set_verb(state, clause, word, bits)
    elif is_helped(state, clause, bits):
        set_verb(state, clause, word, bits, passive=clause.word == "be")
    elif clause.needs & BARE or (
        clause.verb
        and clause.bits & lex.LET
        and bits & lex.BASE
        and not state.joined
        and state.last_named == state.last
    ):
        infinitive(state, word, bits)
    elif state.hinge and state.fresh and (not bits & lex.BASE or state.plural):
        finite(state, word, bits)
    elif not clause.verb and not clause.subject and clause.kind == MAIN and bits & lex.BASE and not clause.wh:
        clause.subject = "you"
        set_verb(state, clause, word, bits)
    elif not clause.verb:
        finite(state, word, bits)
    elif state.joined:
        set_verb(state, clause, word, bits)
    else:
        other_verb(state, word, bits)


def other_verb(state: Parse, word: str, bits: int) -> None:
    """A verb where a clause has its own: of the main clause, or of a new one."""
    main = state.clauses[0]
    if not main.verb and not main.aux and not main.subject and bits & lex.BASE and len(state.clauses) > 1:
        del state.clauses[1:]
        main.subject = "you"
        state.phrase = NO_PHRASE
        set_verb(state, main, word, bits)
        return
    finite(state, word, bits)


def ing(state: Parse, word: str, bits: int) -> None:
    """A verb as in "going": of the clause before it, or of one of its own."""
    clause = state.top
    if clause.word == "be" and clause.needs & PREDICATE and (clause.subject or clause.wh):
        if not clause.subject:
            clause.subject, clause.gap = clause.wh, 0
        set_verb(state, clause, word, bits)
        return
    if clause.verb:
        clause.needs &= ~FIRST
    elif not clause.subject and clause.kind == MAIN:
        clause.subject = word
        state.phrase, state.fresh = NO_PHRASE, False
        return
    gap = clause.gap if clause.verb else 0
    if gap and state.prep and state.prep != "about" and clause.wh and clause.bits & lex.OBJECT and clause.kind == MAIN:
        gap = 0
    if gap:
        clause.gap = 0
    if clause.word in state.en["lacking"] or state.prep == "worth":
        gap = 2
    new = Clause(INF, gap)
    new.subject = "ing"
    push(state, new)
    set_verb(state, new, word, bits)


def that_clause(state: Parse) -> None:
    """Make a clause of "that", now that its subject is there."""
    if state.last == "that" and state.phrase == OPEN_PHRASE and state.opened == "demo" and state.top.verb:
        if state.top.inverted and state.top.subject == "that":
            return
        push(state, Clause(COMP))


def that_someone(state: Parse, bits: int) -> bool:
    """Make a clause of "that", now that a noun follows that it cannot belong to ("say that dogs", "I hope that rain").

    Args:
        state: behind "that".
        bits: of the noun.
    """
    top = state.top
    if state.last != "that" or state.opened != "demo" or not top.verb or state.filled or not state.before:
        return False
    is_behind = state.before == top.word or (top.word == "be" and bool(top.needs))
    if not (bits & lex.PLURAL or top.word in state.en["that"]) or not is_behind:
        return False
    push(state, Clause(COMP))
    return True


def imperative(state: Parse) -> None:
    """Make a request of an unknown first word, now that an object follows."""
    clause = state.top
    if state.seen == 1 and not clause.verb and not clause.aux and clause.subject and state.name:
        clause.subject = "you"
        set_verb(state, clause, state.last, lex.BASE | lex.ALONE | lex.OBJECT)


def says_when(en: Vocabulary, subject: str) -> bool:
    """Whether it is no subject but when or how ("two weeks ago", "either way", "strictly speaking")."""
    return subject in ("way", "rate", "chance") or (
        bool(subject) and bool(en.bits_of(subject) & (lex.TIME_NOUN | lex.ING))
    )


def each_time(state: Parse) -> None:
    """What was named says when: by itself, or as the head of a clause ("every time it rains")."""
    state.top.subject = ""
    if state.last_named in ("time", "moment", "minute", "day") and state.fresh:
        push(state, Clause(SUB))
        state.top.wh = "when"
