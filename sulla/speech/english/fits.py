"""Whether an English word that can be a verb is one where it stands. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import BARE, MAIN, NO_PHRASE, OBJECT, PERHAPS, REL, STRICT, Clause, Parse
from sulla.speech.english.verbal import is_helped


def must_be_verb(state: Parse) -> bool:
    """Whether nothing but a verb can follow ("we preheat", "can you unclog")."""
    clause = state.top
    if clause.needs & BARE and not state.prep:
        return True
    if clause.aux == "modal" and not clause.inverted and state.last == clause.word and clause.subject:
        return True
    if state.last == "to" and state.before in state.en["to_do"]:
        return True
    if clause.aux and clause.inverted and clause.subject and state.fresh and state.plural and not state.prep:
        return True
    if clause.verb or state.phrase != NO_PHRASE or state.prep:
        return False
    return state.last in state.en["lone"] and bool(clause.subject)


def verb_fits(state: Parse, word: str, bits: int) -> bool:
    """Whether a word that can be a verb is one here."""
    clause = state.top
    if word == "last" and (not clause.aux or (clause.inverted and clause.subject)):
        return False
    if state.last == "to" and bits & lex.BASE:
        return True
    if state.last in ("which", "whose") and clause.wh == state.last and not bits & lex.PAST:
        return False
    if bits & lex.ING and not bits & lex.BASE:
        return not bits & lex.SURE_NOUN and (not bits & lex.ADJECTIVE or bool(state.prep))
    if state.prep:
        is_past = bits & lex.FINITE and not bits & (lex.BASE | lex.NOUN | lex.ADJECTIVE)
        return bool(is_past) and state.last != state.prep
    if clause.aux:
        is_train = state.fresh and clause.inverted and bits & lex.SURE_NOUN and not state.plural
        return _aux_fits(clause, bits) and (not is_train or word in state.en["mostly_verbs"])
    if is_helped(state, clause, bits) or (clause.needs & BARE and bits & lex.BASE) or _is_hinge(state, clause, bits):
        return True
    return _goes_on(state, clause, bits) if clause.verb else _begins(state, clause, word, bits)


def _aux_fits(clause: Clause, bits: int) -> bool:
    """Whether a verb belongs to the helping one before it."""
    if clause.word == "would" and bits & lex.PARTICIPLE and clause.subject and not clause.inverted:
        return True
    if not bits & lex.BASE:
        return False
    return bool(clause.subject) or not clause.inverted or clause.word.endswith("n't")


def _is_hinge(state: Parse, clause: Clause, bits: int) -> bool:
    """Whether a verb makes a clause of "before the shop"."""
    fits = bits & lex.FINITE or (bits & lex.BASE and state.plural)
    return bool(fits) and state.hinge and state.fresh and not bits & lex.NOUN and (clause.verb or not clause.subject)


def _begins(state: Parse, clause: Clause, word: str, bits: int) -> bool:
    """Whether a clause without a verb has it here."""
    if not clause.subject:
        if clause.kind == MAIN and not clause.wh:
            if (
                bits & lex.FINITE
                and not bits & (lex.NOUN | lex.ADJECTIVE)
                and (state.seen == 0 or state.last in state.en["before_verb"])
            ):
                return True
            return bool(bits & lex.BASE) or (bool(bits & lex.FINITE) and len(state.clauses) > 1 and not bits & lex.NOUN)
        return bool(bits & lex.FINITE) or bool(clause.gap and bits & lex.BASE and clause.kind == REL)
    if bits & lex.FINITE and not (bits & lex.NOUN or (bits & lex.PRESENT and state.first)):
        return True
    if not bits & lex.BASE:
        return bool(bits & lex.FINITE)
    return not state.fresh or state.plural or (word in state.en["mostly_verbs"] and clause.subject.endswith("s"))


def _joins(clause: Clause, bits: int) -> bool:
    """Whether a verb behind "and" is of the kind of the one before."""
    is_same = bits & clause.bits & lex.PARTICIPLE or (bits & lex.BASE and clause.base)
    return bool(is_same or (bits & lex.FINITE and not bits & lex.BASE)) and not bits & lex.NOUN


def _goes_on(state: Parse, clause: Clause, bits: int) -> bool:
    """Whether a verb follows where a clause has its own."""
    waits = not state.clauses[0].verb and not state.clauses[0].aux
    if (
        clause.bits & lex.LET
        and bits & lex.BASE
        and (state.last in state.en["objects"] or (state.person and state.fresh))
    ):
        return True
    if (
        clause.word in state.en["seeing"]
        and bits & lex.PREDICATE
        and bits & lex.BASE
        and state.fresh
        and not clause.needs & STRICT
    ):
        return True
    if state.joined:
        return _joins(clause, bits)
    if bits & (lex.PARTICIPLE if clause.word in state.en["causing"] else lex.ADJECTIVE if clause.word == "be" else 0):
        return False
    if clause.needs & STRICT and not (clause.gap and clause.needs & OBJECT):
        return False
    if waits and len(state.clauses) > 1:
        return bool(bits & (lex.BASE | lex.FINITE))
    if clause.needs & PERHAPS and not state.fresh:
        return False
    if (
        bits & lex.FINITE
        and not bits & (lex.NOUN | lex.BASE)
        and any(one.subject and not one.verb and not one.aux for one in state.clauses)
    ):
        return True
    if bits & lex.PRESENT and state.fresh and not any(one.subject and not one.verb for one in state.clauses):
        return False
    return (
        bool(bits & lex.FINITE)
        and not bits & (lex.NOUN | lex.BASE)
        and (state.fresh or state.last in state.en.class_of)
    )
