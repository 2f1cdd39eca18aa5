"""An English clause that lacks its verb, or what its verb needs. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import COMP, MAIN, NAMED_PHRASE, REL, SUB, Clause, Parse
from sulla.speech.english.text import SpokenText
from sulla.speech.english.verb_gaps import elliptic, verb_gap
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

NEAR: Final = {
    "object_is_missing": 2,
    "clause_is_missing": 4,
    "predicate_is_missing": 2,
    "verb_is_missing": 4,
    "relative_clause_without_verb": 4,
    "clause_without_verb": 6,
    "object_may_stand_before": 1,
    "object_may_follow": 1,
}
"""So many words behind the verb, or the beginning of the clause, a gap is believed: farther off it is misread."""

_VERBLESS: Final = frozenset(("verb_is_missing", "clause_without_verb", "relative_clause_without_verb"))
_BESIDE: Final = frozenset(("prep", "mid", "both", "to"))
_NOMINAL: Final = frozenset(("both", "prep", "mid", "det", "quant", "demo", "pron"))


def clause_gaps(said: SpokenText, state: Parse) -> tuple[Reading | None, ...]:
    """What the clauses lack, from the innermost to the main one."""
    if state.prep:
        return (_main(said, state),)
    top = state.top
    found = verb_gap(said, state, top) if top.verb else _verbless(said, state, top)
    if found is not None and not _is_believed(said, state, found, top):
        found = None
    return found, _inner(said, state), _joined(said, state), _main(said, state)


def _inner(said: SpokenText, state: Parse) -> Reading | None:
    """ "it turns out that the letter i wrote": a clause around the innermost one waits for its verb."""
    for clause in state.clauses[1:-1]:
        if clause.subject and not clause.verb and not clause.aux and clause.kind in (COMP, SUB):
            return Reading(0.2, "clause_without_verb")
    return None


def _is_believed(said: SpokenText, state: Parse, reading: Reading, clause: Clause) -> bool:
    """Whether something is near enough, or no word could be the verb that is missing."""
    far = state.seen - 1 - clause.at
    if far <= NEAR.get(reading.reason, far):
        return True
    if reading.reason not in _VERBLESS or far > len(said.words):
        return False
    wanted = lex.BASE if clause.aux else lex.FINITE | lex.BASE
    return not any(
        said.en.bits_of(word) & wanted and not said.en.bits_of(word) & lex.NOUN and word not in said.en.class_of
        for word in said.words[-far:]
    )


def _joined(said: SpokenText, state: Parse) -> Reading | None:
    """ "between the sofa", "and the roof", "a torch some string"."""
    if said.asked:
        is_listed = state.listed and state.phrase == NAMED_PHRASE
        return Reading(0.35, "list_without_and") if is_listed and _is_list(said) else None
    if state.pair in said.en["paired"] and len(said.words) > 2 and said.last != state.pair:
        return Reading(0.3, "and_is_missing")
    if state.phrase != NAMED_PHRASE:
        return None
    if (
        state.conjoined
        and state.fresh
        and not said.pauses
        and state.article in said.en["definite"]
        and state.before_and != "article and noun"
    ):
        is_clause = state.before_and == "clause" and "but" not in said.words
        return Reading(0.3 if is_clause else 0.45, "clause_without_verb")
    return Reading(0.35, "list_without_and") if state.listed and _is_list(said) else None


def _is_list(said: SpokenText) -> bool:
    return not said.en["spelling"] & set(said.words) and not {"and", "or"} & set(said.words[-5:])


def _main(said: SpokenText, state: Parse) -> Reading | None:
    """A text that has not come to its main clause."""
    clauses = state.clauses
    main = clauses[0]
    is_all = said.body[0] == "all" and len(said.body) > 2 and said.body[1] in said.en["lone"]
    if is_all and not said.asked and not said.en["is"] & set(said.body[2:]):
        return Reading(0.25, "main_verb_is_missing")
    if said.asked or any(clause.kind == MAIN and (clause.verb or clause.aux) for clause in clauses[1:]):
        return None
    if (
        said.body[0] == "had"
        and main.inverted
        and not main.wh
        and len(said.body) > 2
        and not said.en["would"] & set(said.body)
    ):
        return Reading(0.3, "main_clause_is_missing")
    if main.verb or main.aux:
        return Reading(0.3, "main_clause_is_missing") if _is_named_by_question(state, main) else None
    return _beginning(said, clauses, main)


def _beginning(said: SpokenText, clauses: list[Clause], main: Clause) -> Reading | None:
    """What a text is that has no main verb."""
    if not main.subject and _begins_beside(said):
        return Reading(0.3, "only_when_or_where")
    if len(clauses) == 1 or ("if", "only") in pairwise(said.words):
        return None
    if (
        main.subject in said.en["related"]
        and said.body[0] == main.subject
        and clauses[-1].verb
        and not clauses[-1].needs
    ):
        return Reading(0.6, "anything")
    if said.en.class_of.get(said.body[0]) in ("det", "num", "quant") and clauses[1].kind == SUB and not clauses[1].wh:
        return None
    if main.subject:
        return Reading(0.15, "main_verb_is_missing")
    is_whole = said.body[:2] == ("if", "you'd") or (len(said.body) == 3 and said.body[:2] in said.en.phrases["as_you"])
    if is_whole or not any(clause.kind == SUB for clause in clauses):
        return None
    return Reading(0.15, "main_clause_is_missing")


def _is_named_by_question(state: Parse, main: Clause) -> bool:
    """ "what he said", "whoever left the gate open": they want a verb."""
    if main.wh == "whoever":
        return len(state.clauses) == 1
    if not main.wh or main.inverted or main.wh == "whatever":
        return False
    return main.verb and main.word != "be" and main.subject in state.en["lone"]


def _begins_beside(said: SpokenText) -> bool:
    """ "in the evening", "to finish the puzzle"."""
    first = said.body[0]
    if said.body[:2] in said.en.phrases["as_you"]:
        return False
    return said.en.class_of.get(first) in _BESIDE or first in said.en["beside_too"]


def _verbless(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    """A clause whose verb is missing."""
    if len(said.body) == 3 and said.body[0] in said.en["whatever"]:
        return None
    if top.aux:
        return elliptic(said, state, top) or Reading(0.1, "verb_is_missing")
    if top.kind == MAIN:
        return _main_verbless(said, top)
    if top.kind == REL:
        return Reading(0.1, "relative_clause_without_verb")
    is_likened = top.subject == said.last and said.last in said.en["likened"]
    if is_likened and (top.wh == "like" or (top.wh == "than" and said.last != "it")):
        return Reading(0.65, "like_it")
    if said.asked and len(said.words) < 4 and top.kind != COMP and said.last not in said.en["opening"]:
        return None
    if top.wh == said.last and not top.subject and top.kind == COMP and _is_known(said, state):
        return Reading(0.6, "i_know_why")
    if top.wh == "how" and said.before == "how" and said.en.bits_of(said.last) & lex.ADJECTIVE and _denied(said):
        return Reading(0.55, "i_know_why")
    return Reading(0.12, "clause_without_verb")


def _is_known(said: SpokenText, state: Parse) -> bool:
    """ "show me how", "I don't know when"."""
    if state.clauses[0].inverted:
        return False
    if said.last == "why":
        return True
    if said.last in ("what", "which"):
        return False
    return (_denied(said) and bool(said.en["known"] & set(said.words[-5:]))) or (
        said.last == "how" and state.clauses[0].base and state.clauses[0].subject == "you"
    )


def _denied(said: SpokenText) -> bool:
    return "no" in said.words or any(word.endswith("n't") for word in said.words)


def _main_verbless(said: SpokenText, top: Clause) -> Reading | None:
    if top.wh:
        is_whole = said.asked or _is_short_question(said.en, said.body)
        return None if is_whole else Reading(0.2, "question_without_verb")
    if not top.subject or (said.asked and top.subject not in said.en["lone"]):
        return None
    if said.en.class_of.get(said.body[0]) == "num" and said.body[1:3] in said.en.phrases["of_them"]:
        return Reading(0.3, "subject_without_verb")
    if said.body[0] == "both" and "and" in said.words:
        return None
    if "please" in said.words or said.words[0] in said.en["before_fragment"] or said.last in said.en["behind_fragment"]:
        return None
    if top.subject in said.en["lone"]:
        return Reading(0.1, "subject_without_verb")
    if len(said.body) > 2 and top.subject == said.body[0] and said.en.bits_of(said.body[0]) & lex.ING:
        return Reading(0.42, "subject_without_verb")
    is_named = said.body[0] not in said.en["fragments"] and said.en.class_of.get(said.body[0]) in _NOMINAL
    return Reading(0.2, "subject_without_verb") if is_named else None


def _is_short_question(en: Vocabulary, body: tuple[str, ...]) -> bool:
    """ "why not", "how strange"."""
    if len(body) > 1 and body[0] == "how" and en.bits_of(body[1]) & lex.ADJECTIVE and body[1] not in en["measured"]:
        return True
    return len(body) == 2 and body[1] in en["behind_asking"]
