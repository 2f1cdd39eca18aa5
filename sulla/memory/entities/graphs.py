"""The graphs of a home's memories, as they are by now: read once, and read on where something was added."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from sulla.memory.entities.base import Revision, StatementStore
from sulla.memory.entities.graph import Graph, graph_of
from sulla.memory.entities.statement import Statement

MOST_HELD: Final = 40_000
"""Statements that stand in memory, of all memories together; the one that was asked longest ago makes room."""

_PAGE: Final = 1_000


class Graphs:
    """Folds statements to graphs and keeps these while nothing changes. It lives as long as the daemon.

    Args:
        store: keeps the statements.
    """

    def __init__(self, store: StatementStore) -> None:
        self.store = store
        """Keeps the statements."""
        self._read: dict[str, tuple[Revision, list[Statement]]] = {}
        self._folded: dict[tuple[str, ...], tuple[tuple[Revision, ...], Graph]] = {}
        self._turn = asyncio.Lock()

    async def of(self, scopes: Sequence[str]) -> Graph:
        """The graph of some memories together, as they are now: nothing of what was removed is in it.

        Args:
            scopes: whose memories.

        Raises:
            StoreUnavailable: the statements cannot be read.
            CorruptRecord: one is none.
        """
        async with self._turn:
            now = [await self._read_on(scope) for scope in scopes]
            key, revisions = tuple(scopes), tuple(revision for revision, _ in now)
            held = self._folded.pop(key, None)
            if held is None or held[0] != revisions:
                every = [one for _, statements in now for one in statements]
                held = (revisions, await asyncio.to_thread(graph_of, every) if every else Graph())
            self._folded[key] = held  # behind all others: it is asked now
            self._make_room(key)
            return held[1]

    async def _read_on(self, scope: str) -> tuple[Revision, list[Statement]]:
        now = await self.store.revision(scope)
        before, statements = self._read.pop(scope, (Revision(0, now.removed), []))
        if before.removed != now.removed or before.last > now.last:
            before, statements = Revision(0, now.removed), []
        last = before.last
        while last < now.last:
            page = await self.store.since(scope, last, _PAGE)
            statements = [*statements, *(one.statement for one in page)]
            last = page[-1].seq if page else now.last
        # Of what was removed while it was read the next look says so: the revision is from before.
        self._read[scope] = (Revision(last, now.removed), statements)
        return self._read[scope]

    def _make_room(self, key: tuple[str, ...]) -> None:
        while sum(len(statements) for _, statements in self._read.values()) > MOST_HELD:
            other = next((scope for scope in self._read if scope not in key), None)
            if other is None:
                break
            del self._read[other]
            self._folded = {scopes: held for scopes, held in self._folded.items() if other not in scopes}
