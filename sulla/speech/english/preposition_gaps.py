"""An English preposition that nothing follows. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF
from sulla.speech.english.state import COMP, INF, MAIN, OBJECT, OBJECTS, REL, SUB, Parse
from sulla.speech.english.words import AUXILIARIES, PHRASES_OF_TIME, WH
from sulla.speech.language import Reading, Said

_PLACES: Final = frozenset("outside inside below above underneath beyond throughout opposite".split())
_BEFORE_PLACE: Final = frozenset("to is are was".split())
_AFTER_BE: Final = frozenset("for like from about".split())
_BEEN: Final = frozenset("been have has had i've we've haven't never ever as".split())
_COMING_FROM: Final = frozenset(
    "be come comes came coming get got buy bought hear heard order ordered fly flew".split()
)
_EVER: Final = frozenset("have has i've he's she's it's we've they've".split())
_SINKING: Final = frozenset(
    "drop drops dropped fall falls fell fallen sink sinks go goes went gone rise rises rose climbs gets stays "
    "dips dipped".split()
)
_PAST: Final = frozenset("around past by along through across over near".split())
_MOTION: Final = frozenset(
    "walk walks walked walking go goes went going come comes came drive drives drove run ran runs pass "
    "passes passed move moved look looked looking fly flew swim tag tagged strolled rushed hurried cycled".split()
)
_BEFORE_ON: Final = frozenset("straight right later early further".split())
_BEFORE_AROUND: Final = frozenset("turn look stick hang walk drive wait come get way turned looking ask".split())
_ALONG: Final = frozenset("bring take come sing all".split())
_LEFT: Final = frozenset("left leave leaves stay fall lag".split())
_HAVING: Final = frozenset("get have had got need needs".split())
_LIKENING: Final = frozenset("than as like".split())
_PARTICLES: Final = {"be": 0.6, "it": 0.75, "noun": 0.6, "verb": 0.65}
_PEOPLE: Final = frozenset("he she anyone anybody somebody someone who everybody everyone nobody".split())
_NEGATIVE: Final = frozenset("never no nobody not".split())
_SHORTLY: Final = frozenset(
    "used forgot love like want have need plan hope expect going trying tried about supposed meant had".split()
)
_WILLING: Final = frozenset(
    "want wants wanted wanting need needs needed like liked love have has had having going used able "
    "supposed trying try tried plan planned planning hope hoped hoping decided decide managed manage "
    "forgot forget remember afford meant mean expect expected refuse learn learned prefer agreed agree "
    "start started begin began ought about ready allowed".split()
)
_GLADLY: Final = frozenset("glad happy delighted love".split())
_WILLINGLY: Final = frozenset("want wanted have had need like him her me us them able".split())
_FREELY: Final = frozenset("not welcome free".split())
_BUT: Final = frozenset("forgot want wanted".split())
_THE_WAY: Final = frozenset("than as way what like".split())

_NUMBERED: Final = frozenset(
    "slide page chapter track line row column version gate platform channel room level episode season exit junction "
    "floor step section item question flight bay aisle paragraph verse day week".split()
)
_BEFORE_NUMBER: Final = frozenset(("to", "prep", "mid"))
_NUMBER: Final = Reading(0.35, "which_number")

_WHEN: Final = frozenset("before after until till since than as".split())

_DONE_TO: Final = frozenset(
    tuple(words.split())
    for words in (
        "looked at,looked after,looked into,dealt with,fussed over,paid for,cared for,laughed at,shouted at,"
        "yelled at,talked about,thought about,heard of,listened to,spoken to,talked to,relied on,accounted for,"
        "asked for,called for,catered for,lived in,slept in,walked on,stared at,tampered with,messed with,picked on,"
        "frowned upon,seen to,attended to,broken into,run over,done for,provided for,sent for,operated on,"
        "experimented on,waited on,sworn at"
    ).split(",")
)

Holds = Callable[[Said, Parse], bool]


def asks_yes_no(said: Said) -> bool:
    """Whether something was asked that "yes" answers.

    Args:
        said: the text.
    """
    return bool(said.asked) and said.asked[0] not in WH and bool(set(said.asked[:4]) & AUXILIARIES)


def preposition_gap(said: Said, state: Parse) -> Reading | None:
    """Whether a preposition lacks its noun; it may stand before it, or be an adverb.

    Args:
        said: the text.
        state: how far it has come.
    """
    if not state.prep or said.last == "not":
        is_numbered = said.last in _NUMBERED and CLASS_OF.get(said.before) in _BEFORE_NUMBER
        return _NUMBER if is_numbered else None
    for holds, reading in _ADVERBS:
        if holds(said, state):
            return reading
    if state.prep == "to":
        return _to(said, state)
    if said.last == "on" and len(said.body) == 2 and said.before not in CLASS_OF and not state.top.verb:
        return Reading(0.65, "particle")
    if state.mid == "be" and state.top.subject == state.top.wh:
        return _particle(said, state)
    if _is_stranded(said, state):
        return Reading(0.85, "stranded_preposition")
    if state.mid and CLASS_OF.get(said.last) == "mid":
        return _particle(said, state)
    return Reading(0.06, "preposition")


def _is_stranded(said: Said, state: Parse) -> bool:
    if CLASS_OF.get(said.before) == "mid" and said.last in ("at", "in", "with", "from"):
        return False
    if state.hinge and state.prep in _WHEN and state.top.gap < 2:
        return False
    for clause in reversed(state.clauses):
        least = clause.kind == MAIN and clause.word == "be" and state.prep not in _AFTER_BE
        if clause.verb and clause.gap > least:
            return True
        if clause.kind not in (INF, COMP):
            return False
    return False


def _day_after(said: Said, state: Parse) -> bool:
    """ "the week after"."""
    is_time = bool(lex.bits_of(said.before) & lex.TIME_NOUN) and said.before != "quarter"
    return said.last in ("before", "after") and is_time and (not said.asked or state.article == "the")


def _been_before(said: Said, state: Parse) -> bool:
    if said.last != "before":
        return False
    is_used = state.top.kind == REL and state.top.verb
    return is_used or said.before in PHRASES_OF_TIME or bool(_BEEN & set(said.words))


def _moves(said: Said, state: Parse) -> bool:
    """ "he walked past"."""
    word = state.top.word
    return said.last in _PAST and word in _MOTION and (said.before == word or said.before in OBJECTS)


def _sinks(said: Said) -> bool:
    """ "drops below", "goes above"."""
    return said.before in _SINKING and said.last in ("above", "below", "beyond")


def _looked_at(said: Said, _: Parse) -> bool:
    """ "get that looked at"."""
    if said.words[-2:] not in _DONE_TO:
        return False
    if CLASS_OF.get(said.words[-3:][0]) in ("be", "skip", "not"):
        return True
    is_done = said.last in ("at", "after", "into") and lex.bits_of(said.before) & lex.PARTICIPLE
    return bool(is_done) and bool(_HAVING & set(said.words))


def _where_from(said: Said, state: Parse) -> bool:
    is_asked = any(clause.wh == "where" for clause in state.clauses)
    if state.prep == "to":
        return is_asked and said.before == state.top.word and said.before not in _WILLING
    return said.before == "where" or (is_asked and state.prep == "from" and state.top.word in _COMING_FROM)


_ADVERBS: Final[tuple[tuple[Holds, Reading], ...]] = (
    (_day_after, Reading(0.85, "the_day_after")),
    (
        lambda said, state: state.prep in _PLACES and said.before not in _BEFORE_PLACE and not _sinks(said),
        Reading(0.65, "adverb_of_place"),
    ),
    (_been_before, Reading(0.7, "adverb_of_time")),
    (_where_from, Reading(0.7, "where_from")),
    (_moves, Reading(0.65, "particle")),
    (
        lambda said, _: said.words[-2:] == ("ever", "since") and bool(_EVER & set(said.words)),
        Reading(0.65, "ever_since"),
    ),
    (lambda said, _: said.last == "on" and said.before in _BEFORE_ON, Reading(0.75, "particle")),
    (_looked_at, Reading(0.65, "stranded_preposition")),
    (
        lambda said, _: said.last == "behind" and (said.before == "from" or bool(_LEFT & set(said.words))),
        Reading(0.65, "particle"),
    ),
    (lambda said, _: said.last == "before" and said.before in _LIKENING, Reading(0.8, "than_before")),
    (
        lambda said, _: said.last == "behind" and bool(lex.bits_of(said.before) & lex.TIME_NOUN),
        Reading(0.7, "time_behind"),
    ),
    (lambda said, _: said.last == "around" and said.before in _BEFORE_AROUND, Reading(0.65, "particle")),
    (lambda said, _: said.last == "along" and bool(_ALONG & set(said.words)), Reading(0.65, "particle")),
)


def _particle(said: Said, state: Parse) -> Reading:
    last, mid, subject = said.last, state.mid, state.top.subject
    if last in ("by", "along") and mid != "verb":
        return Reading(0.2, "particle_begins_a_phrase")
    if mid == "be":
        is_person = subject in _PEOPLE or lex.bits_of(subject or "?") & lex.PERSON
        if last == "in" and is_person:
            return Reading(0.6, "particle")
        if last == "through" and state.top.kind in (SUB, COMP):
            return Reading(0.55, "particle")
        if subject == "there":
            return Reading(0.3, "particle_begins_a_phrase")
        if last in ("in", "through") or (subject in ("i", "we") and not state.top.inverted):
            return Reading(0.3, "particle_begins_a_phrase")
    return Reading(_PARTICLES[mid], "particle")


def _to(said: Said, state: Parse) -> Reading:
    """ "who did you talk to", "i'd love to"."""
    top, before = state.top, said.before
    if top.gap and top.needs & OBJECT and before not in _WILLING:
        return Reading(0.3, "to_do_what")
    gap = max(
        clause.gap if clause.verb and (clause.word != "be" or clause.kind != MAIN) else 0 for clause in state.clauses
    )
    if gap == 2 and before not in _WILLING:
        return Reading(0.85, "stranded_preposition")
    if gap and before not in _WILLING:
        return Reading(0.7, "stranded_preposition")
    for holds, reading in _TO_DO_SO:
        if holds(said, state):
            return reading
    return Reading(0.06, "preposition")


def _denies(said: Said, state: Parse) -> bool:
    """ "you don't have to"."""
    if state.clauses[0].base and len(state.clauses) > 2:
        return False
    is_denied = said.words[0] == "why" or _is_denied(said.words[:-1])
    is_asked = said.before in OBJECTS and said.words[-3:][0] in ("asked", "told", "tell", "want")
    return (said.before in _WILLING or is_asked) and is_denied


def _is_denied(words: tuple[str, ...]) -> bool:
    return bool(_NEGATIVE & set(words)) or any(word.endswith("n't") for word in words)


def _as_before(said: Said, _: Parse) -> bool:
    """ "more than i wanted to", "but i forgot to"."""
    if {"than", "as"} & set(said.words[-6:-2]) or ("but" in said.words[:-3] and said.before in _BUT):
        return True
    return said.before == "used" and bool(_THE_WAY & set(said.words[-6:-2]))


def _gladly(said: Said, state: Parse) -> bool:
    is_inner = (state.top.kind != MAIN and (state.top.kind != COMP or bool(state.top.wh))) or bool(said.asked)
    return (
        said.before in _GLADLY
        or (is_inner and said.before in _WILLINGLY)
        or (said.before == "how" and len(said.words) > 2 and (bool(said.asked) or _is_denied(said.words)))
    )


_TO_DO_SO: Final[tuple[tuple[Holds, Reading], ...]] = (
    (
        lambda said, state: said.before in _FREELY and len(said.words) > 2 and not state.clauses[0].base,
        Reading(0.6, "to_do_so"),
    ),
    (_denies, Reading(0.52, "to_do_so")),
    (_as_before, Reading(0.7, "to_do_so")),
    (lambda said, _: said.before in _SHORTLY and asks_yes_no(said), Reading(0.8, "to_do_so")),
    (_gladly, Reading(0.6, "to_do_so")),
)
