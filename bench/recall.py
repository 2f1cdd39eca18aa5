"""Recall: how many of the labelled notes are found by words, by meaning and by both, and how often nothing is told of
what nobody knows (tests/memory/recall_set).

The embedder is the tests' own, of hashes and a small thesaurus. With SULLA_BENCH_EMBED set, e.g. to
``ollama:nomic-embed-text``, a real one is asked: Ollama at OLLAMA_HOST, or a server that speaks OpenAI's API at
OPENAI_BASE_URL with OPENAI_API_KEY.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from bench.frame import Frame, Row
from sulla.host.system import SystemClock, random_id
from sulla.memory.vectors.placing import Embed
from sulla.memory.vectors.traits import traits_of
from sulla.models.base import Embedder
from sulla.models.catalog import parse_model
from sulla.models.ollama.provider import OllamaProvider
from sulla.models.openai.provider import BASE_URL, OpenAiProvider
from tests.memory import embedder, recalling
from tests.memory.world import make_index

NAME = "recall"

VARIABLE = "SULLA_BENCH_EMBED"
MORE = 0.15
SILENT = 0.95


def run(frame: Frame) -> list[Row]:
    """Measure."""
    return asyncio.run(_measure())


async def _measure() -> list[Row]:
    index = make_index()
    await index.open()
    embed, telling = _embedder()
    await recalling.fill(index, embed)
    found = {
        way: await recalling.measured(find, recalling.questions())
        for way, find in recalling.ways(index, embed, telling).items()
    }
    await index.close()
    more = found["found by both"]["other words"].recall - found["found by words"]["other words"].recall
    rows = []
    for way, scores in found.items():
        for kind, score in scores.items():
            said = "silent" if kind in recalling.UNKNOWN else "recall@8"
            silent_enough = (way, kind) != ("told by both", "nothing known") or score.recall >= SILENT
            better = (way, kind) != ("found by both", "other words") or more >= MORE
            rows.append(Row(f"{way}, {kind}, {said}", 100 * score.recall, "%", ok=silent_enough and better))
            if kind not in recalling.UNKNOWN:
                rows.append(Row(f"{way}, {kind}, precision", 100 * score.precision, "%"))
    return rows


def _embedder() -> tuple[Embed, float]:
    named = os.environ.get(VARIABLE, "")
    if not named:
        return embedder.embed, embedder.TELLING
    model, clock = parse_model(named, ("ollama", "openai")), SystemClock()
    traits = traits_of(model.model)
    provider: Embedder
    if model.provider == "ollama":
        provider = OllamaProvider(os.environ.get("OLLAMA_HOST", ""), clock, random_id)
    else:
        address = os.environ.get("OPENAI_BASE_URL") or BASE_URL
        provider = OpenAiProvider(os.environ.get("OPENAI_API_KEY", ""), clock, random_id, base_url=address)
    questions = {one.ask for one in recalling.questions()}

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        said = [(traits.question if text in questions else traits.note) + text for text in texts]
        return await provider.embed(model.model, said)

    return embed, traits.telling
