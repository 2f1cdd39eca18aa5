"""What goes wrong on the way to a fake service, and how fast it was spoken to: the same for all fakes."""

from __future__ import annotations

from sulla.channels.base import Place
from sulla.core.clock import Clock


class Network:
    """It lives as long as its fake.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_s: dict[str, float] = {}
        self._refused, self._rest_s, self._lost = 0, 0.0, 0
        self._crowded = ""
        """The place to which sends come too fast, by its id; empty where it is all together."""
        self.gone = False
        """Whether nothing gets through."""
        self.fastest_s = float("inf")
        """See `wire.Wire`."""

    def refuse(self, sends: int, retry_after_s: float, place: str = "") -> None:
        """The next so many sends come too fast; with a place, those to it."""
        self._refused, self._rest_s, self._crowded = sends, retry_after_s, place

    def refuses(self, place: str = "") -> float | None:
        """After how many seconds a send that comes now to a place may be made again; None where it is taken."""
        if self._refused <= 0 or self._crowded not in ("", place):
            return None
        self._refused -= 1
        return self._rest_s

    @property
    def scope(self) -> str:
        """What a refusal is for, as Discord says it."""
        return "user" if self._crowded else "global"

    def lose(self, answers: int) -> None:
        """The next so many sends arrive without an answer."""
        self._lost = answers

    def loses(self) -> bool:
        """Whether the answer to a send that was taken now gets lost."""
        if self._lost <= 0:
            return False
        self._lost -= 1
        return True

    def paced(self, place: str) -> None:
        """Something is sent to a place, or edited there."""
        now_s = self._clock.elapsed()
        if place in self._last_s:
            self.fastest_s = min(self.fastest_s, now_s - self._last_s[place])
        self._last_s[place] = now_s


class Crowded:
    """Keeps the part of `wire.CrowdedWire` that is its own, for fakes whose network is a `Network`."""

    _network: Network

    def crowd(self, place: Place, sends: int, retry_after_s: float) -> None:
        """See `wire.CrowdedWire`."""
        self._network.refuse(sends, retry_after_s, place.id)
