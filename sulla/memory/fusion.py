"""Several rankings of the same notes made one, and which notes are worth telling unasked. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.search.ranking import rarity
from sulla.core.search.terms import terms
from sulla.memory.note import MemoryHit, MemoryNote

RANK: Final = 60
"""How little the first ranks differ; the usual figure (Cormack, Clarke and Büttcher, SIGIR 2009)."""

SHARE: Final = 0.45
"""The part of what a question's words weigh that a note has at least to be told unasked."""

WEIGHT: Final = 0.6
"""What these words weigh together at least, as a part of what a word weighs that stands in one note alone: "thanks"
alone is in many notes, and no question."""


@dataclass(frozen=True, slots=True)
class WordSpread:
    """How usual words are among some notes."""

    notes: int
    """How many there are."""
    having: Mapping[str, int]
    """In how many of them each word stands; a word that is missing stands in none."""


def fused(rankings: Sequence[Sequence[MemoryHit]], limit: int) -> list[MemoryHit]:
    """One ranking of several (reciprocal rank fusion): scores that cannot be compared play no part, ranks do.

    Args:
        rankings: each the best first; one more is one more way of finding.
        limit: how many notes are given at most.

    Returns:
        Each note once, the best first.
    """
    if len(rankings) == 1:
        return list(rankings[0][:limit])
    scores: dict[str, float] = {}
    notes: dict[str, MemoryNote] = {}
    for ranking in rankings:
        for place, hit in enumerate(ranking):
            scores[hit.note.id] = scores.get(hit.note.id, 0.0) + 1 / (RANK + 1 + place)
            notes.setdefault(hit.note.id, hit.note)
    best = sorted(scores, key=lambda one: -scores[one])[:limit]
    return [MemoryHit(notes[one], scores[one]) for one in best]


def telling_hits(asked: Collection[str], spread: WordSpread, hits: Sequence[MemoryHit]) -> list[MemoryHit]:
    """Of notes that have words of a question those that have enough of them to be about it.

    Args:
        asked: the question's words.
        spread: how usual they are.
        hits: what was found by them.
    """
    weights = {word: rarity(spread.notes, spread.having.get(word, 0)) for word in asked}
    # A word that nobody ever said weighs as one that was said once: it is missing in all notes alike.
    most = rarity(spread.notes, 1)
    least = max(SHARE * sum(min(weight, most) for weight in weights.values()), WEIGHT * most)
    return [hit for hit in hits if sum(min(weights[w], most) for w in _common(asked, hit)) >= least]


def _common(asked: Collection[str], hit: MemoryHit) -> set[str]:
    return set(terms(hit.note.words)).intersection(asked)
