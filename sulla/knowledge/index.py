"""Finds the sections that answer a question by their words, and says of a question when none does. Pure."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.search.ranking import rarity, weighed
from sulla.core.search.terms import asked_terms, terms
from sulla.knowledge.cutting import PIECE_CHARS
from sulla.knowledge.section import Section
from sulla.knowledge.stems import stem

HEADING: Final = 3.0
"""As how many words of the text one of the heading right above it counts."""
ABOVE: Final = 1.0
"""The same for the headings further out, and for the file's name."""
USUAL_TERMS: Final = 60.0
"""The length of a section that counts as neither long nor short, in words that count."""
FEW: Final = 100
"""Sections: with fewer of them each word's share in a question is as if there were so many; else one that stands
nowhere would count little more than one that stands somewhere."""
FIT: Final = 0.55
"""How much of a question a section has to have, each word weighed by how rare it is. Measured with the questions of
`tests/knowledge/test_corpus.py`."""

_ASKING: Final = frozenset(
    "able again allow allowed also another any anybody anyone anything come do does ever everybody everything "
    "explain find get give go going good got happen have help know let like long longer look made make many "
    "may mean might much must need often one ought possible quick quickly right say see shall should show some "
    "somebody someone something still take tell there thing try twice until use used want way whether while "
    "whose work worth".split()
)
"""Words that belong to asking, and say nothing of what is asked about."""


_Posting = tuple["array[int]", "array[float]"]
"""The sections that a word stands in, and what it counts for in each."""
_NOWHERE: Final[_Posting] = (array("I"), array("f"))


@dataclass(frozen=True, slots=True)
class IndexedSection:
    """A section and what each of its words counts for."""

    section: Section
    words: tuple[str, ...]
    weights: array[float]


@dataclass(frozen=True, slots=True)
class Passage:
    """A section that was found."""

    section: Section
    score: float
    """By BM25; higher is better."""
    fit: float
    """How much of the question it has, from 0 to 1."""


def indexed(section: Section) -> IndexedSection:
    """A section as the index wants it.

    Args:
        section: the section. Its heading counts more than its text.
    """
    headings = section.cut.headings
    counts: dict[str, float] = {}
    _count(counts, section.cut.text, 1.0)
    _count(counts, " ".join((section.file.rpartition(".")[0], *headings[:-1])), ABOVE)
    _count(counts, " ".join(headings[-1:]), HEADING)
    found = weighed(counts, USUAL_TERMS)
    return IndexedSection(section, tuple(map(sys.intern, found)), array("f", found.values()))


class KnowledgeIndex:
    """Sections by their words. It never changes.

    Args:
        sections: all of them; where two count the same the first one comes first.
    """

    def __init__(self, sections: Sequence[IndexedSection] = ()) -> None:
        self._sections = sections
        self._postings: dict[str, _Posting] = {}
        known = self._postings.get
        for number, one in enumerate(sections):
            for word, weight in zip(one.words, one.weights, strict=True):
                posting = known(word)
                if posting is None:
                    posting = self._postings[word] = (array("I"), array("f"))
                posting[0].append(number)
                posting[1].append(weight)

    def search(self, question: str, most: int, fit: float = FIT) -> Sequence[Passage]:
        """The sections that answer a question best, the best first; none where none has enough of it.

        Args:
            question: in any words.
            most: how many at the most.
            fit: how much of the question a section has to have, from 0 to 1.
        """
        asked = asked_words(question)
        shares = {
            word: rarity(max(FEW, len(self._sections)), len(self._postings.get(word, _NOWHERE)[0])) for word in asked
        }
        whole = sum(shares.values())
        scores, covered = self._added(shares)
        need = fit * whole
        found = (
            Passage(self._sections[number].section, score, covered[number] / whole)
            for number, score in scores.items()
            if covered[number] >= need
        )
        return sorted(found, key=lambda passage: -passage.score)[:most]

    def _added(self, shares: Mapping[str, float]) -> tuple[dict[int, float], dict[int, float]]:
        """What each section that has any of the words comes to, and how much of the question it has."""
        scores: dict[int, float] = {}
        covered: dict[int, float] = {}
        for word, share in shares.items():
            places, weights = self._postings.get(word, _NOWHERE)
            rare = rarity(len(self._sections), len(places))
            for number, weight in zip(places, weights, strict=True):
                scores[number] = scores.get(number, 0.0) + rare * weight
                covered[number] = covered.get(number, 0.0) + share
        return scores, covered


def asked_words(question: str) -> tuple[str, ...]:
    """The words that a question is about, each once."""
    return tuple(dict.fromkeys(stem(word) for word in asked_terms(question) if word not in _ASKING))


def _count(counts: dict[str, float], text: str, weight: float) -> None:
    for word in map(stem, terms(text, PIECE_CHARS)):
        counts[word] = counts.get(word, 0.0) + weight
