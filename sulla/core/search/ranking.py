"""BM25, split into what is known when a text is added and what is known when somebody asks. Pure.

FTS5 does all of it itself. For whatever else is searched a posting carries the text's part (`impact`), and the
question's part (`rarity`) weighs it; so a search adds up postings and reads no text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Final

from sulla.core.search.terms import terms

_K1, _B = 1.2, 0.75
"""The usual ones, and FTS5's."""

USUAL_TERMS: Final = 60
"""The length of a note that counts as neither long nor short, in words. The average of what is there would change with
each note; as notes are bounded, a fixed one costs little."""

MOST_MATCHES: Final = 2_000
"""Notes that one search looks at: what bounds its time."""


def impacts(text: str) -> dict[str, float]:
    """What each word of a note counts for."""
    return weighed(Counter(terms(text)), USUAL_TERMS)


def weighed(counts: Mapping[str, float], usual: float) -> dict[str, float]:
    """What each word of a text counts for.

    Args:
        counts: how often each stands there; what stands in a prominent place may count as more than once.
        usual: the length of a text that counts as neither long nor short, in words.
    """
    length = sum(counts.values())
    return {
        term: round(count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / usual)), 4)
        for term, count in counts.items()
    }


def rarity(notes: int, having: int) -> float:
    """What a word of a question counts for.

    Args:
        notes: how many there are.
        having: how many of them have the word.
    """
    return log(1 + (max(notes, having) - having + 0.5) / (having + 0.5))


def telling(asked: Sequence[str], having: Mapping[str, int]) -> list[str]:
    """The words that a search goes by: the rarest, until they stand in `MOST_MATCHES` notes together.

    A word that stands in very many notes says little about which of them is meant, and costs most.

    Args:
        asked: the words of the question.
        having: how many notes have each; a word that is missing stands in none.

    Returns:
        The rarest first; at least one if any of them stands anywhere.
    """
    known = sorted((term for term in asked if having.get(term)), key=lambda term: having[term])
    chosen: list[str] = []
    matches = 0
    for term in known:
        matches += having[term]
        if chosen and matches > MOST_MATCHES:
            break
        chosen.append(term)
    return chosen
