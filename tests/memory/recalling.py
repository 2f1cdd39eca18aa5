"""How well the memory finds what is labelled in recall_set: by words alone, by meaning alone, by both."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.host.system import SystemClock
from sulla.memory.base import MemoryIndex
from sulla.memory.entities.graphs import Graphs
from sulla.memory.entities.reading import drawn_from
from sulla.memory.note import MemoryHit, MemoryNote
from sulla.memory.recall import Recall
from sulla.memory.vectors.base import NoteVector
from sulla.memory.vectors.placing import Embed, text_of
from sulla.memory.vectors.search import Meanings
from sulla.memory.vectors.signature import normalised, pack, signature_of
from tests.memory import drawer

FOLDER: Final = Path(__file__).parent / "recall_set"
FIRST: Final = 8
"""Notes that are told of what was found."""
UNKNOWN: Final = ("nothing known", "names alone")
"""Kinds of questions that no note answers: none is about them; or some are of the same person, and of something else.
"""
Find = Callable[[str], Awaitable[list[MemoryHit]]]
_BATCH = 10


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and the notes that answer it: all of them are needed."""

    kind: str
    ask: str
    want: frozenset[str]


@dataclass(frozen=True, slots=True)
class Score:
    """How questions of one kind came out."""

    recall: float
    """The part of the wanted notes that was found; for what nobody knows, the part of questions that found nothing."""
    precision: float
    """The part of what was found that was wanted."""
    questions: int


def notes() -> list[MemoryNote]:
    """All notes of the set."""
    lines = (json.loads(line) for line in (FOLDER / "notes.jsonl").read_text().splitlines())
    return [
        MemoryNote(
            line["id"],
            line["kind"],
            "ada",
            line["text"],
            (date.fromisoformat(line["day"]) - date(1970, 1, 1)).days * 86_400_000,
            "ada",
            f"thr_{line['id']}",
            "run_1",
            line["asked"],
            tainted=False,
        )
        for line in lines
    ]


def questions(name: str = "questions") -> list[Labelled]:
    """The questions that are measured; those of ``trial`` are what figures in the code were chosen by."""
    lines = (json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines())
    return [Labelled(line["kind"], line["ask"], frozenset(line["want"])) for line in lines]


async def fill(index: MemoryIndex, embed: Embed) -> None:
    """Keep all notes, with their vectors."""
    every = notes()
    await index.add(every)
    await index.vectors.use("test:embedder")
    for start in range(0, len(every), _BATCH):
        page = every[start : start + _BATCH]
        places = [normalised(place) for place in await embed([text_of(note) for note in page])]
        vectors = [NoteVector(n, signature_of(p), pack(p)) for n, p in zip(page, places, strict=True)]
        await index.vectors.put("test:embedder", vectors)
        drawn = drawn_from(drawer.answer(page), page, {})
        await index.statements.put("ada", drawn.statements, [note.id for note in page])


def ways(index: MemoryIndex, embed: Embed, telling: float) -> dict[str, Find]:
    """What each way finds that is looked for, and what it tells unasked.

    Args:
        index: keeps the notes.
        embed: the embedder.
        telling: how near a note is with it that is told unasked.
    """

    async def place(question: str) -> Sequence[float]:
        return (await embed([question]))[0]

    scopes, clock, graphs = ["ada", ""], SystemClock(), Graphs(index.statements)
    meanings = Meanings(index.vectors, place)
    words, both = Recall(index, clock), Recall(index, clock, None, meanings, telling)
    linked, whole = Recall(index, clock, graphs=graphs), Recall(index, clock, None, meanings, telling, graphs)
    return {
        "found by words": lambda question: words.find(scopes, question, FIRST),
        "found by meaning": lambda question: meanings.near(scopes, question, FIRST),
        "found by both": lambda question: both.find(scopes, question, FIRST),
        "found, words+graph": lambda question: linked.find(scopes, question, FIRST),
        "found, both+graph": lambda question: whole.find(scopes, question, FIRST),
        "told by words": lambda question: words.best(scopes, question, FIRST),
        "told by meaning": lambda question: meanings.near(scopes, question, FIRST, telling),
        "told by both": lambda question: both.best(scopes, question, FIRST),
        "told, both+graph": lambda question: whole.best(scopes, question, FIRST),
    }


async def measured(find: Find, asked: Sequence[Labelled]) -> dict[str, Score]:
    """How each kind of question comes out."""
    found = [(one, {hit.note.id for hit in await find(one.ask)}) for one in asked]
    scores = {}
    for kind in dict.fromkeys(one.kind for one in asked):
        of = [(one, ids) for one, ids in found if one.kind == kind]
        if kind in UNKNOWN:
            scores[kind] = Score(sum(not ids for _, ids in of) / len(of), 1.0, len(of))
            continue
        right = sum(len(ids & one.want) for one, ids in of)
        told = sum(len(ids) for _, ids in of)
        recall = sum(len(ids & one.want) / len(one.want) for one, ids in of) / len(of)
        scores[kind] = Score(recall, right / told if told else 1.0, len(of))
    return scores


def table(found: Mapping[str, Mapping[str, Score]]) -> Iterator[str]:
    """The figures, for people: recall and precision of each way and kind; for what nobody knows how often it is silent.

    Args:
        found: what `measured` gave, by the way.
    """
    kinds = next(iter(found.values()))
    yield f"{'':<18}" + "".join(f"{f'{kind} ({score.questions})':>21}" for kind, score in kinds.items())
    for way, scores in found.items():
        cells = (
            f"{score.recall:.0%} silent" if kind in UNKNOWN else f"{score.recall:.0%} / {score.precision:.0%}"
            for kind, score in scores.items()
        )
        yield f"{way:<18}" + "".join(f"{cell:>21}" for cell in cells)
