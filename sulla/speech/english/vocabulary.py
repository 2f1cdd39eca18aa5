"""The English words that are listed in `data/`, and what each of them can be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pkgutil import get_data
from typing import Final

from sulla.speech.english import lexicon as lex

_VALENCES: Final = {
    "need_object": lex.OBJECT,
    "stands_alone": lex.ALONE,
    "need_clause": lex.CLAUSE,
    "need_predicate": lex.PREDICATE,
    "need_preposition": lex.PREPOSITION,
    "take_to": lex.TO,
    "tell": lex.TELL,
    "give": lex.GIVE,
    "place": lex.PLACE,
    "let": lex.LET,
    "mostly_object": lex.MOSTLY,
}
_NOMINAL: Final = {
    "adjectives": lex.ADJECTIVE,
    "also_nouns": lex.ADJECTIVE | lex.NAMED,
    "nouns_too": lex.ADJECTIVE | lex.NOUN,
    "persons": lex.NOUN | lex.PERSON,
    "strongly_first": lex.NOUN | lex.FIRST_PART,
    "times": lex.TIME,
    "time_nouns": lex.NOUN | lex.TIME_NOUN,
    "nouns": lex.NOUN | lex.SURE_NOUN,
    "plurals": lex.NOUN | lex.PLURAL,
}
_ADJECTIVE_ENDINGS: Final = (
    "ous", "able", "ible", "ical", "ional", "ful", "less", "ive", "ular", "ese", "proof", "friendly", "atic", "istic",
)  # fmt: skip
_VOWELS: Final = frozenset("aeiou")
_WORDS_TOO: Final = frozenset("ill id hell shell wed shed well were its whore".split())
_NONE: Final[frozenset[str]] = frozenset()
REMEMBERED: Final = 2048
"""Words whose bits need not be looked up again; all that are listed are some 20,000."""


class Vocabulary:
    """Lists of English words by name, read from `data/` when it is made (some milliseconds); it never changes.

    Raises:
        OSError: a file is missing: the package is not installed as a whole.
        KeyError: a list names another one ("+name") that does not stand before it.
    """

    def __init__(self) -> None:
        self.irregular = {base: forms for base, *forms in map(str.split, _lines("irregular_verbs"))}
        """A verb as in "to go": as in "went", as in "gone"."""
        self.expanded = {word: (first, second) for word, first, second in map(str.split, _lines("contractions"))}
        """Contractions as the words that they are made of."""
        self.class_of = {word: name for name, text in _sections("small_words") for word in text.split()}
        """The small words by what they do in a clause."""
        self.phrases = {
            name: frozenset(tuple(phrase.split()) for phrase in text.split(",")) for name, text in _sections("phrases")
        }
        """Sequences of words."""
        self._lists: dict[str, frozenset[str]] = {}
        for file in ("verbs", "nouns", "adjectives", "rules"):
            for name, text in _sections(file):
                self._lists[name] = frozenset(word for item in text.split() for word in self._meant(item))
        self.listed = self._listed()
        """Every listed word that is no small one, in all of its forms, with its bits."""
        contracted = [word for word in (*self.expanded, *self.class_of) if "'" in word]
        self.bare = {word.replace("'", ""): word for word in contracted}
        """Contractions by how they look without their apostrophe."""
        self.never_bare = frozenset(
            bare
            for bare in self.bare
            if bare not in self.class_of and bare not in self.listed and bare not in _WORDS_TOO
        )
        """Those that are no words without it: "dont", not "were"."""
        self.bits_of = lru_cache(maxsize=REMEMBERED)(self._bits_of)
        """What a word in lower case can be; of one that is not listed, what its ending says."""

    def __getitem__(self, name: str) -> frozenset[str]:
        return self._lists[name]

    def names(self) -> Collection[str]:
        """Of all lists."""
        return self._lists.keys()

    def ended_by(self, particle: str) -> frozenset[str]:
        """Verbs behind which "on" or its like ends what is said.

        Args:
            particle: the word.
        """
        return self._lists.get(f"ended_by_{particle}", _NONE)

    def alone_with(self, particle: str) -> frozenset[str]:
        """Verbs that need no object with "up" or its like ("get up").

        Args:
            particle: the word.
        """
        return self._lists.get(f"alone_{particle}", _NONE)

    def _meant(self, item: str) -> Iterable[str]:
        """The words that an item of a list stands for."""
        if item[0] == "+":
            return self._lists[item[1:]]
        return [form for form, _ in self._forms(item[1:])] if item[0] == "~" else (item,)

    def _listed(self) -> dict[str, int]:
        valences = dict.fromkeys(self.irregular, 0)
        for name, bits in _VALENCES.items():
            for word in self[name]:
                valences[word] = valences.get(word, 0) | bits
        found: dict[str, int] = {}
        for base, valence in valences.items():
            for form, kind in self._forms(base):
                found[form] = found.get(form, lex.KNOWN) | kind | (valence or lex.ALONE)
        for name, bits in _NOMINAL.items():
            for word in self[name]:
                found[word] = found.get(word, lex.KNOWN) | bits
        return found

    def _forms(self, base: str) -> Iterator[tuple[str, int]]:
        """All forms of a verb as in "to go"."""
        irregular = self.irregular.get(base)
        stem = base + base[-1] if base in self["doubled"] else base
        yield base, lex.BASE
        if base.endswith(("s", "x", "z", "ch", "sh", "o")):
            yield base + "es", lex.PRESENT
        elif base.endswith("y") and base[-2] not in _VOWELS:
            yield base[:-1] + "ies", lex.PRESENT
        else:
            yield base + "s", lex.PRESENT
        if base.endswith("ie"):
            yield base[:-2] + "ying", lex.ING
        else:
            yield (base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye", "oe")) else stem) + "ing", lex.ING
        if irregular:
            yield irregular[0], lex.PAST
            yield irregular[1], lex.PARTICIPLE
        if not irregular or irregular[0] in self["also_regular"]:
            ending = "d" if base.endswith("e") else "ed"
            regular = base[:-1] + "ied" if base.endswith("y") and base[-2] not in _VOWELS else stem + ending
            yield regular, lex.PAST | lex.PARTICIPLE

    def _bits_of(self, word: str) -> int:
        found = self.listed.get(word)
        if found is not None:
            return found
        if word.endswith("ly") and len(word) > 4:
            return lex.TIME
        if word.endswith("ing") and len(word) > 5:
            return lex.ING | lex.ALONE
        if word.endswith("ed") and len(word) > 4:
            return lex.PAST | lex.PARTICIPLE | lex.ALONE
        if word.endswith(("er", "est")) and len(word) > 4 and self._compares(word[: -2 if word[-1] == "r" else -3]):
            return lex.ADJECTIVE
        if word.endswith(_ADJECTIVE_ENDINGS) and len(word) > 5:
            return lex.ADJECTIVE
        return lex.NOUN | lex.PLURAL if word.endswith("s") and not word.endswith(("ss", "us", "is")) else lex.NOUN

    def _compares(self, stem: str) -> bool:
        """Whether "er" or "est" behind it makes an adjective of an adjective."""
        stems = (
            stem,
            stem + "e",
            stem[:-1] + "y" if stem.endswith("i") else stem,
            stem[:-1] if stem[-2:-1] == stem[-1:] else stem,
        )
        bits = (self.listed.get(one, 0) for one in stems)
        return any(one & lex.ADJECTIVE and not one & lex.NOUN for one in bits)


def _lines(file: str) -> Iterator[str]:
    text = get_data("sulla.speech.english", f"data/{file}.txt")
    if text is None:
        raise FileNotFoundError(f"sulla/speech/english/data/{file}.txt: how Sulla was installed, no data can be read")
    return (line for line in text.decode().splitlines() if line and line[0] != "#")


def _sections(file: str) -> Iterator[tuple[str, str]]:
    """The lists of a file: each begins with its name in brackets."""
    name, text = "", list[str]()
    for line in _lines(file):
        if line[0] == "[":
            if name:
                yield name, " ".join(text)
            name, text = line[1:-1], []
        else:
            text.append(line)
    yield name, " ".join(text)
