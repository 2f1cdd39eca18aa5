"""English words and pairs of words that lead on wherever they stand. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.state import Parse
from sulla.speech.english.words import ADVERBS, DEGREES
from sulla.speech.language import Reading, Said

_REPAIRING: Final = frozenset(
    tuple(words.split())
    for words in (
        "or actually,no actually,actually no,or rather,scratch that,strike that,make that,second thought,"
        "second thoughts,or better,or maybe,or perhaps,no wait,wait no,or no,no sorry,sorry no,that is to,"
        "or even better,or even,maybe better,or is it,or was it,or are they,no no,well no,well actually"
    ).split(",")
)
_NEED_MORE: Final = frozenset(
    "capable fond based supposed likely unlikely able unable reluctant keen prone accustomed addicted".split()
)
_MEASURED: Final = frozenset(
    "pair handful bunch kind sort type piece slice series packet variety range amount number packets "
    "boxes bottles slices pieces pairs bags tins".split()
)
_TITLES: Final = frozenset(
    "doctor aunt auntie uncle mount lake saint san los las captain president queen lady lord st".split()
)
_SAYING_SO: Final = frozenset("think hope suppose guess believe say said not or do did done doing".split())
_BEFORE_NOT: Final = frozenset(
    "than think guess suppose rather why or hope probably certainly definitely course afraid".split()
)
_BEFORE_NEXT: Final = frozenset("go goes comes be is at happens happened".split())
_BEFORE_ADVERB: Final = frozenset(("be", "have", "modal", "subj"))
_PAIRS: Final = frozenset((("at", "least"), ("i", "mean"), ("as", "soon"), ("as", "long"), ("as", "far")))
_OPEN_PAIRS: Final = frozenset((("at", "half"), ("for", "another")))
_LEADING: Final = (
    DEGREES
    | ADVERBS
    | _NEED_MORE
    | _MEASURED
    | _TITLES
    | frozenset("secondly thirdly finally step number back so last next not then second third mind".split())
    | frozenset(pair[1] for pair in _PAIRS | _OPEN_PAIRS)
)
"""Every word that one of the rules below looks for at the end."""
_MINDING: Final = (("would", "you", "mind"), ("do", "you", "mind"))

Holds = Callable[[Said, Parse], bool]


def ending(said: Said, state: Parse) -> Reading | None:
    """The first thing that is known of how a text ends.

    Args:
        said: the text.
        state: how far it has come.
    """
    last = said.last
    if last in _LEADING or last in EXPANDED or said.before == "as":
        for holds, reading in _ENDINGS:
            if holds(said, state):
                return reading
    return Reading(0.15, "self_repair") if _restarts(said) else None


def _as_so(said: Said, _: Parse) -> bool:
    """ "as good" wants "as"."""
    is_pair = said.before == "as" and not said.asked and said.last != "well"
    return is_pair and bool(lex.bits_of(said.last) & lex.ADJECTIVE) and "as" not in said.words[:-2]


def _measure(said: Said, state: Parse) -> bool:
    if said.last not in _MEASURED or said.asked:
        return False
    return state.article == "a" or said.before == "of" or CLASS_OF.get(said.before) == "num"


def _restarts(said: Said) -> bool:
    """ "the meeting is the meeting", "call tom call", "or rather"."""
    words = said.words
    if words[-2:] in _REPAIRING or words[-3:] in _REPAIRING:
        return True
    if len(words) < 3:
        return False
    if words[-2:] == words[-4:-2] or words[-3:] == words[-6:-3]:
        return True
    bits = lex.bits_of(said.last)
    return bool(bits & lex.BASE and bits & lex.OBJECT) and said.last in words[:-2]


def _adverb(said: Said, _: Parse) -> bool:
    before = said.before
    return said.last in ADVERBS and (CLASS_OF.get(before) in _BEFORE_ADVERB or before in EXPANDED or before == "you")


def _pair(said: Said, _: Parse) -> bool:
    pair = said.words[-2:]
    if said.words[-3:] in _MINDING or pair in _OPEN_PAIRS:
        return True
    return pair in _PAIRS and said.words[-3:-2] != ("what",)


def _last(said: Said, _: Parse) -> bool:
    """ "the match last", but not "when did you eat last"."""
    bits = lex.bits_of(said.before)
    return said.last == "last" and bool(bits & lex.NOUN) and not bits & lex.VERB


def _next(said: Said, state: Parse) -> bool:
    is_loose = not state.phrase and state.top.verb and not state.clauses[0].wh
    return said.last == "next" and is_loose and said.before not in _BEFORE_NEXT


def _second(said: Said, _: Parse) -> bool:
    if said.last in ("secondly", "thirdly") or (said.last in ("step", "number") and said.last in said.words[:-1]):
        return True
    return "first" in said.words[:-1] and (
        said.last == "then" or (said.last in ("second", "third") and "first" in said.words[:-3])
    )


_ENDINGS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (lambda said, _: said.last in DEGREES, Reading(0.08, "degree")),
    (lambda said, _: said.last in _NEED_MORE and not said.asked, Reading(0.25, "leads_on")),
    (_as_so, Reading(0.4, "as_so")),
    (_measure, Reading(0.42, "how_much_of_what")),
    (lambda said, state: said.last in _TITLES and not state.article and not said.asked, Reading(0.3, "title")),
    (_second, Reading(0.1, "leads_on")),
    (lambda said, _: said.last in EXPANDED and said.last != "dunno", Reading(0.05, "contraction")),
    (_adverb, Reading(0.15, "adverb_leads_on")),
    (_pair, Reading(0.1, "leads_on")),
    (lambda said, state: said.last == "back" and state.top.word in ("turn", "switch"), Reading(0.4, "leads_on")),
    (lambda said, _: said.last == "so" and said.before not in _SAYING_SO, Reading(0.08, "conjunction")),
    (_last, Reading(0.3, "noun_is_missing")),
    (_next, Reading(0.3, "noun_is_missing")),
    (lambda said, _: said.last == "not" and said.before not in _BEFORE_NOT, Reading(0.06, "conjunction")),
)
