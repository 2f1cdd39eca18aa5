"""What stands near in the graph to what was found or asked: the third way of finding notes. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from sulla.memory.entities.graph import Entity, Graph, Known
from sulla.memory.entities.statement import MAX_NAME_WORDS, spelled
from sulla.memory.note import MemoryNote

SEEDS: Final = 8
"""Notes of which the neighbours are looked for, the best ones."""

HUB: Final = 24
"""Notes that speak of an entity at most for it to say what belongs together: what stands everywhere does not."""

FAR: Final = 0.5
"""What a note counts for that speaks of an entity which is only related to one that was found."""

CLOSE: Final = 0.45
"""The score that a neighbour has at least: it shares with the best note an entity of which two notes speak, or with the
next ones several. Chosen by tests/memory/recall_set: with less, what is found besides is pushed out."""

MOST_RELATED: Final = 8
"""Related entities of one that are looked at, the newest."""

MOST_CORRECTED: Final = 4
"""Corrections that are found with one question."""

PERSONS_WORD: Final = "a person says so: it counts for more than what was said before"

MOST_NAMED: Final = 8
"""Entities that a question is seen to name."""


def named_in(graph: Graph, text: str, most: int = MOST_NAMED) -> list[Entity]:
    """The entities that a text names, in its order; a longer name before the shorter ones in it.

    Args:
        graph: the entities.
        text: e.g. a question.
        most: how many are given at most.
    """
    words = spelled(text)
    found: dict[str, Entity] = {}
    at = 0
    while at < len(words) and len(found) < most:
        for end in range(min(at + MAX_NAME_WORDS, len(words)), at, -1):
            if ids := graph.by_name.get(" ".join(words[at:end])):
                found.update((one, graph.entities[one]) for one in ids)
                at = end - 1
                break
        at += 1
    return list(found.values())[:most]


def neighbours(
    graph: Graph, seeds: Mapping[str, int], limit: int, *, trusted_only: bool = False
) -> list[tuple[str, float]]:
    """Notes that speak of what the found ones speak of, or of what is related to that.

    Args:
        graph: the entities.
        seeds: ids of notes that were found, with their rank, from 0.
        limit: how many are given at most.
        trusted_only: leave out what is known from untrusted turns alone.

    Returns:
        Ids, each with a score, the best first; those of `seeds` among them where another one leads there.
    """
    scores: dict[str, float] = defaultdict(float)
    for seed, rank in seeds.items():
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
    near = (one for one, score in scores.items() if score >= CLOSE)
    best = sorted(near, key=lambda one: (-scores[one], one))[:limit]
    return [(one, scores[one]) for one in best]


def corrected(graph: Graph, seeds: Iterable[str], question: str) -> list[tuple[Entity, Known]]:
    """What a person said of the entities that a question or found notes name, `MOST_CORRECTED` at the most.

    Args:
        graph: the entities.
        seeds: ids of notes that were found.
        question: the words.
    """
    near = chain.from_iterable(graph.by_note.get(seed, ()) for seed in seeds)
    every = {one.id: one for one in (*named_in(graph, question), *(graph.entities[one] for one in near))}
    return [(one, known) for one in every.values() for known in one.corrections][:MOST_CORRECTED]


def said_of(graph: Graph, question: str) -> list[tuple[Entity, Known]]:
    """What a person said of the entities that a question names, and what they said with its words: what the question
    speaks of first, `MOST_CORRECTED` at the most.

    Args:
        graph: the entities.
        question: the words.
    """
    words = frozenset(spelled(question))
    names = {one.id for one in named_in(graph, question)}
    found: list[tuple[int, Entity, Known]] = []
    for one, known in graph.by_person:
        value = frozenset(spelled(known.value))
        if one.id in names or (value and value <= words):
            found.append((len(words & {*value, *spelled(known.what)}), one, known))
    found.sort(key=lambda row: -row[0])
    return [(one, known) for _, one, known in found[:MOST_CORRECTED]]


def note_of(entity: Entity, known: Known) -> MemoryNote:
    """What a person said of an entity as a note, so that it is told like one."""
    said = next(one for one in known.said if one.by_person)
    text = (
        f"{entity.name}, {known.what}: {known.value} (a person says so: it counts for more than what was said before)"
    )
    return MemoryNote(
        said.id, "fact", said.scope, text, said.at_ms, said.scope or "sulla", "", "", tainted=said.tainted
    )


def _entities(graph: Graph, ids: Iterable[str], *, trusted_only: bool) -> list[Entity]:
    found = (graph.entities[one] for one in ids)
    return [one for one in found if len(one.sources) <= HUB and not (trusted_only and one.tainted)]


def _rarity(entity: Entity) -> float:
    return 1 / max(1, len(entity.sources))
