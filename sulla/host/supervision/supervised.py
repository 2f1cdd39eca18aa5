"""What a service manager has said to the process that it started, and how it is answered. Pure."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.dataclass import dataclass

READY = "READY=1"
"""The daemon answers."""
STOPPING = "STOPPING=1"
"""It was told to stop, and takes no more work."""
ALIVE = "WATCHDOG=1"
"""Its event loop turns."""


@dataclass(frozen=True, slots=True)
class Supervised:
    """A process that a service manager looks after; as it is here, one that nobody does."""

    tell: Callable[[str], None] = lambda state: None
    """Takes `READY` and the like."""
    watchdog_s: float = 0.0
    """How long the manager waits for `ALIVE` before it kills the process; 0 if it does not."""
    listening: int | None = None
    """The descriptor of a socket that listens already; None if the process has to make its own."""
