"""Sums up who was not let in, so that nobody can fill a disk by being refused. Pure: the time is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 1.0
"""Of one address and code there is one line in so many seconds at the most."""
ADDRESSES: Final = 64
"""Pairs of address and code that have lines of their own within the window; all others share one."""
OTHERS: Final = "others"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Admissions that were refused for one reason."""

    way: str
    address: str
    """The peer's IP address, or `OTHERS`."""
    code: str
    count: int


class Refusals:
    """Counts refusals; what is due is to be written down."""

    def __init__(self) -> None:
        self._since = 0.0
        self._counts: dict[tuple[str, str, str], int] = {}

    def add(self, way: str, address: str, code: str, now: float) -> list[Refusal]:
        """One more was refused.

        Args:
            way: by which door it came.
            address: the peer's IP address.
            code: why it was refused.
            now: seconds since some fixed point.

        Returns:
            What is due.
        """
        due = self.due(now)
        key = (way, address, code)
        if key not in self._counts and len(self._counts) >= ADDRESSES:
            key = (way, OTHERS, code)
        if not self._counts:
            self._since = now
        self._counts[key] = self._counts.get(key, 0) + 1
        return due

    def due(self, now: float) -> list[Refusal]:
        """What was counted up to the end of the last window; to be asked for now and then."""
        return self.all() if self._counts and now - self._since >= WINDOW_S else []

    def all(self) -> list[Refusal]:
        """Everything that was counted and not given out yet."""
        found = [Refusal(*key, count) for key, count in self._counts.items()]
        self._counts = {}
        return found
