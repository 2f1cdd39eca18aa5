"""A kill switch that stops nothing: it remembers how it stands."""

from __future__ import annotations

from sulla.work import Pause


class MemorySwitch:
    """Keeps `work.SwitchOffice`.

    Attributes:
        current: the pause that holds; None for none.
    """

    def __init__(self) -> None:
        self.current: Pause | None = None

    async def pause(self, by: str, reason: str = "") -> Pause:
        """Remember the first pause."""
        self.current = self.current or Pause(1_800_000_000_000, by, reason)
        return self.current

    async def resume(self, by: str) -> None:
        """Remember that there is none any more."""
        self.current = None
