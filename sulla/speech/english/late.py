"""Clauses of an English text that show themselves only at a later word. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import COMP, OPEN_PHRASE, SUB, Clause, Parse, push
from sulla.speech.english.verbal import set_verb


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
    if not (bits & lex.PLURAL or top.word in _THAT) or not is_behind:
        return False
    push(state, Clause(COMP))
    return True


_THAT: Final = lex.forms(
    "say think hope believe claim insist agree complain worry assume suppose suggest announce argue reckon imagine "
    "pretend realise realize conclude warn swear confirm"
)


def imperative(state: Parse) -> None:
    """Make a request of an unknown first word, now that an object follows."""
    clause = state.top
    if state.seen == 1 and not clause.verb and not clause.aux and clause.subject and state.name:
        clause.subject = "you"
        set_verb(state, clause, state.last, lex.BASE | lex.ALONE | lex.OBJECT)


def says_when(subject: str) -> bool:
    """Whether it is no subject but when or how ("two weeks ago", "either way", "strictly speaking")."""
    return subject in ("way", "rate", "chance") or (
        bool(subject) and bool(lex.bits_of(subject) & (lex.TIME_NOUN | lex.ING))
    )


def each_time(state: Parse) -> None:
    """What was named says when: by itself, or as the head of a clause ("every time it rains")."""
    state.top.subject = ""
    if state.last_named in ("time", "moment", "minute", "day") and state.fresh:
        push(state, Clause(SUB))
        state.top.wh = "when"
