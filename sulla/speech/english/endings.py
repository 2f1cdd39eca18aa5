"""English words and pairs of words that lead on wherever they stand. Pure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.state import GETTING, Parse
from sulla.speech.english.words import ADVERBS, DEGREES
from sulla.speech.language import Reading, Said

_REPAIRING: Final = frozenset(
    tuple(words.split())
    for words in (
        "or actually,no actually,actually no,or rather,scratch that,strike that,make that,second thought,"
        "second thoughts,or better,or maybe,or perhaps,no wait,wait no,or no,no sorry,sorry no,that is to,"
        "or even better,or even,better still,better yet,and after that,maybe better,or is it,or was it,or are they,"
        "no no,well no,well actually"
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
    "than think guess suppose rather why or hope probably certainly definitely course afraid let's".split()
)
_BEFORE_NEXT: Final = frozenset("go goes comes be is at happens happened".split())
_BEFORE_ADVERB: Final = frozenset(("be", "have", "modal", "subj"))
_PAIRS: Final = frozenset((("at", "least"), ("i", "mean"), ("as", "soon"), ("as", "long"), ("as", "far")))
_OPEN_PAIRS: Final = frozenset(
    tuple(words.split())
    for words in (
        "at half,for another,in terms,in spite,on behalf,by means,in order,in addition,with regard,with respect,"
        "as part,in favour,in favor,for lack,on account,in search,in view,in light,in relation,make sure,making sure,"
        "made sure,end up,ends up,ended up,ending up,the sake,the majority,the lack"
    ).split(",")
)
_OPEN_TRIPLES: Final = frozenset(
    (
        ("by", "the", "end"),
        ("until", "the", "end"),
        ("by", "the", "time"),
        ("at", "the", "expense"),
        ("on", "the", "basis"),
    )
)
_LEADING: Final = (
    DEGREES
    | ADVERBS
    | _NEED_MORE
    | _MEASURED
    | _TITLES
    | frozenset("secondly thirdly finally step number back so next not then second third mind".split())
    | frozenset(words[-1] for words in _PAIRS | _OPEN_PAIRS | _OPEN_TRIPLES)
)
"""Every word that one of the rules below looks for at the end."""
_LEADING_VERBS: Final = lex.forms(
    "argue nod doze tend manage attempt weigh hang lie lead lean live stand point stare glance aim act behave treat "
    "depend rely refer apply belong consist result contribute react adapt object insist stem hint gaze nag "
    "long strive struggle happen differ range extend stretch reach date descend border focus concentrate specialise"
) | frozenset(("went",))
_DOING_SO: Final = lex.forms("work do look sound feel behave act talk speak sing dance taste smell like love run move")
_KINDS: Final = frozenset(
    "scene playlist station channel preset routine program programme album song artist podcast folder app contact "
    "episode chapter track page slide step level speed mode".split()
)
_OWNERS: Final = frozenset("my our your their his her".split())
_NOBODY: Final = frozenset("nothing nobody everyone everybody someone somebody".split())
_NAMED: Final = frozenset("called named titled entitled nicknamed".split())
_LOGGED: Final = frozenset("logged plugged hooked based supposed located named called fed made aimed bound".split())
_WAY: Final = frozenset("way far much bit little get got getting".split())
_MARKING: Final = lex.forms(
    "mark show list treat set label flag count leave rate tag save regard describe see register"
)
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
    if not said.asked and (last in _LAST or said.words[-3:-2] == ("since",)):
        for holds, reading in _BEHIND_OTHERS:
            if holds(said, state):
                return reading
    return Reading(0.15, "self_repair") if _restarts(said) else None


def _a_bit(said: Said, state: Parse) -> bool:
    """ "she's a bit"."""
    return said.words[-2:] == ("a", "bit") and (state.top.word == "be" or bool(state.top.bits & lex.PREDICATE))


def _is_be(word: str) -> bool:
    return (
        CLASS_OF.get(word) == "be" or "be" in {CLASS_OF.get(part) for part in EXPANDED.get(word, ())} or word in GETTING
    )


def _leads(said: Said, state: Parse) -> bool:
    """ "the book argues": a verb that seldom ends a sentence that says something of somebody."""
    top, bits = state.top, lex.bits_of(said.last)
    is_told = bits & lex.FINITE and not bits & (lex.BASE | lex.NOUN) and top.word == said.last and not top.gap
    return bool(is_told) and said.last in _LEADING_VERBS and not top.wh and not said.end


def _too(said: Said, _: Parse) -> bool:
    """ "it was too"."""
    before = said.before
    return said.last == "too" and (before in _WAY or CLASS_OF.get(before) == "be" or before in EXPANDED)


def _called(said: Said, state: Parse) -> bool:
    """ "a file called", "let's call it"."""
    before = said.before
    if said.last == "it":
        return before in ("call", "called", "name") and len(said.words) > 2 and not state.clauses[0].wh
    return said.last in _NAMED and before not in CLASS_OF and before not in EXPANDED


def _since(said: Said, _: Parse) -> bool:
    """ "since my office", but not "since my birthday"."""
    is_time = lex.bits_of(said.last) & (lex.TIME_NOUN | lex.TIME)
    return said.words[-3:-2] == ("since",) and said.before in _OWNERS and not is_time


_BEHIND_OTHERS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (_leads, Reading(0.42, "verb_leads_on")),
    (_a_bit, Reading(0.3, "degree")),
    (
        lambda said, _: len(said.body) == 2 and said.last in _KINDS and bool(lex.bits_of(said.before) & lex.BASE),
        Reading(0.4, "which_one"),
    ),
    (_too, Reading(0.1, "degree")),
    (_called, Reading(0.2, "name_is_missing")),
    (_since, Reading(0.4, "since_or_because")),
    (
        lambda said, _: said.last in ("sort", "kind", "type") and said.before in ("the", "a"),
        Reading(0.35, "how_much_of_what"),
    ),
    (
        lambda said, state: said.last in _LOGGED and _is_be(said.before) and not any(one.wh for one in state.clauses),
        Reading(0.35, "particle_is_missing"),
    ),
    (
        lambda said, _: said.last in _NOBODY and (said.before in ("but", "and") or said.body[:-1] == ("not",)),
        Reading(0.3, "clause_without_verb"),
    ),
    (
        lambda said, state: said.words[-2:] == ("the", "way") and state.top.word in _DOING_SO,
        Reading(0.35, "clause_without_verb"),
    ),
)
"""None of them says anything of an answer."""
_LAST: Final = _LEADING_VERBS | _KINDS | _NAMED | _LOGGED | _NOBODY | frozenset("bit too it sort kind type way".split())


def _as_so(said: Said, state: Parse) -> bool:
    """ "as good" wants "as"."""
    is_pair = said.before == "as" and not said.asked and said.last != "well" and state.top.word not in _MARKING
    return is_pair and bool(lex.bits_of(said.last) & lex.ADJECTIVE) and "as" not in said.words[:-2]


def _measure(said: Said, state: Parse) -> bool:
    if said.last not in _MEASURED or said.asked:
        return False
    is_counted = CLASS_OF.get(said.before) == "num" and said.last not in ("number", "amount", "range")
    return state.article == "a" or said.before == "of" or is_counted


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
    if said.last not in words[:-2] or not bits & lex.VERB:
        return False
    if bits & lex.BASE and bits & lex.OBJECT:
        return True
    return bool(bits & (lex.OBJECT | lex.TO)) and any(pair == words[-2:] for pair in pairwise(words[:-2]))


def _adverb(said: Said, state: Parse) -> bool:
    before = said.before
    if said.last not in ADVERBS:
        return False
    if said.last == "actually" and state.clauses[0].base and not said.asked:
        return True
    if said.asked and before in _NOBODY:
        return False
    if CLASS_OF.get(before) == "demo" and state.top.inverted and state.top.word == "be":
        return True
    is_subject = state.top.subject == before and not state.top.verb and CLASS_OF.get(before) == "pron"
    return is_subject or CLASS_OF.get(before) in _BEFORE_ADVERB or before in EXPANDED or before == "you"


def _pair(said: Said, _: Parse) -> bool:
    pair = said.words[-2:]
    if said.words[-3:] in _MINDING or pair in _OPEN_PAIRS or said.words[-3:] in _OPEN_TRIPLES:
        return True
    return pair in _PAIRS and said.words[-3:-2] != ("what",)


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
    (lambda said, _: said.last in DEGREES and not (said.asked and said.last == "only"), Reading(0.08, "degree")),
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
    (_next, Reading(0.3, "noun_is_missing")),
    (lambda said, _: said.last == "not" and said.before not in _BEFORE_NOT, Reading(0.06, "conjunction")),
)
