"""Whether the daemon is there, as whoever sits in a talk is told it."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.clock import Clock
from sulla.terminal.follow import BACK, LOST


class Link:
    """Says once that the daemon went away and once that it is back, whichever connection notices it first. It lives as
    long as the talk.

    Args:
        clock: since when it is away.
        note: tells the person something.
    """

    def __init__(self, clock: Clock, note: Callable[[str], None]) -> None:
        self._clock = clock
        self.note = note
        self.away_since_s: float | None = None
        """Since when it is away; None while it is there."""

    def lost(self) -> None:
        """A connection broke, or there is none to be had."""
        if self.away_since_s is None:
            self.away_since_s = self._clock.elapsed()
            self.note(LOST)

    def back(self) -> None:
        """It has answered."""
        if self.away_since_s is not None:
            self.away_since_s = None
            self.note(BACK)
