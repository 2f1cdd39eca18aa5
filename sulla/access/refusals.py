"""Sums up what comes too often for a line each: what was refused, so that nobody can fill a disk by being refused, and
what a client does many times a second. Pure: the time is told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass

WINDOW_S: Final = 1.0
"""How long, in seconds, one line stands for all refusals of the same address and code."""
ADDRESSES: Final = 64
"""Kinds of refusals that have lines of their own by address within the window; the addresses of others share one."""
OTHERS: Final = "others"


@dataclass(frozen=True, slots=True)
class RefusedAccess:
    """Admissions that were refused for one reason; or requests, to one that was let in."""

    way: str
    address: str
    """The peer's IP address, or `OTHERS`."""
    code: str
    count: int
    token: str = ""
    """The name of the token that a request came with."""
    token_id: str = ""
    method: str = "admission"
    thread_id: str = ""
    """What the requests were about, if they were not refused."""


class RefusalCounter:
    """Counts refusals; what is due is to be written down.

    Args:
        window_s: how long they are counted for one line.
    """

    def __init__(self, window_s: float = WINDOW_S) -> None:
        self._window_s = window_s
        self._since = 0.0
        self._counts: dict[RefusedAccess, int] = {}

    def add(self, one: RefusedAccess, now: float) -> list[RefusedAccess]:
        """Some more were refused.

        Args:
            one: they.
            now: seconds since some fixed point.

        Returns:
            What is due.
        """
        due = self.due(now)
        key = replace(one, count=0)
        if key not in self._counts and len(self._counts) >= ADDRESSES:
            key = replace(key, address=OTHERS, thread_id="")
        if not self._counts:
            self._since = now
        self._counts[key] = self._counts.get(key, 0) + one.count
        return due

    def due(self, now: float) -> list[RefusedAccess]:
        """What was counted up to the end of the last window; to be asked for now and then."""
        return self.all() if self._counts and now - self._since >= self._window_s else []

    def all(self) -> list[RefusedAccess]:
        """Everything that was counted and not given out yet."""
        found = [replace(key, count=count) for key, count in self._counts.items()]
        self._counts = {}
        return found
