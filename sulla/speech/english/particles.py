""" "up", "off", "on": the end of a verb, or the beginning of a phrase. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.joints import as_is, take_preposition
from sulla.speech.english.phrases import named
from sulla.speech.english.state import (
    BARE,
    CLAUSE,
    COMP,
    NAMED_PHRASE,
    NO_PHRASE,
    OBJECT,
    OBJECTS,
    OPEN_PHRASE,
    PREDICATE,
    PREPOSITION,
    WHERE,
    Clause,
    Parse,
)

TAKES_OFF: Final = frozenset(
    "talk think push pushed pull pulled count slide screw throw slot turn turned turns turning switch "
    "switched put puts take took taken log logged sign signed come came comes coming go goes went going "
    "get got gets getting carry carried hold held hang hung try tried pass passed move moved plug plugged "
    "let bring brought zoom stay stayed keep kept leave left is are was were be been light lights still "
    "both all fill filled hand handed join joined drop dropped check checked stand broken fit fits tune "
    "give gave gives cave barge break hurry catch caught call called".split()
)


_PHRASAL_ALONE: Final = frozenset(
    f"{form} {particle}"
    for forms, particle in (
        (
            (
                "get got gets getting keep keeps kept give gives gave giving show shows showed hang hung meet met "
                "meeting sign signed line make made build hold call called pick picks picked break breaks broke "
                "breaking add adds wake woke waking turn turned blow blew clean cleaned start fill filled heat "
                "warm catch caught mess messed throw threw tidy wash washed back backed end ended cheer close "
                "closed split dress hurry"
            ),
            "up",
        ),
        (
            (
                "take takes took taking set sets lift log get got drop dropped pay paid kick switch shut send run "
                "ran wear wore"
            ),
            "off",
        ),
        (
            (
                "cut cuts check checked move moved find log pull leak run ran sell sold work worked turn turned "
                "pass passed drop dropped burn burnt miss lose lost"
            ),
            "out",
        ),
        ("break breaks broke breaking shut shuts close closed cool calm go slow", "down"),
        ("get got move throw", "away"),
        ("call write get got getting come came hold report", "back"),
    )
    for form in forms.split()
)


def take_part(state: Parse, word: str) -> None:
    """ "up", "off", "out"."""
    clause = state.top
    if state.last == clause.word:
        clause.bits &= ~(lex.PLACE | lex.GIVE | lex.TELL)
    if state.phrase == OPEN_PHRASE and state.opened == "det":
        named(state, word, lex.NOUN)
        return
    if state.phrase == OPEN_PHRASE:
        state.phrase = NO_PHRASE
    if (
        clause.subject
        and not clause.verb
        and not clause.aux
        and state.fresh
        and state.phrase == NAMED_PHRASE
        and not clause.wh
    ):
        clause.verb, clause.word = True, state.last
    clause.needs &= ~(WHERE | PREDICATE | PREPOSITION | BARE)
    if f"{state.last} {word}" in _PHRASAL_ALONE:
        clause.needs = 0
    if word == "out" and state.last in ("turns", "turned") and clause.subject == "it":
        clause.needs = CLAUSE
    state.fresh = False
    state.prep = ""


def take_mid(state: Parse, word: str) -> None:
    """ "on", "in", "over", which end something or begin it."""
    clause = state.top
    if state.phrase == OPEN_PHRASE and state.opened == "det":
        named(state, word, lex.NOUN)
        return
    if (
        clause.kind == COMP
        and clause.subject == state.last == "it"
        and not clause.verb
        and not clause.aux
        and len(state.clauses) > 1
    ):
        # "think it over"
        state.clauses.pop()
        clause = state.top
        clause.needs = 0
    as_is(state)
    can_end = _can_end(state, clause, word)
    state.mid = ""
    if state.last == clause.word and clause.word in ("get", "gets", "got", "getting"):
        clause.needs = 0
        can_end = "verb" if word in ("on", "in", "over", "by", "along", "through") else ""
    if can_end == "" and state.last == clause.word and clause.word in _ENDED_BY.get(word, ()):
        clause.needs &= ~OBJECT
        can_end = "verb"
    elif state.last == clause.word and clause.needs & OBJECT and clause.word in TAKES_OFF and not clause.gap:
        clause.bits &= ~(lex.PLACE | lex.GIVE | lex.TELL)
        return
    take_preposition(state, word)
    state.mid = can_end


def _can_end(state: Parse, clause: Clause, word: str) -> str:
    """What "on" or "in" would end here, if nothing followed."""
    if clause.word == "be" and clause.needs & PREDICATE and (clause.subject or clause.wh):
        return "be"
    if clause.needs & OBJECT:
        return ""
    if (state.last in OBJECTS and clause.subject != state.last and clause.word in TAKES_OFF) or (
        state.last == "back" and clause.word in _SWITCHES
    ):
        return "it"
    if word == "on" and clause.word in _BY_ITSELF and clause.subject not in ("you", "to", "i", "we"):
        return "verb"
    if state.last == clause.word or state.last in ("back", "on", "over"):
        return "verb" if clause.word in _ENDED_BY.get(word, ()) else ""
    return (
        "noun" if state.fresh and clause.word in _SWITCHES and clause.verb and state.article not in ("a", "an") else ""
    )


_BY_ITSELF: Final = frozenset("turn turns turned switch switches switched".split())


_ENDED_BY: Final = {
    "on": frozenset(
        "lets read came comes coming go goes going went gone carry carries carried keep keeps kept hang hold "
        "log logged moved live lives drag hurry".split()
    ),
    "in": frozenset(
        "come came coming log logged check checked sign signed move moved zoom join plug get got break barge "
        "cave gave give tune let plugged locked kick kicks walked settle settled drop fit fits chip stay "
        "stayed eat ate".split()
    ),
    "over": frozenset(
        "come came coming start turn turns move fall fell roll run ran pull pulled go boil tip handed knocked".split()
    ),
    "through": frozenset("get got go went gone come came pull fall fell".split()),
    "along": frozenset("come get move play sing".split()),
    "by": frozenset("drop come stop get".split()),
}


_SWITCHES: Final = frozenset(
    "got have turn turned turning switch switched switching leave left leaving keep kept keeping put let "
    "plug plugged plugging".split()
)
