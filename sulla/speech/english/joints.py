"""Prepositions, conjunctions and question words of an English text: what they end and begin. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.phrases import close, named
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    MAIN,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    PREPOSITION,
    REL,
    SUB,
    WHAT,
    WHERE,
    Clause,
    Parse,
    push,
)
from sulla.speech.english.verbal import finite, verb
from sulla.speech.english.vocabulary import Vocabulary


def take_to(state: Parse, word: str) -> None:
    """ "to", before a place or a verb."""
    # Whether a verb follows shows at the next word.
    as_is(state)
    state.prep = word
    if state.phrase == OPEN_PHRASE:
        state.phrase = NO_PHRASE
    state.joined = False


def _takes_gap(en: Vocabulary, clause: Clause, preposition: str) -> bool:
    """Whether what stands before is the verb's, so that the preposition needs its own."""
    if (preposition == "for" and clause.word in en["for"]) or (
        clause.word in en["getting_to"] and preposition not in en["with"]
    ):
        return False
    if clause.needs & PERHAPS:
        return clause.wh == "what" or bool(clause.bits & lex.MOSTLY)
    return bool(clause.needs & OBJECT or (clause.needs & CLAUSE and clause.word not in ("think", "thinking")))


def take_preposition(state: Parse, word: str) -> None:
    """ "of", "with", and "like" as a verb."""
    clause = state.top
    if word == "like" and (clause.aux or state.last == "to"):
        verb(state, word, lex.BASE | lex.OBJECT | lex.TO)
        return
    if state.phrase == OPEN_PHRASE and state.opened == "det" and word in state.en["joints_nouns"]:
        named(state, word, lex.NOUN)
        return
    if word == "like" and clause.subject and not clause.verb:
        finite(state, word, lex.OBJECT | lex.TO)
        return
    as_is(state)
    close(state)
    if state.last == "because" and len(state.clauses) > 1:
        state.clauses.pop()
        clause = state.top
    if word == "between":
        state.pair = word
    _take_gaps(state, clause, word)
    _satisfy(state, clause, word)
    state.mid = ""
    state.prep = state.held = word
    state.phrase = NO_PHRASE
    state.fresh = False
    state.joined = False


def _take_gaps(state: Parse, clause: Clause, word: str) -> None:
    """What stands before belongs to the verb, or to the preposition before."""
    if state.prep and state.mid not in ("verb", "be"):
        for one in state.clauses:
            one.gap = 0
    if clause.gap and _takes_gap(state.en, clause, word):
        clause.gap = 0
        clause.needs &= ~CLAUSE


def _satisfy(state: Parse, clause: Clause, word: str) -> None:
    """A verb that is followed by a preposition needs nothing else."""
    if state.seen == 1 and clause.wh and word == "about":
        clause.verb = True
    if clause.inverted and clause.wh and not clause.subject and clause.word == "be":
        clause.subject = clause.wh
    if word in ("about", "of"):
        clause.needs &= ~(CLAUSE | WHAT | PREDICATE)
    if word == "in" and clause.word in ("remind", "tell", "ask"):
        clause.needs &= ~WHAT
    if word != "of":
        clause.needs &= ~(PREPOSITION | WHERE | PERHAPS | PREDICATE | OBJECT | BARE)
    if word == "for":
        clause.needs &= ~WHAT


def take_both(state: Parse, word: str) -> None:
    """Prepositions that can begin a clause: it shows at the verb."""
    take_preposition(state, word)
    state.hinge = True


def as_is(state: Parse) -> None:
    """Make "is" of "'s", now that no noun follows."""
    clause = state.top
    if state.phrase == OPEN_PHRASE and state.opened == "poss" and clause.subject and not clause.verb and not clause.aux:
        clause.verb, clause.needs, clause.word, clause.bits = True, PREDICATE, "be", 0
        clause.at = state.seen
        state.phrase = NO_PHRASE


def take_conj(state: Parse, word: str) -> None:
    """ "and", "or", "but"."""
    state.pair = ""
    if state.phrase == OPEN_PHRASE and state.opened.startswith(("adj:det", "adj:poss")) and word in ("and", "but"):
        # "an old and"
        return
    state.before_and = ("article and noun" if state.article else "noun") if state.fresh else "clause"
    if word == "but":
        state.before_and = "clause"
    state.article = ""
    state.listed = False
    if state.top.word in ("swap", "compare", "connect"):
        state.top.needs = 0
    state.joined = True
    state.phrase = NO_PHRASE
    state.fresh = False
    state.prep = ""


def take_sub(state: Parse, word: str) -> None:
    """ "if", "because", "although"."""
    clause = state.top
    if word == "once" and clause.verb:
        state.hinge = True
        return
    if state.seen == 1 and clause.wh:
        clause.verb = True
    if clause.needs & (CLAUSE | WHAT | PERHAPS) and word == "if":
        clause.needs = 0
        push(state, Clause(COMP))
        return
    push(state, Clause(SUB))


def take_whether(state: Parse, word: str) -> None:
    """ "whether"."""
    state.top.needs = 0
    push(state, Clause(COMP))


def take_wh(state: Parse, word: str) -> None:
    """ "what", "when": of a question, or of a clause."""
    clause = state.top
    state.article = ""
    fronted = word in state.en["fronted"]
    if state.seen == 0 or (
        clause.kind == MAIN and not clause.subject and not clause.verb and not clause.aux and not state.prep
    ):
        clause.wh = word
        clause.gap = 2 if fronted else 0
        return
    if (
        word in ("who", "which")
        and (state.fresh or state.last in state.en["related"] or state.prep)
        and not clause.needs & (WHAT | CLAUSE)
    ):
        push(state, Clause(REL, 2))
        return
    kind = SUB if word in ("when", "where") and not clause.needs & (OBJECT | CLAUSE | WHAT) and clause.verb else COMP
    clause.needs = 0
    new = Clause(kind, 2 if fronted else 0)
    new.wh = word
    push(state, new)


def take_not(state: Parse, word: str) -> None:
    """ "not", "never"."""
    as_is(state)
    state.top.needs &= ~CLAUSE


def take_skip(state: Parse, word: str) -> None:
    """Words that change little: "please", "so", "just"."""
    clause = state.top
    state.too = state.too or word == "too"
    if state.mid and state.prep == state.last:
        state.prep = ""
    if (
        (clause.needs & PREDICATE and word in ("okay", "ok", "well", "enough", "sorry"))
        or (word in ("so", "thanks", "sorry", "yes") and clause.needs & CLAUSE)
        or (word in ("well", "okay", "ok") and clause.word in state.en["doing"])
    ):
        clause.needs = 0
    elif word == "so":
        state.fresh = False
    elif word in ("now", "then"):
        state.prep = ""
        if state.phrase == OPEN_PHRASE:
            state.phrase = NO_PHRASE
    else:
        as_is(state)
