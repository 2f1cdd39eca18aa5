"""Notes of clients, in memory."""

from __future__ import annotations


class MemoryBookmarks:
    """Implements `gateway.Bookmarks`.

    Attributes:
        kept: what is noted, by key; a test may forget some of it.
        failure: an error to raise instead, until it is taken out again.
    """

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.failure: Exception | None = None

    async def get(self, key: str) -> str | None:
        """What was noted."""
        if self.failure is not None:
            raise self.failure
        return self.kept.get(key)

    async def put(self, key: str, value: str) -> None:
        """Note something."""
        if self.failure is not None:
            raise self.failure
        self.kept[key] = value

    async def swap(self, key: str, old: str | None, new: str) -> bool:
        """Note something, but only in the place of what is known."""
        if self.failure is not None:
            raise self.failure
        if self.kept.get(key) not in (old, new):
            return False
        self.kept[key] = new
        return True
