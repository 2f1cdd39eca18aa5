"""English that takes something back, and lists. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english.text import SpokenText
from sulla.speech.turn_taking.detector import Reading

_COUNTS: Final = {"three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10}


def repair(said: SpokenText) -> Reading | None:
    """ "five, no" and "sorry, not Steve"."""
    words, last, before = said.words, said.last, said.before
    if before == "not" and len(words) > 3 and (words[-3] in ("sorry", "no") or words[-3] in said.en["fillers"]):
        return Reading(0.1, "self_repair")
    if (
        (before, last) == ("i", "mean")
        and len(words) > 5
        and words[-4] in said.en["articles"]
        and words[-3] not in said.en["auxiliaries"]
    ):
        return Reading(0.55, "repaired")
    if (before, last) == ("i", "mean") and words[-3:-2] not in (("what",), ("know",), ("who",), ("which",)):
        return Reading(0.04, "self_repair")
    if (
        last == "sorry"
        and len(words) > 3
        and before not in ("i'm", "so", "really", "very", "am", "say", "said", "feel", "than")
    ):
        return Reading(0.15, "self_repair")
    if (
        last == "no"
        and len(words) > 2
        and not (said.asked and len(words) <= 3)
        and before not in ("say", "said", "says", "or", "a", "been")
        and words[-3:-1] != ("yes", "or")
    ):
        return Reading(0.1, "self_repair")
    return None


def listing(said: SpokenText) -> Reading | None:
    """A list without its "and", or without its second thing."""
    words = said.words
    for holds, reading in _OPEN:
        if holds(said):
            return reading
    if "and" in words[-5:] or "or" in words[-5:]:
        return None
    return Reading(0.3, "list_without_and") if _is_list(said) else None


def _is_step(said: SpokenText) -> bool:
    """ "step two", "number one eggs number two"."""
    is_second = said.before == "number" and said.words.count("number") > 1
    return said.last in said.en["numbers"] and ("step" in said.words[-3:-1] or is_second)


def _is_counted(said: SpokenText) -> bool:
    """ "there are three reasons first", "there are two things one the lease"."""
    words = said.words
    is_there = words[0] == "there" and words[2:3] and words[2] in said.en["numbers"]
    if said.last in said.en["numbers"] or said.last in ("first", "second", "third", "firstly"):
        is_number = said.last in said.en["numbers"] and said.en["lists_counted"] & set(words) and not said.asked
        return bool(is_number or (is_there and (said.en["lists_counted"] | {"one", "first"}) & set(words[3:])))
    return bool(is_there and {"one", "first"} & set(words[4:]) and not said.en["and"] & set(words[3:]))


def _is_short(said: SpokenText) -> bool:
    """Fewer things than were asked for."""
    words = said.words
    if not said.asked or len(words) < 2 or {"and", "or"} & set(words):
        return False
    wanted = next((_COUNTS[word] for word in said.asked if word in _COUNTS), 0)
    return len(words) < wanted and said.en["no_item"].isdisjoint(words)


def _is_one_hand(said: SpokenText) -> bool:
    words = said.words
    return "hand" in words and words[words.index("hand") - 1] == "one" and not {"other", "but"} & set(words)


def _is_first(said: SpokenText) -> bool:
    body = said.body
    return (
        len(body) > 1
        and body[0] in said.en["first"]
        and body[1] in said.en["beginning"]
        and not said.en["going_on"] & set(said.words)
    )


def _wants_but(said: SpokenText) -> bool:
    """ "not only is it cheap"."""
    words = said.words
    if words.count("only") != 1 or len(words) < 4 or said.pauses:
        return False
    return words[words.index("only") - 1] == "not" and not {"but", "also", "too"} & set(words)


_OPEN: Final[tuple[tuple[Callable[[SpokenText], bool], Reading], ...]] = (
    (_is_step, Reading(0.06, "step_without_words")),
    (_is_counted, Reading(0.3, "second_is_missing")),
    (_is_short, Reading(0.25, "list_is_short")),
    (_is_one_hand, Reading(0.3, "second_is_missing")),
    (
        lambda said: said.last in said.en["weekdays"] and said.before in said.en["weekdays"],
        Reading(0.35, "list_without_and"),
    ),
    (_is_first, Reading(0.4, "second_is_missing")),
    (_wants_but, Reading(0.15, "but_is_missing")),
)


def _is_list(said: SpokenText) -> bool:
    words = said.words
    if words[0] == "the" and "are" in words and len(words) > 3 and words[1] in said.en["lists"]:
        return True
    if said.asked and said.asked[0] in ("which", "what") and words.count("the") >= 2 and len(words) <= 6:
        return not set(words) & said.en["placed"]
    return (
        said.pauses >= 2
        and len(words) <= 12
        and not {"sorry", "no"} & set(words)
        and (words[0] in said.en["articles"] or not said.end)
    )
