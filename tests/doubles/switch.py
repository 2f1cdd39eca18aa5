"""A kill switch that stops nothing: it remembers how it stands."""

from __future__ import annotations

from sulla.work.pauses import WorkPause
from sulla.work.switch import WorkSwitch


class MemorySwitch(WorkSwitch):
    """A switch that is turned by nobody but its test.

    Attributes:
        current: the pause that holds; None for none.
    """

    def __init__(self) -> None:
        self._pause: WorkPause | None = None

    async def pause(self, by: str, reason: str = "") -> WorkPause:
        """Remember the first pause."""
        self._pause = self._pause or WorkPause(1_800_000_000_000, by, reason)
        return self._pause

    async def resume(self, by: str) -> None:
        """Remember that there is none any more."""
        self._pause = None
