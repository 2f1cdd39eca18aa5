"""An English verb that needs more than it has. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english import state as st
from sulla.speech.english.alone import HELPING, TAGS
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.preposition_gaps import asks_yes_no
from sulla.speech.english.state import COMP, INF, MAIN, OBJECTS, SUB, Clause, Parse
from sulla.speech.language import Reading, Said

_MOSTLY_WITH_OBJECT: Final = frozenset(
    "paint painted water watered watch watched pack packed clean cleaned steal stole sell sold serve "
    "served save saved share shared test tested transfer transferred wrap wrapped swap swapped collect "
    "collected complete completed confirm confirmed deliver delivered record recorded scan scanned spill "
    "spilled split spread tear tore weigh weighed push pushed pull pulled roll shake shook shut order "
    "ordered move moved search searched wash washed read write wrote teach taught recommend remember "
    "forget forgot lost lose copy copied ask asked asks fill filled lock load loaded join build built "
    "print printed count update updated upgrade expand wake open opened change changed return returned "
    "book booked answer answered switch show showed hold held choose cover".split()
)
_TOLD: Final = frozenset("tell told tells ask asked asks show showed shows teach warn warned".split())
_NO_ANSWER: Final = frozenset(("be", "do", "have", "modal", "subj", "pron", "to", "wh", "sub"))
_LIKING: Final = frozenset("like want need wish prefer".split())
_LONE: Final = frozenset("i he she we they it there you".split())
_NAMES: Final = _LONE | {"that", "this", "them", "us", "all", "people"}
_HAVING: Final = frozenset("have has had".split())
_LIKENING: Final = frozenset(("than", "as"))
_WHERE: Final = frozenset(("where", "how", "than", "as"))


def verb_gap(said: Said, state: Parse, top: Clause) -> Reading | None:
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


def elliptic(said: Said, state: Parse, top: Clause) -> Reading | None:
    """Whether a helping verb can be the end ("than it did", "I wish I could", "but he doesn't").

    Args:
        said: the text.
        state: how far it has come.
        top: the clause.
    """
    last, words = said.last, said.words
    if asks_yes_no(said) and ((said.before in _NAMES and len(words) <= 5) or words[-2:] == ("to", "be")):
        return Reading(0.8, "as_it_did")
    if top.kind == COMP and top.wh in ("what", "whatever") and last in ("can", "must"):
        return Reading(0.65, "as_it_did")
    if _LIKENING & set(words[-6:-2]) or any(clause.wh in ("than", "as", "like") for clause in state.clauses):
        return Reading(0.75, "as_it_did")
    if last.endswith("n't") and {"but", "and"} & set(words[-6:-2]):
        return Reading(0.6, "as_it_did")
    if last in words[:-2] and {"and", "or", "but"} & set(words[-6:-1]) and CLASS_OF.get(said.before) != "subj":
        return Reading(0.6, "as_it_did")
    if top.inverted or CLASS_OF.get(last) not in HELPING:
        return None
    if top.kind == COMP and top.wh and last in ("do", "does", "did"):
        return Reading(0.7, "what_it_does")
    is_wished = "wish" in words[-4:-2] or (top.kind == SUB and "if" in words[-4:-2])
    return Reading(0.6, "as_it_did") if is_wished else None


def _object(said: Said, state: Parse, top: Clause) -> Reading | None:
    if said.asked and _is_noun(said, top):
        return None
    if top.gap == 2 or (top.gap and top.kind not in (INF, COMP)):
        return Reading(0.85, "object_stands_before")
    if top.gap:
        return Reading(0.7 if top.word == "do" else 0.45, "object_may_stand_before")
    if top.word == "have" and said.last in _HAVING:
        return elliptic(said, state, top) or Reading(0.12, "object_is_missing")
    if top.wh in _LIKENING or (top.kind == SUB and top.subject in _LONE and top.word in _LIKING):
        return Reading(0.75, "as_you_like")
    return Reading(0.12, "object_is_missing")


def _is_noun(said: Said, top: Clause) -> bool:
    """Whether an answer of a few words is no request ("just cash")."""
    is_last = len(said.body) <= 3 and said.last == top.word and top.kind == MAIN
    return is_last and CLASS_OF.get(said.before) not in _NO_ANSWER and said.before not in EXPANDED


def _perhaps(said: Said, _: Parse, top: Clause) -> Reading | None:
    """A verb that mostly has an object."""
    if top.gap or said.asked or top.wh or top.kind == SUB or said.last != top.word:
        return None
    if any(word.endswith("n't") for word in said.words[-4:]):
        return None
    is_likely = (
        top.word in _MOSTLY_WITH_OBJECT or top.word.removesuffix("s") in _MOSTLY_WITH_OBJECT
    ) and not lex.bits_of(top.word) & lex.ING
    return Reading(0.4 if is_likely else 0.6, "object_may_follow")


def _clause(said: Said, _: Parse, top: Clause) -> Reading:
    if (top.kind == SUB and top.subject == "you") or top.wh in _LIKENING:
        return Reading(0.7, "as_you_say")
    if top.gap or (len(said.words) > 4 and said.before == "i"):
        return Reading(0.75, "as_i_think")
    return Reading(0.12, "clause_is_missing")


def _predicate(said: Said, state: Parse, top: Clause) -> Reading | None:
    if top.wh == "why" and said.last in ("that", "this"):
        return None
    if top.inverted and not top.subject:
        return Reading(0.06, "question_without_subject")
    found = elliptic(said, state, top)
    if found is not None:
        return found
    if top.gap and "way" in said.words[:-2]:
        return Reading(0.7, "the_way_it_is")
    if top.wh and top.subject == top.wh:
        return Reading(0.12, "predicate_is_missing")
    if (top.gap and top.kind == COMP) or (top.wh and top.wh != "why" and top.kind != MAIN):
        return Reading(0.7, "indirect_question")
    if len(said.words) > 3 and top.inverted and said.last in TAGS and said.before.endswith("n't"):
        return Reading(0.8, "tag")
    return Reading(0.12, "predicate_is_missing")


def _bare(said: Said, _: Parse, __: Clause) -> Reading:
    """ "let the dog", but "she wouldn't let me"."""
    return Reading(0.6 if any(word.endswith("n't") for word in said.words) else 0.15, "verb_is_missing")


def _to(said: Said, _: Parse, top: Clause) -> Reading | None:
    return None if top.word == "need" and len(said.body) == 3 else Reading(0.3, "to_do_what")


def _what(said: Said, _: Parse, top: Clause) -> Reading | None:
    """ "tell me", but not "you could have told me"."""
    if top.gap:
        return None
    if top.bits & lex.TELL and top.word in _TOLD and said.last in OBJECTS:
        is_told = not top.base or any(word == "who" or word.endswith("n't") for word in said.words)
        if is_told:
            return None
    return Reading(0.3, "what_is_missing")


def _where(_: Said, state: Parse, top: Clause) -> Reading | None:
    return None if _asks_where(state, top) else Reading(0.35, "where_or_how_is_missing")


def _preposition(_: Said, state: Parse, top: Clause) -> Reading | None:
    return None if _asks_where(state, top) else Reading(0.3, "preposition_is_missing")


def _asks_where(state: Parse, top: Clause) -> bool:
    return bool(top.gap) or any(clause.wh in _WHERE for clause in state.clauses)


_GAPS: Final[tuple[tuple[int, Callable[[Said, Parse, Clause], Reading | None]], ...]] = (
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
