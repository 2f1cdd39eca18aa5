"""Several rankings of the same notes made one, and which notes are worth telling unasked. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.search.ranking import rarity
from sulla.core.search.terms import terms
from sulla.memory.note import MemoryHit, MemoryNote

RANK: Final = 60
"""How little the first ranks differ; the usual figure (Cormack, Clarke and Büttcher, SIGIR 2009)."""

SHARE: Final = 0.55
"""The part of what a question's words weigh that a note has at least to be told unasked."""

WEIGHT: Final = 0.6
"""What these words weigh together at least, as a part of what a word weighs that stands in one note alone: "thanks"
alone is in many notes, and no question."""

FEWEST: Final = 1_000
"""Notes that there are at least when it is said how rare a word is: in a memory of three notes a word that stands in
two of them is no usual one."""

USUAL: Final = 0.3
"""What a word counts for that stands in every second sentence of English, as a part of what it would: how usual words
are among a few hundred notes says little of how usual they are."""

_MOST_SPLIT: Final = 96
"""Notes whose words are remembered: a full one with some 20 KiB, so two MiB in all."""
USUAL_WORDS: Final = frozenset(
    "get take make go come keep say tell want need use put look find give show happen become long many much see know "
    "think let try ask call work seem feel leave run turn start begin end stop bring hold write sit stand lose pay "
    "meet include continue set learn change lead understand watch follow create speak read spend grow open walk win "
    "offer remember consider appear buy wait serve send expect stay fall reach remain live like new old good great "
    "little big high small large next early young last first own other right different able way day man thing woman "
    "life hand part place case week point number lot really still also back well even again never always often very "
    "one two three four five six seven eight nine ten any every each all some most more less now then here there "
    "down off after before until since between during without within another such same else ever name kind year "
    "month time people person must should shall may might cannot yes no ok okay hello hi hey morning evening thank "
    "sorry sure fine nice".split()
)
"""The commonest words of English beside those that are no words of a question at all, and those of small talk."""


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
    weights, least = _weighed(asked, spread)
    return [hit for hit in hits if sum(weights[word] for word in _common(asked, hit)) >= least]


def may_tell(asked: Collection[str], spread: WordSpread) -> bool:
    """Whether there can be a note that has enough of a question's words: one that has all of those that stand in any.
    For most of what people say there is none, and then nothing need be looked for.

    Args:
        asked: the question's words.
        spread: how usual they are.
    """
    weights, least = _weighed(asked, spread)
    # Sums of the same weights in another order differ in their last digits.
    return sum(weights[word] for word in asked if spread.having.get(word)) >= least * (1 - 1e-9)


def _weighed(asked: Collection[str], spread: WordSpread) -> tuple[dict[str, float], float]:
    """What each word of a question weighs, and what a note's words weigh at least for it to be told."""
    notes = max(spread.notes, FEWEST)
    # A word that nobody ever said weighs as one that was said once: it is missing in all notes alike.
    most = rarity(notes, 1)
    weights = {
        word: min(rarity(notes, spread.having.get(word, 0)), most) * (USUAL if word in USUAL_WORDS else 1.0)
        for word in asked
    }
    return weights, max(SHARE * sum(weights.values()), WEIGHT * most)


def _common(asked: Collection[str], hit: MemoryHit) -> frozenset[str]:
    return _words_in(hit.note.words).intersection(asked)


@lru_cache(maxsize=_MOST_SPLIT)
def _words_in(text: str) -> frozenset[str]:
    """A note's words. The same notes come up turn after turn, and to cut them up costs more than to find them."""
    return frozenset(terms(text))


def leading(asked: Collection[str], hits: Sequence[MemoryHit]) -> dict[str, int]:
    """The found notes that lead on to others: those that have half of the question's words, usual ones aside. What has
    fewer is likely about something else, and what belongs to that is so all the more.

    Args:
        asked: the question's words.
        hits: what was found, the best first.

    Returns:
        Ids with their rank, from 0.
    """
    telling = set(asked) - USUAL_WORDS
    return {
        hit.note.id: rank for rank, hit in enumerate(hits) if 2 * len(telling & _common(asked, hit)) >= len(telling) > 0
    }
