"""Finds the notes whose meaning is nearest to a question's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from heapq import nlargest
from typing import Final, ParamSpec, TypeVar

from sulla.memory.note import MemoryHit
from sulla.memory.vectors.base import LEAST, Placed, VectorStore
from sulla.memory.vectors.index import Near
from sulla.memory.vectors.signature import normalised, signature_of, width_of
from sulla.memory.vectors.ways import Signatures, Way, load_way

P = ParamSpec("P")
T = TypeVar("T")

CANDIDATES: Final = 64
"""Notes whose exact vectors are looked at, those with the nearest signatures; of vectors of more than 768 numbers
fewer, so that the look takes no longer."""

CERTAIN: Final = 0.8
"""The cosine from which on it is, however many others are as near: all notes may be about one thing."""

MOST_SIGNATURES: Final = 160_000
"""Signatures that are held, of all scopes together: 16 MiB. The scope that was asked longest ago makes room, and is
read again when it is asked."""

_PAGE: Final = 5_000
_TRIES: Final = 3
"""Looks at a scope until few of the nearest notes are gone: each one leaves out those that it found gone."""
_STALE: Final = 4_096
"""Signatures beyond a quarter of a scope's after which it is read anew: so many may be of notes that are gone."""


class Meanings:
    """Finds notes by what they mean. The signatures of the scopes that are asked stand in memory, and are read on
    before each search; they may be of notes that are gone, which are left out when their vectors are asked for.

    Args:
        vectors: keeps the notes' vectors.
        place: gives a question's place in the model's space.
        load: gives the way to compare, at the first search; in a thread, because it may load a library.
    """

    def __init__(
        self,
        vectors: VectorStore,
        place: Callable[[str], Awaitable[Sequence[float]]],
        load: Callable[[], Way] = load_way,
    ) -> None:
        self._vectors = vectors
        self._place = place
        self._load = load
        self._way: Way | None = None
        self._indexes: dict[str, Signatures] = {}
        self._full: dict[str, int] = {}
        self._turn = asyncio.Lock()

    async def near(self, scopes: Sequence[str], question: str, limit: int, least: float = LEAST) -> list[MemoryHit]:
        """The notes that stand out as near to a question, the nearest first; a hit's score is its cosine.

        Args:
            scopes: whose notes may be found.
            question: in any words.
            limit: how many are given at most.
            least: the cosine that they have at least.

        Raises:
            ProviderError: the model's service gives no place for the question.
            LimitReached: the day has no room for asking it.
            StoreUnavailable: the vectors cannot be read.
        """
        vector = normalised(await self._place(question))
        async with self._turn:
            if self._way is None:
                self._way = await asyncio.to_thread(self._load)
            found = [hit for scope in scopes for hit in await self._in_scope(self._way, scope, vector, limit, least)]
        return sorted(found, key=lambda hit: -hit.score)[:limit]

    @property
    def held(self) -> int:
        """Signatures that stand in memory."""
        return sum(map(len, self._indexes.values()))

    async def _in_scope(
        self, way: Way, scope: str, vector: Sequence[float], limit: int, least: float
    ) -> list[MemoryHit]:
        signature = signature_of(vector)
        most = max(limit, CANDIDATES * 768 // max(768, len(vector)))
        found: list[MemoryHit] = []
        for _ in range(_TRIES):
            index = await self._read_on(way, scope, width_of(len(vector)))
            if not len(index):
                return []
            near = await _done(way, index.near, signature, most)
            placed = await self._vectors.placed(scope, near.seqs)
            found = await _done(way, _outstanding, way, near, placed, vector, limit, least)
            gone = set(near.seqs) - {one.seq for one in placed}
            if gone:
                await _done(way, index.drop, gone)
            if len(found) >= limit or 2 * len(gone) < len(near.seqs):
                break
        return found

    async def _read_on(self, way: Way, scope: str, width: int) -> Signatures:
        index = self._indexes.pop(scope, None)
        if index is None or index.width != width or 4 * len(index) > 5 * self._full[scope] + 4 * _STALE:
            index = way.make(width)
        self._indexes[scope] = index  # behind all others: it is asked now
        fresh = not len(index)
        while page := await self._vectors.signed(scope, index.last, _PAGE):
            fitting = [one for one in page if len(one.signature) == width]
            await asyncio.to_thread(index.add, fitting)
            index.last = page[-1].seq
            if len(page) < _PAGE:
                break
        if fresh:
            self._full[scope] = len(index)
        while self.held > MOST_SIGNATURES and len(self._indexes) > 1:
            first = next(iter(self._indexes))
            del self._indexes[first], self._full[first]
        return index


async def _done(way: Way, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    if way.is_quick:
        return work(*args, **named)
    return await asyncio.to_thread(work, *args, **named)


def _outstanding(
    way: Way, near: Near, placed: Sequence[Placed], vector: Sequence[float], limit: int, least: float
) -> list[MemoryHit]:
    floor = max(min(near.floor, CERTAIN), least)
    fitting = [one for one in placed if len(one.packed) == 2 * len(vector)]
    scored = zip(way.cosines(vector, [one.packed for one in fitting]), fitting, strict=True)
    best = nlargest(limit, ((score, one.seq, one) for score, one in scored if score >= floor))
    return [MemoryHit(one.note, score) for score, _, one in best]
