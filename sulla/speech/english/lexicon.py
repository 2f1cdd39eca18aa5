"""What each English word can be: a bit for each part of speech and for what has to follow. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from sulla.speech.english import adjectives, nouns, verbs

NOUN: Final = 1 << 0
ADJECTIVE: Final = 1 << 1
BASE: Final = 1 << 2
"""A verb as in "to go"."""
PRESENT: Final = 1 << 3
"""A verb as in "she goes"."""
PAST: Final = 1 << 4
PARTICIPLE: Final = 1 << 5
ING: Final = 1 << 6
VERB: Final = BASE | PRESENT | PAST | PARTICIPLE | ING
FINITE: Final = PRESENT | PAST

OBJECT: Final = 1 << 7
ALONE: Final = 1 << 8
CLAUSE: Final = 1 << 9
PREDICATE: Final = 1 << 10
PREPOSITION: Final = 1 << 11
TO: Final = 1 << 12
TELL: Final = 1 << 13
GIVE: Final = 1 << 14
PLACE: Final = 1 << 15
LET: Final = 1 << 16

PERSON: Final = 1 << 17
TIME: Final = 1 << 18
"""Says when or where by itself."""
TIME_NOUN: Final = 1 << 19
FIRST_PART: Final = 1 << 20
"""Seldom the last word of a name that begins with an article."""
SURE_NOUN: Final = 1 << 21
NAMED: Final = 1 << 22
"""An adjective that can be the end of what is named."""
PLURAL: Final = 1 << 23
KNOWN: Final = 1 << 24
MOSTLY: Final = 1 << 25
"""A verb that can do without its object, but mostly has one."""

_VALENCES: Final = (
    (verbs.NEED_OBJECT, OBJECT),
    (verbs.STANDS_ALONE, ALONE),
    (verbs.NEED_CLAUSE, CLAUSE),
    (verbs.NEED_PREDICATE, PREDICATE),
    (verbs.NEED_PREPOSITION, PREPOSITION),
    (verbs.TAKE_TO, TO),
    (verbs.TELL, TELL),
    (verbs.GIVE, GIVE),
    (verbs.PLACE, PLACE),
    (verbs.LET, LET),
    (verbs.MOSTLY_OBJECT, MOSTLY),
)
_NOMINAL: Final = (
    (adjectives.ADJECTIVES, ADJECTIVE),
    (adjectives.ALSO_NOUNS, ADJECTIVE | NAMED),
    (adjectives.NOUNS_TOO, ADJECTIVE | NOUN),
    (nouns.PERSONS, NOUN | PERSON),
    (nouns.STRONGLY_FIRST, NOUN | FIRST_PART),
    (nouns.TIMES, TIME),
    (nouns.TIME_NOUNS, NOUN | TIME_NOUN),
    (nouns.NOUNS, NOUN | SURE_NOUN),
    (nouns.PLURALS, NOUN | PLURAL),
)
_ADJECTIVE_ENDINGS: Final = (
    "ous", "able", "ible", "ical", "ional", "ful", "less", "ive", "ular", "ese", "proof", "friendly", "atic", "istic",
)  # fmt: skip
_VOWELS: Final = frozenset("aeiou")


@cache
def _irregular() -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in verbs.IRREGULAR.split("/")}


@cache
def _doubled() -> frozenset[str]:
    return frozenset(verbs.DOUBLED.split())


def forms(bases: str) -> frozenset[str]:
    """All forms of verbs.

    Args:
        bases: as in "to go", with spaces between.
    """
    return frozenset(
        form for base in bases.split() for form, _ in _forms(base, _irregular().get(base), base in _doubled())
    )


@cache
def lexicon() -> dict[str, int]:
    """Every word that is listed, in all of its forms. Made at the first look, in a few milliseconds."""
    found: dict[str, int] = {}
    irregular = _irregular()
    valences: dict[str, int] = {}
    for words, bits in _VALENCES:
        for word in words.split():
            valences[word] = valences.get(word, 0) | bits
    for base in irregular:
        valences.setdefault(base, ALONE)
    for base, valence in valences.items():
        for form, kind in _forms(base, irregular.get(base), base in _doubled()):
            found[form] = found.get(form, KNOWN) | kind | valence
    for words, bits in _NOMINAL:
        for word in words.split():
            found[word] = found.get(word, KNOWN) | bits
    return found


def _forms(base: str, irregular: list[str] | None, is_doubled: bool) -> Iterable[tuple[str, int]]:
    stem = base + base[-1] if is_doubled else base
    yield base, BASE
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        yield base + "es", PRESENT
    elif base.endswith("y") and base[-2] not in _VOWELS:
        yield base[:-1] + "ies", PRESENT
    else:
        yield base + "s", PRESENT
    if base.endswith("ie"):
        yield base[:-2] + "ying", ING
    else:
        yield (base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye", "oe")) else stem) + "ing", ING
    if irregular:
        yield irregular[0], PAST
        yield irregular[1], PARTICIPLE
    if not irregular or irregular[0] in _ALSO_REGULAR:
        ending = "d" if base.endswith("e") else "ed"
        regular = base[:-1] + "ied" if base.endswith("y") and base[-2] not in _VOWELS else stem + ending
        yield regular, PAST | PARTICIPLE


_ALSO_REGULAR: Final = frozenset(
    "burnt dreamt leant learnt smelt spelt spilt spoilt knelt lit shone mowed proved".split()
)


@lru_cache(maxsize=2048)
def bits_of(word: str) -> int:
    """What a word can be; of one that is not listed, what its ending says.

    Args:
        word: in lower case.
    """
    found = lexicon().get(word)
    if found is not None:
        return found
    if word.endswith("ly") and len(word) > 4:
        return TIME
    if word.endswith("ing") and len(word) > 5:
        return ING | ALONE
    if word.endswith("ed") and len(word) > 4:
        return PAST | PARTICIPLE | ALONE
    if word.endswith(("er", "est")) and len(word) > 4 and _compares(word[:-2] if word.endswith("er") else word[:-3]):
        return ADJECTIVE
    if word.endswith(_ADJECTIVE_ENDINGS) and len(word) > 5:
        return ADJECTIVE
    return NOUN | PLURAL if word.endswith("s") and not word.endswith(("ss", "us", "is")) else NOUN


def _compares(stem: str) -> bool:
    """Whether "er" or "est" behind it makes an adjective of an adjective."""
    found = lexicon()
    stems = (
        stem,
        stem + "e",
        stem[:-1] + "y" if stem.endswith("i") else stem,
        stem[:-1] if stem[-2:-1] == stem[-1:] else stem,
    )
    return any(found.get(one, 0) & ADJECTIVE and not found.get(one, 0) & NOUN for one in stems)
