"""How fast is sent: within a service's rates, in all and to each place, and not at all while it wants rest. Pure."""

from __future__ import annotations

from typing import Final

from sulla.channels.base import Manners

BURST: Final = 3.0
"""So many sends to one service may come at once, after a while without any."""
MOST_PLACES: Final = 4_096
"""Places of which it is remembered when they were sent something last."""


class Pace:
    """Says when the next thing may be sent. It lives as long as its channel is open.

    Args:
        manners: the service's.
    """

    def __init__(self, manners: Manners) -> None:
        self._manners = manners
        self._free = BURST
        self._at_s: float | None = None
        self._rest_s = 0.0
        self._places: dict[str, float] = {}
        """From when on each place may be sent something again."""

    def wait_s(self, place: str, now_s: float) -> float:
        """How long to wait before something is sent to a place; 0 for not at all.

        Args:
            place: where to.
            now_s: by `Clock.elapsed`.
        """
        self._refill(now_s)
        own = 0.0 if self._free >= 1 else (1 - self._free) / self._manners.sends_per_s
        return max(0.0, own, self._rest_s - now_s, self._places.get(place, 0.0) - now_s)

    def took(self, place: str, now_s: float) -> None:
        """Something is sent now."""
        self._refill(now_s)
        self._free -= 1  # below zero where several waited: each then waits for its own
        self._places.pop(place, None)
        self._places[place] = now_s + 1 / self._manners.place_sends_per_s
        while len(self._places) > MOST_PLACES:
            self._places.pop(next(iter(self._places)))

    def rest(self, seconds: float, now_s: float) -> None:
        """The service wants nothing for a while."""
        self._rest_s = max(self._rest_s, now_s + seconds)

    def edit_s(self) -> float:
        """How long at least lies between two edits of one message; 0 where none are made."""
        rate = self._manners.edits_per_s
        return 1 / min(rate, self._manners.place_sends_per_s) if rate else 0.0

    def _refill(self, now_s: float) -> None:
        if self._at_s is not None:
            self._free = min(BURST, self._free + (now_s - self._at_s) * self._manners.sends_per_s)
        self._at_s = now_s
