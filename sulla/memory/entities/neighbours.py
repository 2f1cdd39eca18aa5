"""What stands near in the graph to what was found or asked: the third way of finding notes. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from math import log
from typing import Final

from sulla.memory.entities.graph import Entity, Graph
from sulla.memory.entities.statement import MAX_NAME_WORDS, canonical

SEEDS: Final = 8
"""Notes of which the neighbours are looked for, the best ones."""

HUB: Final = 24
"""Notes that speak of an entity at most for it to say what belongs together: what stands everywhere does not."""

FAR: Final = 0.5
"""What a note counts for that speaks of an entity which is only related to one that was found."""

MOST_RELATED: Final = 8
"""Related entities of one that are looked at, the newest."""

MOST_NAMED: Final = 8
"""Entities that a question is seen to name."""


def named_in(graph: Graph, text: str) -> list[Entity]:
    """The entities that a text names, in its order; a longer name before the shorter ones in it.

    Args:
        graph: the entities.
        text: e.g. a question.
    """
    words = canonical(text).split()
    found: dict[str, Entity] = {}
    at = 0
    while at < len(words) and len(found) < MOST_NAMED:
        for end in range(min(at + MAX_NAME_WORDS, len(words)), at, -1):
            if ids := graph.by_name.get(" ".join(words[at:end])):
                found.update((one, graph.entities[one]) for one in ids)
                at = end - 1
                break
        at += 1
    return list(found.values())


def neighbours(
    graph: Graph, seeds: Sequence[str], limit: int, *, trusted_only: bool = False
) -> list[tuple[str, float]]:
    """Notes that speak of what the found ones speak of, or of what is related to that.

    Args:
        graph: the entities.
        seeds: ids of notes that were found, the best first.
        limit: how many are given at most.
        trusted_only: leave out what is known from untrusted turns alone.

    Returns:
        Ids, each with a score, the best first; those of `seeds` among them where another one leads there.
    """
    scores: dict[str, float] = defaultdict(float)
    for rank, seed in enumerate(seeds[:SEEDS]):
        weight = 1 / (1 + rank)
        for one in _entities(graph, graph.by_note.get(seed, ()), trusted_only=trusted_only):
            for source in one.sources:
                if source != seed:
                    scores[source] += weight * _rarity(one)
            related = (known.to for known in one.relations[:MOST_RELATED] if not (trusted_only and known.tainted))
            for other in _entities(graph, related, trusted_only=trusted_only):
                for source in other.sources:
                    if source != seed and source not in one.sources:
                        scores[source] += FAR * weight * _rarity(other)
    best = sorted(scores, key=lambda one: (-scores[one], one))[:limit]
    return [(one, scores[one]) for one in best]


def corrections(graph: Graph, seeds: Sequence[str], question: str) -> list[Entity]:
    """The entities of which a person has said how it is, among those that a question or found notes name.

    Args:
        graph: the entities.
        seeds: ids of notes that were found.
        question: the words.
    """
    near = chain.from_iterable(graph.by_note.get(seed, ()) for seed in seeds[:SEEDS])
    every = {one.id: one for one in (*named_in(graph, question), *(graph.entities[one] for one in near))}
    return [one for one in every.values() if any(known.by_person for known in (*one.facts, *one.relations))]


def _entities(graph: Graph, ids: Iterable[str], *, trusted_only: bool) -> list[Entity]:
    found = (graph.entities[one] for one in ids)
    return [one for one in found if len(one.sources) <= HUB and not (trusted_only and one.tainted)]


def _rarity(entity: Entity) -> float:
    return 1 / log(1 + max(2, len(entity.sources)))
