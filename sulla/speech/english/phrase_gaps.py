"""An English article, adjective or number whose noun is missing. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.nouns import PREDICATES, SIDES
from sulla.speech.english.state import OBJECTS, OPEN_PHRASE, Parse
from sulla.speech.language import Reading, Said

_PREDICATES: Final = frozenset(PREDICATES.split())
_SIDES: Final = frozenset(SIDES.split())
_AT: Final = frozenset("at to from than like near by of".split())
_NO_PLACE: Final = frozenset(("", "for", "with", "about"))
_THE: Final = frozenset(("the", ""))
_OWNED: Final = frozenset(("adj:poss", "named:poss", "ing:poss"))
_COUNTED: Final = frozenset(
    "for in within takes take took lasts last weighs costs need needs buy order print about another every weigh".split()
)
_SEATS: Final = frozenset(
    "table dinner lunch cook cooking book room reservation us me supper breakfast tickets enough".split()
)
_OF_THEM: Final = tuple(
    (word,) for word in "one some all any none both two three each most many neither either out".split()
)
_KNOWING: Final = frozenset(
    "know knew known hear heard see saw notice noticed found find understand understood decided learned "
    "promise promised feel felt".split()
)
_LOOKING: Final = (("look",), ("looking",), ("looked",), ("point",), ("done",), ("listen",))
_POINTING: Final = frozenset(("this", "these", "those"))
_BEFORE_POINTING: Final = frozenset("in on at to for".split())
_WHOLE_POINTING: Final = frozenset("like about worth".split())
_RARELY_ALONE: Final = frozenset("some any all more enough most such several few many much half".split())
_NEVER_ALONE: Final = frozenset("every certain such other several".split())
_BEFORE_MEASURE: Final = frozenset("bit had so too how no any not that that's as very once is".split())
_WITH_NEGATION: Final = frozenset("more any much many enough".split())
_BEFORE_THAT: Final = frozenset(
    "of like do did after before with for about than know remember forget on all want mean was say".split()
)


def phrase_gap(said: Said, state: Parse) -> Reading | None:
    """What the open phrase lacks.

    Args:
        said: the text.
        state: how far it has come; what turns out to be whole has its place in the clause afterwards.
    """
    if state.joined:
        return Reading(0.05, "conjunction")
    if state.phrase != OPEN_PHRASE:
        is_half = state.first and state.fresh and bool(state.article) and not said.asked
        return Reading(0.4, "first_half_of_a_name") if is_half else None
    opened = state.opened
    kind, _, before = opened.partition(":")
    if kind in ("det", "poss"):
        return _article(said, state, kind)
    if opened in _OWNED and _is_how(said, state, opened):
        return Reading(0.6, "is_so")
    if kind in ("adj", "ing"):
        return _adjective(said, state, before)
    if kind == "named":
        return _named(said, state, before)
    if kind in ("demo", "quant"):
        return _stands_in(said, state, kind)
    return _number(said, before) if kind == "num" else _few(said, kind)


def _article(said: Said, state: Parse, kind: str) -> Reading | None:
    if kind == "poss" and (said.asked or state.filled in _AT):
        state.top.needs = 0
        return None
    return Reading(0.05, "noun_is_missing")


def _adjective(said: Said, state: Parse, before: str) -> Reading | None:
    if before == "start" or (said.asked and len(said.words) <= 3 and state.article in _THE):
        return None
    return Reading(0.15 if before.endswith(("det", "poss")) else 0.3, "noun_is_missing")


def _few(said: Said, kind: str) -> Reading | None:
    """ "a few"; adjectives without an article."""
    if kind == "some":
        is_whole = said.asked or said.last == "little" or "quite" in said.words
        return None if is_whole else Reading(0.3, "noun_is_missing")
    if kind == "bare":
        return Reading(0.25, "noun_is_missing")
    return Reading(0.6, "adjective_alone") if kind == "start" else None


def _is_how(said: Said, state: Parse, opened: str) -> bool:
    """ "the kettle's boiling", but not "the kettle's new"."""
    top = state.top
    if top.verb or top.aux or state.filled:
        return False
    return opened == "ing:poss" or said.last in _PREDICATES


def _named(said: Said, state: Parse, before: str) -> Reading | None:
    """ "the left", "the red"."""
    third = said.words[-3:][0]
    name = CLASS_OF.get(third)
    is_said = name == "be" or third in EXPANDED
    is_bare = before == "bare" or (bool(said.asked) and state.article in _THE)
    is_side = said.last in _SIDES and (state.filled not in _NO_PLACE or is_said)
    is_most = (said.last.endswith("est") or said.last in ("best", "worst")) and (
        is_said or name == "do" or said.before == "his"
    )
    if is_bare or is_side or is_most:
        state.top.needs = 0
        return None
    return Reading(0.25, "noun_is_missing")


def _stands_in(said: Said, state: Parse, kind: str) -> Reading | None:
    """ "this", "some": all of a phrase, or the beginning of one."""
    last = said.last
    if (said.asked and len(said.words) <= 3) or (kind == "quant" and _measures(said)):
        return None
    if not state.placed:
        return Reading(0.2, "noun_is_missing")
    if last == "that":
        is_said = said.before == "said" and len(said.body) <= 4
        return None if is_said or _is_object(said) else Reading(0.3, "that")
    return _pointed(said) if last in _POINTING else _counted(said, last)


def _pointed(said: Said) -> Reading | None:
    """ "in this", "of these"."""
    if said.words[-3:-2] not in _LOOKING and said.before in _BEFORE_POINTING:
        return Reading(0.35, "noun_may_be_missing")
    is_behind = CLASS_OF.get(said.before) in ("prep", "mid") and said.before not in _WHOLE_POINTING
    is_done = lex.bits_of(said.before) & lex.VERB and said.before not in CLASS_OF
    if said.last == "this" and is_done and len(said.body) > 2 and CLASS_OF.get(said.body[0]) not in ("wh", "modal"):
        return Reading(0.45, "noun_may_be_missing")
    if said.last != "this" and is_behind and said.words[-3:-2] not in _OF_THEM:
        return Reading(0.4, "noun_may_be_missing")
    return None


def _counted(said: Said, last: str) -> Reading | None:
    if last == "no" or (last == "his" and CLASS_OF.get(said.before) not in ("be", "wh")):
        return Reading(0.15, "noun_is_missing")
    if last in _RARELY_ALONE:
        return Reading(0.42, "noun_may_be_missing")
    return Reading(0.1, "noun_is_missing") if last in _NEVER_ALONE else None


def _measures(said: Said) -> bool:
    """ "so many", "that's all", "he hasn't any"."""
    last, before = said.last, said.before
    if last == "more" and before in OBJECTS:
        return True
    if last in _WITH_NEGATION and any(word.endswith("n't") for word in said.words):
        return True
    if (last, before) in (("half", "in"), ("most", "at")):
        return True
    return before in _BEFORE_MEASURE or before.endswith("n't")


def _is_object(said: Said) -> bool:
    """Whether "that" is what is done, not the beginning of what is said."""
    before = said.before
    if before in OBJECTS or before == "be":
        return False
    bits = lex.bits_of(before)
    is_done = bits & lex.VERB and not bits & (lex.CLAUSE | lex.TELL) and before not in _KNOWING
    return (bool(is_done) and len(said.words) > 2) or len(said.body) <= 3 or before in _BEFORE_THAT


def _number(said: Said, opened_by: str) -> Reading | None:
    before = next((word for word in reversed(said.words) if CLASS_OF.get(word) != "num"), "")
    if said.asked:
        return None
    if opened_by in ("det", "poss"):
        return Reading(0.15, "number_of_what")
    if before == "for" and _SEATS & set(said.words):
        return None
    if before in ("least", "most"):
        return Reading(0.42, "number_of_what")
    if before in _COUNTED:
        return Reading(0.3, "number_of_what")
    if before == "and":
        return None if CLASS_OF.get(said.words[-3:][0]) == "num" else Reading(0.42, "number_of_what")
    is_done = before not in CLASS_OF and lex.bits_of(before) & lex.VERB
    return Reading(0.42, "number_of_what") if is_done or CLASS_OF.get(before) in ("have", "part") else None
