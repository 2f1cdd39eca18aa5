"""An English verb that needs more than it has. Pure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english import state as st
from sulla.speech.english.alone import HELPING
from sulla.speech.english.preposition_gaps import asks_yes_no
from sulla.speech.english.state import COMP, INF, MAIN, SUB, Clause, Parse, waits
from sulla.speech.english.text import SpokenText
from sulla.speech.turn_taking.detector import Reading

_NO_ANSWER: Final = frozenset(("be", "do", "have", "modal", "subj", "pron", "to", "wh", "sub"))
_IS_OR_SUBJECT: Final = frozenset(("subj", "be"))


def verb_gap(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    """What the verb of a clause needs and does not have.

    Args:
        said: the text.
        state: how far it has come.
        top: the clause.
    """
    for need, gap in _GAPS:
        if top.needs & need:
            return gap(said, state, top)
    return None


def elliptic(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    """Whether a helping verb can be the end ("than it did", "I wish I could", "but he doesn't").

    Args:
        said: the text.
        state: how far it has come.
        top: the clause.
    """
    last, words = said.last, said.words
    if words[-2:] == ("to", "be") and len(words) < 3:
        return None
    is_short = len(words) <= 5 and (said.before in said.en["names"] or said.before in said.en["since"])
    if asks_yes_no(said) and (is_short or words[-2:] == ("to", "be")):
        return Reading(0.8, "as_it_did")
    if top.kind == COMP and top.wh in ("what", "whatever") and last in ("can", "must"):
        return Reading(0.65, "as_it_did")
    if (words[-2:] == ("there", "is") and "all" in words) or ("the", "way") in pairwise(words[-5:-1]):
        return Reading(0.8, "as_it_did")
    is_likened = any(clause.wh in ("than", "as", "like") for clause in state.clauses)
    is_as_if = last not in ("can", "could") and bool(said.en.phrases["as_if"] & set(pairwise(words)))
    if (said.en["verb_gaps_likening"] & set(words[-6:-2]) or is_likened) and not is_as_if:
        return Reading(0.75, "as_it_did")
    if (last.endswith("n't") or said.before in said.en["since"]) and {"but", "and"} & set(words[-6:-2]):
        return Reading(0.6, "as_it_did")
    if (
        last in words[:-2]
        and {"and", "or", "but"} & set(words[-6:-1])
        and not _IS_OR_SUBJECT & {said.en.class_of.get(said.before), said.en.class_of.get(last)}
    ):
        return Reading(0.6, "as_it_did")
    if top.inverted or said.en.class_of.get(last) not in HELPING:
        return None
    if top.kind == COMP and top.wh and last in ("do", "does", "did"):
        return Reading(0.7, "what_it_does")
    is_wished = "wish" in words[-4:-2] or (
        top.kind == SUB and "if" in words[-4:-2] and (said.asked or not waits(state))
    )
    return Reading(0.6, "as_it_did") if is_wished else None


def _object(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    if said.asked and (_is_noun(said, top) or (said.body[0] == "you" and len(said.body) == 2)):
        return None
    if top.word == "take" and "long" in said.words[:-2]:
        return Reading(0.8, "how_long_it_takes")
    if (
        top.gap
        and top.word == "have"
        and said.last in said.en["verb_gaps_having"]
        and not said.en["all"] & set(said.words)
        and not any(word.endswith("est") for word in said.words)
    ):
        return Reading(0.45, "object_may_stand_before")
    if top.gap == 2 or (top.gap and top.kind not in (INF, COMP)):
        return Reading(0.85, "object_stands_before")
    if top.gap:
        return Reading(0.7 if top.word == "do" else 0.45, "object_may_stand_before")
    if top.word == "have" and said.last in said.en["verb_gaps_having"]:
        return elliptic(said, state, top) or Reading(0.12, "object_is_missing")
    if top.wh in said.en["verb_gaps_likening"] or (
        top.kind == SUB and top.subject in said.en["lone"] and top.word in said.en["liking"]
    ):
        return Reading(0.75, "as_you_like")
    return Reading(0.12, "object_is_missing")


def _is_noun(said: SpokenText, top: Clause) -> bool:
    """Whether an answer of a few words is no request ("just cash")."""
    is_last = (
        len(said.body) <= 3
        and said.last == top.word
        and top.kind == MAIN
        and top.subject not in said.en["lone"] - {"you"}
    )
    return is_last and said.en.class_of.get(said.before) not in _NO_ANSWER and said.before not in said.en.expanded


def _perhaps(said: SpokenText, _: Parse, top: Clause) -> Reading | None:
    """A verb that mostly has an object."""
    if top.gap or said.asked or top.wh or top.kind == SUB or said.last != top.word:
        return None
    if any(word in said.en["verb_gaps_denying"] or word.endswith("n't") for word in said.words[-4:]):
        return None
    is_likely = bool(top.bits & lex.MOSTLY) and not top.bits & lex.ING
    return Reading(0.4 if is_likely else 0.55, "object_may_follow")


def _clause(said: SpokenText, state: Parse, top: Clause) -> Reading:
    if (top.kind == SUB and top.subject == "you") or top.wh in said.en["verb_gaps_likening"]:
        return Reading(0.7, "as_you_say")
    if state.clauses[0].inverted and state.clauses[0].wh in ("who", "which", "whose") and said.last == top.word:
        return Reading(0.3, "clause_is_missing")
    if top.gap == 1 and top.subject == "it":
        return Reading(0.3, "clause_is_missing")
    if top.gap or (len(said.words) > 4 - 2 * bool(said.asked) and said.before == "i"):
        return Reading(0.75, "as_i_think")
    return Reading(0.12, "clause_is_missing")


def _predicate(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    if top.wh == "why" and said.last in ("that", "this"):
        return None
    if said.body[0] == "what" and said.body[1:2] in (("a",), ("an",)) and top.subject:
        return Reading(0.8, "what_a")
    if top.inverted and not top.subject:
        return Reading(0.06, "question_without_subject")
    found = elliptic(said, state, top) or _fronted(said, state, top)
    if found is not None:
        return found
    return Reading(0.12, "predicate_is_missing")


def _fronted(said: SpokenText, state: Parse, top: Clause) -> Reading | None:
    """Whether how something is stands before ("wherever it is", "I know what it is")."""
    if (
        top.kind == COMP
        and top.wh == "what"
        and top.subject in said.en["doers"]
        and said.en.class_of.get(said.last) == "be"
    ):
        return Reading(0.3, "predicate_is_missing")
    if said.body[0] == "wherever" and top.subject:
        return Reading(0.75, "wherever_it_is")
    if top.wh and top.subject == top.wh:
        return None
    is_asked = (top.gap and top.kind == COMP) or (top.wh and top.wh != "why" and top.kind != MAIN)
    return Reading(0.7, "indirect_question") if is_asked or (top.gap and top.kind == INF) else None


def _bare(said: SpokenText, _: Parse, top: Clause) -> Reading:
    """ "let the dog", but "she wouldn't let me"."""
    is_kept = any(word.endswith("n't") for word in said.words) and top.subject != "you"
    return Reading(0.6 if is_kept else 0.15, "verb_is_missing")


def _to(said: SpokenText, _: Parse, top: Clause) -> Reading | None:
    return None if top.word == "need" and len(said.body) == 3 else Reading(0.3, "to_do_what")


def _what(said: SpokenText, _: Parse, top: Clause) -> Reading | None:
    """ "tell me", but not "you could have told me"."""
    if top.gap or (said.asked and said.asked[0] in ("who", "whom", "which")) or "don't" in said.words[:2]:
        return None
    if top.bits & lex.TELL and top.word in said.en["verb_gaps_told"] and said.last in said.en["objects"]:
        is_told = (not top.base and top.subject != "it") or any(
            word == "who" or word.endswith("n't") for word in said.words
        )
        if is_told:
            return None
    return Reading(0.3, "what_is_missing")


def _where(_: SpokenText, state: Parse, top: Clause) -> Reading | None:
    return None if _asks_where(state, top) else Reading(0.35, "where_or_how_is_missing")


def _preposition(_: SpokenText, state: Parse, top: Clause) -> Reading | None:
    return None if _asks_where(state, top) else Reading(0.3, "preposition_is_missing")


def _asks_where(state: Parse, top: Clause) -> bool:
    return bool(top.gap) or any(clause.wh in state.en["where"] for clause in state.clauses)


_GAPS: Final[tuple[tuple[int, Callable[[SpokenText, Parse, Clause], Reading | None]], ...]] = (
    (st.OBJECT, _object),
    (st.PERHAPS, _perhaps),
    (st.CLAUSE, _clause),
    (st.PREDICATE, _predicate),
    (st.BARE, _bare),
    (st.TO, _to),
    (st.WHAT, _what),
    (st.WHERE, _where),
    (st.PREPOSITION, _preposition),
)
"""What a verb may need, the first thing first."""
