"""Numbers, codes, addresses and spelling, dictated in English: how much was asked for, and how much is there. Pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

MORE: Final = Reading(0.04, "dictation_goes_on", "dictation")
MAYBE_MORE: Final = Reading(0.25, "dictation_may_go_on", "dictation")
THERE: Final = Reading(0.9, "dictation_is_whole", "dictation")

_TIMES: Final = {"double": 2, "triple": 3}
_WANTED: Final = (
    ("security", 3), ("cvv", 3), ("house", 1), ("valid", 4), ("until", 4), ("expire", 4),
    ("tracking", 10), ("landline", 9), ("sort", 6), ("combination", 4),
    ("flight", 3), ("expiry", 4), ("zip", 5), ("pin", 4), ("postcode", 5), ("extension", 3), ("alarm", 4), ("phone", 7),
    ("mobile", 9), ("number", 6), ("call", 7), ("reach", 7), ("surgery", 9), ("registration", 6), ("plate", 6),
    ("reference", 6), ("booking", 6), ("card", 16), ("iban", 16), ("account", 8), ("serial", 6), ("code", 4),
    ("id", 5), ("order", 5), ("room", 3), ("port", 3), ("bus", 2), ("gate", 2), ("page", 2), ("platform", 1),
    ("version", 2),
)  # fmt: skip
"""How many signs such a thing has at least, by a word of the question or of the text; the first that fits counts."""
_COUNTS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "sixteen": 16,
}  # fmt: skip
LEAST_CODE: Final = 4
LEAST_DIALLED: Final = 3
LEAST_ABROAD: Final = 9
LEAST_LETTERS: Final = 3
LEAST_SPELLED: Final = 5
"""A name that is spelled has so many letters, unless it was said first."""


def dictation(said: SpokenText) -> Reading | None:
    """Something is being dictated sign by sign."""
    if said.last in said.en["alphabet"] and (
        said.before in said.en["alphabet"] or said.en["by_words"] & set(said.asked)
    ):
        said = replace(said, words=tuple(word[0] if word in said.en["alphabet"] else word for word in said.words))
    if "as" in said.words and len(said.words) > 4:
        said = replace(said, words=_letters_alone(said.words))
    if said.before in ("a", "an", "the") and not (len(said.last) == 1 and len(said.words[-3:][0]) <= 2):
        return _place(said)
    if said.last in said.en["joints"]:
        return MORE if said.last != "point" or said.asked or said.before in said.en["numbers"] else None
    if _is_email(said):
        return _email(said.en, said.words)
    if (
        said.before in said.en["centuries"]
        and said.last in said.en["numbers"]
        and not (said.en["codes"] | said.en["homes"]) & set(said.asked)
    ):
        return THERE if len(said.words) > 2 else None
    run = _signs(said.en, said.words)
    is_answer = run == 1 and said.asked and len(said.words) <= 2 and _count_asked(said.en, said.asked) > 1
    found = _run(said, run) if run >= 2 or is_answer else None
    if found is not None:
        return found
    if _is_begun(said, run):
        return MORE
    return MAYBE_MORE if _may_be_begun(said) else _place(said)


def _letters_alone(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the "as in bravo" behind a letter."""
    found: list[str] = []
    at = 0
    while at < len(words):
        found.append(words[at])
        is_explained = len(words[at]) == 1 and words[at + 1 : at + 3] == ("as", "in") and at + 3 < len(words) - 1
        at += 4 if is_explained else 1
    return tuple(found)


def _is_begun(said: SpokenText, run: int) -> bool:
    """ "the password is capital t then", "the pin is six", "chapter three verse"."""
    words = said.words
    if said.last == "then" and (
        "capital" in words or (said.before in said.en["numbers"] and (said.asked or said.en["codes"] & set(words)))
    ):
        return True
    if (
        said.last in said.en["codes"]
        and said.asked
        and not said.en["codes"].isdisjoint(said.asked)
        and said.en["numbers"] & set(words)
    ):
        return True
    if run and "dial" in words and run < LEAST_DIALLED:
        return True
    if said.last in said.en["continued"] and (said.before in said.en["numbers"] or said.before.isdigit()):
        return True
    if not 1 <= run < LEAST_ABROAD:
        return False
    if "plus" in words[-run - 1 :]:
        return True
    nearby = set(words[-run - 3 :])
    is_code = bool(said.en["said"] & nearby and said.en["codes"] & set(words)) or bool(
        "to" in nearby and said.en["secrets"] & set(words)
    )
    return run < LEAST_CODE and is_code


def _may_be_begun(said: SpokenText) -> bool:
    """ "n as in november", "open quote", "in nineteen"."""
    words = said.words
    if words[-3:-1] in said.en.phrases["like_letters"] and "spell" in said.asked and words.count("as") < LEAST_LETTERS:
        return True
    if words[-3:-1] == ("as", "in") and len(words[0]) == 1 and words.count("as") < LEAST_LETTERS:
        return True
    if len(words) == 2 and words[0] in ("capital", "uppercase") and len(said.last) == 1:
        return True
    if len(words) <= 2 and len(said.last) == 1 and "spell" in said.asked:
        return True
    if (
        words[-2:-1] == ("dot",)
        and words.count("dot") == 1
        and said.en["sites"] & set(words)
        and said.last not in said.en["endings"]
    ):
        return True
    if said.last == "number" and len(words) <= 3 and not said.asked:
        return True
    if "open" in words and said.en["marks"] & set(words) and not said.en["closed"] & set(words):
        return True
    if said.last in said.en["centuries"] and (said.before in said.en["months"] or said.before == "in"):
        return said.last != "eighteen" or said.before != "in"
    return words[-2:] == ("dot", "co")


def _is_email(said: SpokenText) -> bool:
    if "or" in said.asked and "at" not in said.words:
        return False
    return (
        "email" in said.asked
        or "mail" in said.asked
        or ("at" in said.words and ("dot" in said.words or ("address" in said.asked and said.words[1:2] == ("at",))))
        or said.words[-3:-1] == ("email", "is")
    )


def _email(en: Vocabulary, words: tuple[str, ...]) -> Reading | None:
    if "dot" in words and "at" in words and words.index("at") < len(words) - 1 - words[::-1].index("dot"):
        return THERE if words[-1] in en["endings"] else MAYBE_MORE if words[-1] in ("co", "ac") else None
    if words[-1] in en["endings"] and words[-1] not in ("in", "no", "it", "me", "be", "at", "is") and len(words) > 2:
        return THERE
    if words[-2:-1] == ("at",) and words[-1] not in en["endings"] and len(words) == 3:
        return MAYBE_MORE
    if "at" in words or "dot" in words or len(words) <= 3:
        known = {"yes", "no", "yeah", "yep", "sure", "gmail", "same", "please"} & set(words)
        return None if known or words[0] in ("i", "it", "the", "don't") else MAYBE_MORE
    return None


def _signs(en: Vocabulary, words: tuple[str, ...]) -> int:
    """How many signs are dictated at the end: single digits and single letters, doubles counted as two."""
    count = 0
    at = len(words) - 1
    while at >= 0:
        word = words[at]
        if word in en["digits"] or (
            len(word) == 1 and word.isalnum() and not (word in "ai" and count == 0 and at == 0)
        ):
            count += _TIMES.get(words[at - 1], 1) if at else 1
        elif word.isdigit():
            count += len(word)
        elif (word in en["numbers"] and word not in en["scales"]) or (
            word == "hundred" and 0 < at < len(words) - 1 and words[at - 1] in en["digits"]
        ):
            count += 2
        elif word not in _TIMES and word not in en["between"] and word not in en["closers"]:
            break
        at -= 1
    return count


def _run(said: SpokenText, run: int) -> Reading | None:
    words = said.words
    if words[-run - 2 : -run] in (("ending", "in"), ("ends", "in"), ("ending", "with"), ("ends", "with")):
        return THERE
    letters = [word for word in words if len(word) == 1 and word.isalpha()]
    if words[-1] in said.en["closers"]:
        return THERE
    if len(letters) >= 2 and letters == list(words[-len(letters) :]):
        if words[-len(letters) - 1 : -len(letters)] == ("dot",):
            return THERE
        return _spelled(said, letters)
    singles = sum(
        word in said.en["digits"] or len(word) == 1 or word.isdigit()
        for before, word in pairwise(("", *words)[-run - 1 :])
        if before not in said.en["tens"]
    )
    wanted = _count_asked(said.en, said.asked) or _count_asked(said.en, words) or (_wanted(said) if singles >= 2 else 0)
    if (
        not wanted
        and (run >= len(words) or words[0] in said.en["codes"] or words[0] == "sort")
        and said.en["accounts"] & set(said.asked)
    ):
        wanted = _wanted(said)
    if wanted and words[0] in said.en["zero"] and said.en["dialled"] & set(said.asked):
        wanted = LEAST_ABROAD
    if wanted:
        return THERE if run >= wanted else MORE
    if singles < 2:
        return None
    return MAYBE_MORE if run < LEAST_SPELLED else THERE


def _spelled(said: SpokenText, letters: list[str]) -> Reading:
    name = said.words[-len(letters) - 1] if len(said.words) > len(letters) else ""
    if len(name) > 2 and name[0] == letters[0] and name[1] == letters[1]:
        return THERE if len(letters) >= len(name) else MORE
    asked = next((word for word in said.asked if len(word) > 3 and word.startswith("".join(letters[:2]))), "")
    if asked and asked.startswith("".join(letters)[: len(asked)]):
        return THERE if len(letters) >= len(asked) else MORE
    if "spell" in said.asked or "spelled" in said.words:
        return THERE if len(letters) >= LEAST_SPELLED else MAYBE_MORE
    wanted = _count_asked(said.en, said.asked) or _wanted(said) or LEAST_SPELLED
    return THERE if len(letters) >= wanted else MORE


def _count_asked(en: Vocabulary, asked: tuple[str, ...]) -> int:
    """How many signs a question says it wants ("four digits", "two letters and twenty two digits")."""
    count = 0
    for at, word in enumerate(asked[1:], 1):
        if word in en["counted"]:
            count += _COUNTS.get(asked[at - 1], 0) + (20 if asked[at - 2] == "twenty" and at > 1 else 0)
    return count


def _wanted(said: SpokenText) -> int:
    about = said.asked + said.words
    if {"sort", "account", "and"} <= set(said.asked):
        return 14
    if "flat" in said.asked:
        return 1
    return next((count for word, count in _WANTED if word in about), 0)


def _place(said: SpokenText) -> Reading | None:
    words, asked = said.words, said.asked
    if words[-1] in said.en["winds"] and said.before.isdigit():
        return MORE
    if {"version", "release"} & set(words + asked) and words[-1] in said.en["numbers"] and "dot" in words:
        return THERE
    if words.count("dot") >= 2 and words[-1] in said.en["numbers"]:
        return THERE if words.count("dot") >= 3 else MAYBE_MORE
    if "address" in words or "address" in asked or ("where" in asked and said.en["sent"] & set(asked)):
        if words[-1] in ("flat", "apartment", "house", "unit", "number"):
            return MORE
        if said.en["streets"] & set(words):
            return THERE if said.pauses else None
        numbered = any(word in said.en["numbers"] or word.isdigit() for word in words[-4:])
        return MORE if numbered else None
    if words[-1] in said.en["tens"] and ("day" in asked or "date" in asked) and "the" in words[:-1]:
        return MAYBE_MORE
    if (
        words[-1] in said.en["codes"]
        and len(words) > 1
        and words[-2] in ("order", "model", "reference", "policy", "account", "table", "phone")
        and not asked
    ):
        return MAYBE_MORE if words[0] in ("order", "model", "the", "my", "it's") else None
    return None
