"""A daemon that is told to stop and to read its settings, and only remembers it."""

from __future__ import annotations

from sulla.gateway.methods.lifecycle import Reloaded, Stopping


class MemoryLifecycle:
    """Implements `gateway.methods.lifecycle.LifecycleService`.

    Attributes:
        told: what it was told.
    """

    def __init__(self) -> None:
        self.told: list[str] = []

    async def stop(self, *, now: bool) -> Stopping:
        """Remember it."""
        self.told.append("stop now" if now else "stop")
        return Stopping(1, 0, 0.0)

    async def reload(self) -> Reloaded:
        """Remember it."""
        self.told.append("reload")
        return Reloaded((), ())
