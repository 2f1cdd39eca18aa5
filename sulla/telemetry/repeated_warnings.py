"""Keeps one place of the code from filling the log. Pure: the time is told.

Some warnings are written whenever somebody knocks who may not come in. Whoever knocks a thousand times a second would
push everything else out of a log that keeps so many bytes, and fill the disk of whoever keeps all of standard error.
"""

from __future__ import annotations

from typing import Final

MOST: Final = 20
"""Warnings of one place within the window."""
WINDOW_S: Final = 10.0

Place = tuple[str, int]
"""A file of the code, and the line in it: there are only so many."""


class WarningCounter:
    """Limits repeated warnings: counts those of each line of code, and says which of them are too many."""

    def __init__(self) -> None:
        self._windows: dict[Place, tuple[float, int]] = {}

    def over(self, place: Place, now: float) -> bool:
        """One more is to be written; whether it is one too many.

        Args:
            place: whose it is.
            now: seconds since some fixed point.
        """
        since, count = self._windows.get(place, (now, 0))
        if not 0.0 <= now - since < WINDOW_S:
            since, count = now, 0
        self._windows[place] = since, count + 1
        return count >= MOST
