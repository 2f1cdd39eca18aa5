"""Articles, numbers and pronouns of an English text: what they begin, or the objects that they are. Pure."""

from __future__ import annotations

from sulla.speech.english import lexicon as lex
from sulla.speech.english.joints import as_is, take_wh
from sulla.speech.english.phrases import named, open_phrase
from sulla.speech.english.state import (
    CLAUSE,
    COMP,
    INF,
    MAIN,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OPEN_PHRASE,
    PERHAPS,
    PREDICATE,
    REL,
    SUB,
    WHAT,
    Clause,
    Parse,
    push,
    waits,
)
from sulla.speech.english.verbal import each_time, imperative, other_verb, says_when, that_clause


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
        bits = state.en.bits_of(state.last)
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
    state.article = "" if word in state.en["fronted"] else word


def take_demo(state: Parse, word: str) -> None:
    """ "this", "that", "these"."""
    clause = state.top
    is_named = state.fresh and (state.phrase == NAMED_PHRASE or state.last in state.en["related"])
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
    if state.last == "how" and word in state.en["small_measured"]:
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
    if word in ("more", "less") and state.last in state.en["small_degrees"] and not state.prep:
        state.phrase = NO_PHRASE
        state.article = word
        return True
    if word in ("both", "all", "each") and (
        state.last in state.en["lone"] or state.en.class_of.get(state.last) in ("be", "have", "modal")
    ):
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


def take_subj(state: Parse, word: str) -> None:
    """ "i", "she", "they"."""
    that_clause(state)
    if state.phrase == OPEN_PHRASE and state.opened.startswith(("named", "quant")) and state.top.verb:
        # "the best we have"
        state.fresh = True
    if state.prep in state.en["hinges"]:
        word_before = state.prep
        push(state, Clause(SUB))
        state.top.wh = word_before
        state.hinge = False
    clause = state.top
    if (
        clause.kind == MAIN
        and not clause.verb
        and not clause.aux
        and (
            says_when(state.en, clause.subject)
            or (clause.subject and state.fresh and says_when(state.en, state.last_named))
        )
    ):
        each_time(state)
        clause = state.top
    if (clause.verb and not (clause.inverted and not clause.subject)) or (clause.subject and clause.kind != INF):
        clause = _clause_for_subject(state, clause)
    clause.subject = word
    is_what = clause.wh == "what" and word in ("i", "you", "we") and not clause.named
    if clause.inverted and clause.wh and clause.needs & PREDICATE and clause.wh != "why" and not is_what:
        clause.needs = 0
        clause.bits = 0
    state.prep = ""
    state.phrase = NO_PHRASE
    state.fresh = False
    state.joined = False


def _clause_for_subject(state: Parse, clause: Clause) -> Clause:
    """The clause that one more subject belongs to, once `clause` has its own: a new complement, relative, subordinate
    or main one; or the first, if it still waits for its subject, and then those above it are given up.
    """
    main_waits = not state.clauses[0].verb and not state.clauses[0].aux and len(state.clauses) > 1
    if clause.needs & (CLAUSE | WHAT) or (clause.needs & OBJECT and not clause.gap):
        gap = clause.gap or int(bool(clause.needs & WHAT) and state.fresh and bool(state.article))
        clause.needs = 0
        clause.gap = 0
        new = Clause(COMP, gap)
    elif main_waits and state.clauses[0].subject == "" and clause.kind != REL and not state.joined:
        del state.clauses[1:]
        return state.clauses[0]
    elif clause.word == "be" and clause.subject == "it" and not clause.needs and state.last_named == state.last:
        new = Clause(REL, 1)
    elif state.fresh and not state.joined and not (state.time and clause.verb):
        new = Clause(REL, 2 if not clause.verb else 1)
    else:
        new = Clause(SUB if main_waits else MAIN)
    push(state, new)
    return new


def take_pron(state: Parse, word: str) -> None:
    """ "you", "it", "me", "something"."""
    that_clause(state)
    clause = state.top
    if (clause.needs & CLAUSE and clause.word in state.en["saying"]) or (
        state.fresh and not state.article and word in state.en["objects"] and state.en.bits_of(state.last) & lex.ING
    ):
        named(state, word, 0, pronoun=True)
        return
    if (
        word == "there"
        and clause.verb
        and not clause.needs
        and (state.last in state.en["objects"] or state.last in state.en["related"])
    ):
        return
    if clause.needs & WHAT and clause.bits & lex.TELL and word in state.en["subject_too"] and not state.prep:
        take_subj(state, word)
        return
    if (word in state.en["objects"] and word not in ("you", "it")) or (
        (state.last == clause.word and clause.word not in ("be", "have", "do") and not clause.needs & CLAUSE)
        or (state.prep and state.prep not in state.en["hinges"])
        or clause.needs & (OBJECT | PERHAPS | WHAT)
        or (clause.needs & PREDICATE and clause.subject)
    ):
        named(state, word, 0, pronoun=True)
    elif word in state.en["subject_too"]:
        take_subj(state, word)
    else:
        named(state, word, 0, pronoun=True)
