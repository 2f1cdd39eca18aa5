"""What fits a question best: by its words, and by its meaning where an embedding model is set."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock
from sulla.core.errors import CorruptRecord, SullaError
from sulla.core.search.terms import asked_terms
from sulla.memory.base import MemoryIndex
from sulla.memory.fusion import fused, leading, may_tell, telling_hits
from sulla.memory.metrics import BY_WORDS_ALONE
from sulla.memory.note import MemoryHit
from sulla.memory.vectors.base import LEAST
from sulla.telemetry.tally import Tally

if TYPE_CHECKING:
    from sulla.memory.entities.graph import Graph
    from sulla.memory.entities.graphs import Graphs
    from sulla.memory.vectors.search import Meanings

log = logging.getLogger(__name__)

MEANING_S: Final = 0.6
"""How long a search waits for what a question means, in seconds; then it goes by words alone. A turn waits a second for
all that it is told."""

DEPTH: Final = 24
"""Notes of each ranking that are looked at for one that has fewer: a note that two rankings have far down can be better
than one that a single ranking has first."""


class Recall:
    """Searches the notes of a home. It lives as long as the daemon.

    Args:
        index: keeps the notes.
        clock: for deadlines.
        tally: takes figures; None for nobody.
        meanings: finds by meaning; None where no embedding model is set.
        telling: the cosine from which on a note is told unasked.
        graphs: know what stands near to what is found; None where nothing is drawn from conversations.
    """

    def __init__(
        self,
        index: MemoryIndex,
        clock: Clock,
        tally: Tally | None = None,
        meanings: Meanings | None = None,
        telling: float = LEAST,
        graphs: Graphs | None = None,
    ) -> None:
        self._index = index
        self._clock = clock
        self._tally = tally
        self._meanings = meanings
        self._telling = telling
        self._graphs = graphs
        self._failing = ""

    async def find(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """What fits best, for whoever looks for it: any of the question's words is enough."""
        if self._meanings is None and self._graphs is None:
            return await self._index.search(scopes, question, limit)
        rankings = [self._index.search(scopes, question, max(limit, DEPTH))]
        if self._meanings is not None:
            rankings.append(self._near(self._meanings, scopes, question, LEAST))
        graph, found = await asyncio.gather(self._known(scopes), asyncio.gather(*rankings))
        return await self._with_neighbours(graph, found, scopes, question, limit)

    async def best(self, scopes: Sequence[str], question: str, limit: int) -> list[MemoryHit]:
        """What is worth telling unasked: only what has enough of the question's rare words, or stands out by what it
        means, and what stands near to that. Where nothing is known of it, that is nothing.
        """
        rankings = [self._worth(scopes, question)]
        if self._meanings is not None:
            rankings.append(self._near(self._meanings, scopes, question, self._telling))
        graph, found = await asyncio.gather(self._known(scopes), asyncio.gather(*rankings))
        return await self._with_neighbours(graph, found, scopes, question, limit, trusted_only=True)

    async def _known(self, scopes: Sequence[str]) -> Graph | None:
        return await self._graphs.of(scopes) if self._graphs is not None else None

    async def _with_neighbours(
        self,
        graph: Graph | None,
        rankings: Sequence[Sequence[MemoryHit]],
        scopes: Sequence[str],
        question: str,
        limit: int,
        *,
        trusted_only: bool = False,
    ) -> list[MemoryHit]:
        """One ranking of all, with what stands near in the graph to the best of them."""
        if graph is None:
            return fused(rankings, limit)
        from sulla.memory.entities.neighbours import SEEDS, corrected, neighbours, note_of, said_of

        asked = asked_terms(question)
        seeds = leading(asked, fused(rankings, SEEDS))
        near = dict(neighbours(graph, seeds, DEPTH, trusted_only=trusted_only))
        notes = [note for note in await self._index.get(list(near)) if note.scope in scopes]
        # A person's word about what the question names comes before all that was ever said of it.
        first = [MemoryHit(note_of(*one), 1.0) for one in said_of(graph, question)]
        known = {hit.note.id for hit in first}
        said = [
            hit
            for one in corrected(graph, seeds, question)
            if (hit := MemoryHit(note_of(*one), 1.0)).note.id not in known
        ]
        if trusted_only and said:
            said = telling_hits(asked, await self._index.spread(scopes, asked), said)
        rest = fused((*rankings, said, [MemoryHit(note, near[note.id]) for note in notes]), limit)
        return [*first, *(hit for hit in rest if hit.note.id not in known)][:limit]

    async def _worth(self, scopes: Sequence[str], question: str) -> list[MemoryHit]:
        asked = asked_terms(question)
        spread = await self._index.spread(scopes, asked) if asked else None
        if spread is None or not may_tell(asked, spread):
            return []
        return telling_hits(asked, spread, await self._index.search(scopes, question, DEPTH))

    async def _near(self, meanings: Meanings, scopes: Sequence[str], question: str, least: float) -> list[MemoryHit]:
        if not question.strip():
            return []
        try:
            async with self._clock.timeout(MEANING_S):
                found = await meanings.near(scopes, question, DEPTH, least)
        except TimeoutError:
            return self._without(f"no answer within {MEANING_S:g} s")
        except CorruptRecord:
            raise
        except SullaError as error:
            return self._without(error.message)
        if self._failing:
            log.info("the memory is searched by meaning again")
        self._failing = ""
        return found

    def _without(self, why: str) -> list[MemoryHit]:
        """Words have to do: say so once until meaning can be asked again."""
        if self._tally is not None:
            self._tally.count(BY_WORDS_ALONE)
        if not self._failing:
            log.warning("the memory is searched by words alone for now: %s", why)
        self._failing = why
        return []
