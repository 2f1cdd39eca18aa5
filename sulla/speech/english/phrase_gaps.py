"""An English article, adjective or number whose noun is missing. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.state import OPEN_PHRASE, Parse
from sulla.speech.english.text import SpokenText
from sulla.speech.turn_taking.detector import Reading

_NO_PLACE: Final = frozenset(("", "for", "with", "about"))
_THE: Final = frozenset(("the", ""))
_OWNED: Final = frozenset(("adj:poss", "named:poss", "ing:poss"))


def phrase_gap(said: SpokenText, state: Parse) -> Reading | None:
    """What the open phrase lacks.

    Args:
        said: the text.
        state: how far it has come; what turns out to be whole has its place in the clause afterwards.
    """
    if state.joined:
        return Reading(0.05, "conjunction")
    if state.phrase != OPEN_PHRASE:
        is_half = state.first and state.fresh and bool(state.article) and not said.asked
        is_half = is_half and said.en.class_of.get(said.before) != "quant"
        if is_half and said.last in said.en["chores"] and state.top.word in said.en["phrase_gaps_doing"]:
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


def _lacks_plural(said: SpokenText) -> bool:
    """ "two garlic" wants "breads"."""
    last = said.last
    if (
        said.asked
        or said.en.class_of.get(said.before) != "num"
        or said.before in said.en["one"]
        or last in said.en.class_of
        or last in said.en["units"]
    ):
        return False
    bits = said.en.bits_of(last)
    is_several = bits & (lex.PLURAL | lex.TIME | lex.TIME_NOUN | lex.ADJECTIVE) or last.endswith("s")
    return bool(bits & lex.NOUN) and not is_several and said.words[-3:-2] not in said.en.phrases["at_number"]


def _article(said: SpokenText, state: Parse, kind: str) -> Reading | None:
    if kind == "poss" and (said.asked or state.filled in said.en["at"]):
        state.top.needs = 0
        return None
    if kind == "poss" and state.top.word == "be" and state.top.subject and said.last not in said.en.class_of:
        state.top.needs = 0
        return Reading(0.6, "somebody's")
    if said.last == "other" and state.article == "the" and "one" in said.words:
        return Reading(0.6, "the_other")
    return Reading(0.05, "noun_is_missing")


def _adjective(said: SpokenText, state: Parse, before: str) -> Reading | None:
    if before == "start" or (said.asked and len(said.words) <= 3 and state.article in _THE):
        return None
    if state.opened == "ing:det" and state.article in said.en["phrase_gaps_owners"]:
        return Reading(0.55, "somebody's_doing")
    return Reading(0.15 if before.endswith(("det", "poss")) else 0.3, "noun_is_missing")


def _few(said: SpokenText, kind: str) -> Reading | None:
    """ "a few"; adjectives without an article."""
    if kind == "some":
        is_whole = said.asked or said.last == "little" or "quite" in said.words
        return None if is_whole else Reading(0.3, "noun_is_missing")
    if kind == "bare":
        return Reading(0.25, "noun_is_missing")
    return Reading(0.6, "adjective_alone") if kind == "start" else None


def _is_how(said: SpokenText, state: Parse, opened: str) -> bool:
    """ "the kettle's boiling", but not "the kettle's new"."""
    top = state.top
    if top.verb or top.aux or state.filled:
        return False
    return opened == "ing:poss" or said.last in said.en["predicates"]


def _named(said: SpokenText, state: Parse, before: str) -> Reading | None:
    """ "the left", "the red"."""
    third = said.words[-3:][0]
    name = said.en.class_of.get(third)
    is_said = name == "be" or third in said.en.expanded
    is_bare = before == "bare" or (bool(said.asked) and state.article in _THE)
    if said.last in said.en["second"] and before == "det" and state.filled not in said.en["dated"] and not is_said:
        return None if said.asked else Reading(0.25, "noun_is_missing")
    is_side = said.last in said.en["sides"] and ((state.filled not in _NO_PLACE and said.last != "same") or is_said)
    if said.last in said.en["phrase_gaps_first"] and is_said and state.top.subject in ("it", "this", "that", "there"):
        return Reading(0.35, "noun_is_missing")
    is_side = is_side or (
        said.last in said.en["usual"] and state.article in said.en["phrase_gaps_owners"] and state.top.verb
    )
    is_most = (
        said.en.class_of.get(said.body[0]) != "wh"
        and (said.last.endswith("est") or said.last in ("best", "worst"))
        and (is_said or name == "do" or said.before == "his")
    )
    if is_bare or is_side or is_most:
        state.top.needs = 0
        return None
    return Reading(0.25, "noun_is_missing")


def _stands_in(said: SpokenText, state: Parse, kind: str) -> Reading | None:
    """ "this", "some": all of a phrase, or the beginning of one."""
    last = said.last
    if last == "that" and said.before in said.en["anywhere"]:
        return Reading(0.1, "relative_clause_without_verb")
    if last == "that" and said.before in said.en["objects"] and said.en.bits_of(said.words[-3:][0]) & lex.TELL:
        return Reading(0.3, "that")
    if (said.asked and len(said.words) <= 3) or (kind == "quant" and _measures(said)):
        return None
    if not state.placed:
        return Reading(0.2, "noun_is_missing")
    if last == "that":
        is_said = said.before == "said" and len(said.body) <= 4
        is_long = said.en.class_of.get(said.before) == "be" and len(said.body) > 4
        return None if is_said or (_is_object(said) and not is_long) else Reading(0.3, "that")
    return _pointed(said) if last in said.en["pointing"] else _counted(said, last)


def _pointed(said: SpokenText) -> Reading | None:
    """ "in this", "of these"."""
    if said.words[-3:-2] not in said.en.phrases["looking"] and said.before in said.en["before_pointing"]:
        return Reading(0.35, "noun_may_be_missing")
    is_behind = said.en.class_of.get(said.before) in ("prep", "mid") and said.before not in said.en["whole_pointing"]
    is_done = said.en.bits_of(said.before) & lex.VERB and said.before not in said.en.class_of
    if (
        said.last == "this"
        and is_done
        and len(said.body) > 2
        and said.en.class_of.get(said.body[0]) not in ("wh", "modal")
    ):
        return Reading(0.45, "noun_may_be_missing")
    if said.last != "this" and is_behind and said.words[-3:-2] not in said.en.phrases["phrase_gaps_of_them"]:
        return Reading(0.4, "noun_may_be_missing")
    return None


def _counted(said: SpokenText, last: str) -> Reading | None:
    if last == "no" or (last == "his" and said.en.class_of.get(said.before) not in ("be", "wh")):
        return Reading(0.15, "noun_is_missing")
    if last in said.en["rarely_alone"]:
        return Reading(0.42, "noun_may_be_missing")
    return Reading(0.1, "noun_is_missing") if last in said.en["never_alone"] else None


def _measures(said: SpokenText) -> bool:
    """ "so many", "that's all", "he hasn't any"."""
    last, before = said.last, said.before
    if last in said.en["never_alone"]:
        return False
    if last == "more" and (before in said.en["objects"] or before in said.en["plenty"]):
        return True
    if last in said.en["with_negation"] and (
        any(word.endswith("n't") for word in said.words) or "if" in said.words[:-2]
    ):
        return last == "more" or bool(said.en.bits_of(before) & lex.OBJECT) or before in said.en.class_of
    if (last, before) in (("half", "in"), ("most", "at")):
        return True
    return before in said.en["before_measure"] or before.endswith("n't")


def _is_object(said: SpokenText) -> bool:
    """Whether "that" is what is done, not the beginning of what is said."""
    before = said.before
    if before in said.en["objects"] or before == "be":
        return False
    bits = said.en.bits_of(before)
    if before in ("say", "know", "mean") and len(said.body) > 3:
        words = said.words
        is_told = before == "know" and ("let" in words or "you" in words[-4:])
        return bool(said.en["hedged"] & set(words)) or (not is_told and any(word.endswith("n't") for word in words))
    is_done = bits & lex.VERB and not bits & (lex.CLAUSE | lex.TELL) and before not in said.en["knowing"]
    return (bool(is_done) and len(said.words) > 2) or len(said.body) <= 3 or before in said.en["before_that"]


def _number(said: SpokenText, state: Parse, opened_by: str) -> Reading | None:
    count = 1
    while count < len(said.words) and said.en.class_of.get(said.words[-1 - count]) == "num":
        count += 1
    before = said.words[-1 - count] if count < len(said.words) else ""
    if said.asked or (
        said.last == "one" and opened_by not in ("det", "poss") and said.before not in said.en["phrase_gaps_counted"]
    ):
        return None
    if count > 1 and (state.article == "the" or before in ("in", "since")) and not opened_by.startswith("poss"):
        return None
    if state.filled == "of" and state.article == "the":
        return None
    if opened_by in ("det", "poss"):
        return Reading(0.15, "number_of_what")
    if before == "for" and said.en["seats"] & set(said.words):
        return None
    if before == "and":
        is_sum = len(said.words) > count + 1 and said.en.class_of.get(said.words[-2 - count]) == "num"
        return None if is_sum else Reading(0.42, "number_of_what")
    return _counted_by(said, state, before)


def _counted_by(said: SpokenText, state: Parse, before: str) -> Reading | None:
    """What the word before a number says of it ("in twenty", "buy six", but "it reads sixty")."""
    name = said.en.class_of.get(before)
    is_taken = before in said.en["objects"] and state.top.word in ("take", "took", "takes", "cost", "lasted")
    if before in said.en["phrase_gaps_counted"] or is_taken or (name == "be" and "there" in said.words[:3]):
        return Reading(0.3, "number_of_what")
    is_done = name is None and said.en.bits_of(before) & lex.VERB and before not in said.en["showing"]
    is_loose = before in ("least", "most") or name in ("have", "part")
    return Reading(0.42, "number_of_what") if is_done or is_loose else None
