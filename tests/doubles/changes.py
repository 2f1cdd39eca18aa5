"""Changes of commands that wait for a person, kept in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sulla.changes.rpc import ChangesDecided, ChangesRow, ChangesRows, ChangesShown


class MemoryChanges:
    """One command has changed a file, and that waits for ever.

    Args:
        called: is told of each call.
    """

    def __init__(self, called: Callable[..., Awaitable[None]]) -> None:
        self._called = called

    async def list(self) -> ChangesRows:
        """That one."""
        await self._called("list_changes")
        return ChangesRows((ChangesRow("changes_1", "thr_1", "2027-01-15T08:00:00.000Z", "Makefile"),))

    async def show(self, changes: str) -> ChangesShown:
        """The same for each."""
        await self._called("show_changes", changes)
        return ChangesShown(changes, "thr_1", "Put it there?")

    async def keep(self, changes: str) -> ChangesDecided:
        """As if it were in the workspace now."""
        await self._called("keep_changes", changes)
        return ChangesDecided(changes, "thr_1", "It is there.")

    async def drop(self, changes: str) -> ChangesDecided:
        """As if it were gone."""
        await self._called("drop_changes", changes)
        return ChangesDecided(changes, "thr_1", "It is gone.")
