"""An English article, adjective or number whose noun is missing. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.adjectives import PREDICATES, SIDES
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.state import OBJECTS, OPEN_PHRASE, Parse
from sulla.speech.language import Reading, Said

_PREDICATES: Final = frozenset(PREDICATES.split())
_SIDES: Final = frozenset(SIDES.split())
_AT: Final = frozenset("at to from than like near by of".split())
_NO_PLACE: Final = frozenset(("", "for", "with", "about"))
_THE: Final = frozenset(("the", ""))
_OWNED: Final = frozenset(("adj:poss", "named:poss", "ing:poss"))
_COUNTED: Final = frozenset(
    "with than above below into for in within takes take took lasts last weighs costs need needs buy order print about "
    "another every weigh".split()
)
_SEATS: Final = frozenset(
    "table dinner lunch cook cooking book room reservation us me supper breakfast tickets enough".split()
)
_OF_THEM: Final = tuple(
    (word,) for word in "one some all any none both two three each most many more few neither either out".split()
)
_KNOWING: Final = lex.forms(
    "know hear see notice find understand decide learn promise feel check seem appear mean admit accept confirm agree "
    "prove explain mention announce ensure report discover fear expect guarantee recall regret swear wish worry argue "
    "show dream state reveal imply note warn complain realise realize"
)
_LOOKING: Final = (("look",), ("looking",), ("looked",), ("point",), ("done",), ("listen",))
_POINTING: Final = frozenset(("this", "these", "those"))
_BEFORE_POINTING: Final = frozenset("in on at to for".split())
_WHOLE_POINTING: Final = frozenset("like about worth".split())
_RARELY_ALONE: Final = frozenset("less fewer some any all more enough most such several few many much half".split())
_NEVER_ALONE: Final = frozenset("every certain such other several".split())
_BEFORE_MEASURE: Final = frozenset("bit had so too how no any not that that's as very once is".split())
_CHORES: Final = frozenset("washing shopping ironing cleaning cooking baking sewing".split())
_DOING: Final = frozenset(
    "do does did doing done start started hang hanging finish finished sort bring fetch put help collect hate love "
    "like dry fold unpack".split()
)
_ONE: Final = frozenset("one hundred thousand million dozen zero nought".split())
_UNITS: Final = frozenset(
    "percent per quid grand stone foot euro pound people fish sheep o'clock pm am sharp ish kilo each gig "
    "mil metre meter mile inch cent dollar degree data deer aircraft dice series species k g mph km kg cm mm "
    "p volume news".split()
)
_AT_NUMBER: Final = tuple(
    (word,)
    for word in "at by number channel page room gate chapter level step track until before after the from to on around "
    "about past my our your episode season scene row line version terminal platform flight seat bus since half".split()
)
_FIRST: Final = frozenset("first last only second third next".split())
_USUAL: Final = frozenset("usual own favourite favorite".split())
_OWNERS: Final = frozenset("my your our their".split())
_SHOWING: Final = frozenset(
    "reads read says said hits hit reaches reached shows showed strikes struck makes equals scored turns turned "
    "finishes starts ends opens closes opened closed dial press".split()
)
_PLENTY: Final = frozenset("plenty lots much little bit once few".split())
_SECOND: Final = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fifteenth twentieth "
    "thirtieth".split()
)
_DATED: Final = frozenset("than on by from until till since of".split())
_WITH_NEGATION: Final = frozenset("less more any much many enough".split())
_ANYWHERE: Final = frozenset("anywhere somewhere anything something someone somebody anyone one place nothing".split())
_BEFORE_THAT: Final = frozenset(
    "of like do did after before with for about than know remember forget on all want mean was say".split()
)
_HEDGED: Final = frozenset("why who what whoever how never".split())


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
        is_half = is_half and CLASS_OF.get(said.before) != "quant"
        if is_half and said.last in _CHORES and state.top.word in _DOING:
            return None
        if not is_half and _lacks_plural(said):
            return Reading(0.35, "noun_may_be_missing")
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
    return _number(said, state, before) if kind == "num" else _few(said, kind)


def _lacks_plural(said: Said) -> bool:
    """ "two garlic" wants "breads"."""
    last = said.last
    if said.asked or CLASS_OF.get(said.before) != "num" or said.before in _ONE or last in CLASS_OF or last in _UNITS:
        return False
    bits = lex.bits_of(last)
    is_several = bits & (lex.PLURAL | lex.TIME | lex.TIME_NOUN | lex.ADJECTIVE) or last.endswith("s")
    return bool(bits & lex.NOUN) and not is_several and said.words[-3:-2] not in _AT_NUMBER


def _article(said: Said, state: Parse, kind: str) -> Reading | None:
    if kind == "poss" and (said.asked or state.filled in _AT):
        state.top.needs = 0
        return None
    if kind == "poss" and state.top.word == "be" and state.top.subject and said.last not in CLASS_OF:
        state.top.needs = 0
        return Reading(0.6, "somebody's")
    if said.last == "other" and state.article == "the" and "one" in said.words:
        return Reading(0.6, "the_other")
    return Reading(0.05, "noun_is_missing")


def _adjective(said: Said, state: Parse, before: str) -> Reading | None:
    if before == "start" or (said.asked and len(said.words) <= 3 and state.article in _THE):
        return None
    if state.opened == "ing:det" and state.article in _OWNERS:
        return Reading(0.55, "somebody's_doing")
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
    if said.last in _SECOND and before == "det" and state.filled not in _DATED and not is_said:
        return None if said.asked else Reading(0.25, "noun_is_missing")
    is_side = said.last in _SIDES and ((state.filled not in _NO_PLACE and said.last != "same") or is_said)
    if said.last in _FIRST and is_said and state.top.subject in ("it", "this", "that", "there"):
        return Reading(0.35, "noun_is_missing")
    is_side = is_side or (said.last in _USUAL and state.article in _OWNERS and state.top.verb)
    is_most = (
        CLASS_OF.get(said.body[0]) != "wh"
        and (said.last.endswith("est") or said.last in ("best", "worst"))
        and (is_said or name == "do" or said.before == "his")
    )
    if is_bare or is_side or is_most:
        state.top.needs = 0
        return None
    return Reading(0.25, "noun_is_missing")


def _stands_in(said: Said, state: Parse, kind: str) -> Reading | None:
    """ "this", "some": all of a phrase, or the beginning of one."""
    last = said.last
    if last == "that" and said.before in _ANYWHERE:
        return Reading(0.1, "relative_clause_without_verb")
    if last == "that" and said.before in OBJECTS and lex.bits_of(said.words[-3:][0]) & lex.TELL:
        return Reading(0.3, "that")
    if (said.asked and len(said.words) <= 3) or (kind == "quant" and _measures(said)):
        return None
    if not state.placed:
        return Reading(0.2, "noun_is_missing")
    if last == "that":
        is_said = said.before == "said" and len(said.body) <= 4
        is_long = CLASS_OF.get(said.before) == "be" and len(said.body) > 4
        return None if is_said or (_is_object(said) and not is_long) else Reading(0.3, "that")
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
    if last in _NEVER_ALONE:
        return False
    if last == "more" and (before in OBJECTS or before in _PLENTY):
        return True
    if last in _WITH_NEGATION and (any(word.endswith("n't") for word in said.words) or "if" in said.words[:-2]):
        return last == "more" or bool(lex.bits_of(before) & lex.OBJECT) or before in CLASS_OF
    if (last, before) in (("half", "in"), ("most", "at")):
        return True
    return before in _BEFORE_MEASURE or before.endswith("n't")


def _is_object(said: Said) -> bool:
    """Whether "that" is what is done, not the beginning of what is said."""
    before = said.before
    if before in OBJECTS or before == "be":
        return False
    bits = lex.bits_of(before)
    if before in ("say", "know", "mean") and len(said.body) > 3:
        words = said.words
        is_told = before == "know" and ("let" in words or "you" in words[-4:])
        return bool(_HEDGED & set(words)) or (not is_told and any(word.endswith("n't") for word in words))
    is_done = bits & lex.VERB and not bits & (lex.CLAUSE | lex.TELL) and before not in _KNOWING
    return (bool(is_done) and len(said.words) > 2) or len(said.body) <= 3 or before in _BEFORE_THAT


def _number(said: Said, state: Parse, opened_by: str) -> Reading | None:
    count = 1
    while count < len(said.words) and CLASS_OF.get(said.words[-1 - count]) == "num":
        count += 1
    before = said.words[-1 - count] if count < len(said.words) else ""
    if said.asked or (said.last == "one" and opened_by not in ("det", "poss") and said.before not in _COUNTED):
        return None
    if count > 1 and (state.article == "the" or before in ("in", "since")) and not opened_by.startswith("poss"):
        return None
    if state.filled == "of" and state.article == "the":
        return None
    if opened_by in ("det", "poss"):
        return Reading(0.15, "number_of_what")
    if before == "for" and _SEATS & set(said.words):
        return None
    if before == "and":
        is_sum = len(said.words) > count + 1 and CLASS_OF.get(said.words[-2 - count]) == "num"
        return None if is_sum else Reading(0.42, "number_of_what")
    return _counted_by(said, state, before)


def _counted_by(said: Said, state: Parse, before: str) -> Reading | None:
    """What the word before a number says of it ("in twenty", "buy six", but "it reads sixty")."""
    name = CLASS_OF.get(before)
    is_taken = before in OBJECTS and state.top.word in ("take", "took", "takes", "cost", "lasted")
    if before in _COUNTED or is_taken or (name == "be" and "there" in said.words[:3]):
        return Reading(0.3, "number_of_what")
    is_done = name is None and lex.bits_of(before) & lex.VERB and before not in _SHOWING
    is_loose = before in ("least", "most") or name in ("have", "part")
    return Reading(0.42, "number_of_what") if is_done or is_loose else None
