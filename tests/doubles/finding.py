"""What finds conversations again, kept in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from sulla.finding.rpc import FoundRow, RecentRow, Recents, ThreadFound
from sulla.finding.title import Kind

_AT_MS = 1_800_000_000_000


class MemoryFinding:
    """There is one conversation, and every word fits it.

    Args:
        called: is told of each call.
        known: refuses a conversation that is not there.
    """

    def __init__(self, called: Callable[..., Awaitable[None]], known: Callable[[str], object]) -> None:
        self._called = called
        self._known = known

    async def recent(self, kinds: Collection[Kind], after: str | None, limit: int) -> Recents:
        """That one."""
        await self._called("recent", tuple(kinds), after, limit)
        return Recents((_row("Trip to Rome"),), None)

    async def search(self, words: str, kinds: Collection[Kind], limit: int) -> ThreadFound:
        """It fits."""
        await self._called("search", words, tuple(kinds), limit)
        return ThreadFound((FoundRow(_row("Trip to Rome"), _AT_MS, "asked", "said", False),), False, "words")

    async def rename(self, thread_id: str, title: str, request_id: str | None, by: str) -> RecentRow:
        """It is called so in this answer."""
        await self._called("rename", thread_id, title, request_id, by)
        self._known(thread_id)
        return _row(title)

    async def resolve(self, begins: str) -> str:
        """What was asked for."""
        await self._called("resolve", begins)
        self._known(begins)
        return begins


def _row(title: str) -> RecentRow:
    return RecentRow("thr_1", title, "person", "Find me a train", "chat", "sulla", "idle", 7, _AT_MS, _AT_MS, 0, False)
