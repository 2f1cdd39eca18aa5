"""Who waits for how long: what clients asked for, when they heard of it, and when they had it. Pure: time is given."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Had:
    """A client asked for something and had it, in seconds of the drill."""

    begun_s: float
    ended_s: float


@dataclass(slots=True)
class _Waiting:
    begun_s: float
    heard_s: float


class Served:
    """What every client waits for and has had; it lives as long as the drill.

    Args:
        now: the time, in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._waiting: dict[str, _Waiting] = {}
        self._had: defaultdict[str, list[Had]] = defaultdict(list)
        self.silence_s = 0.0
        """The longest that anybody who waited heard nothing."""
        self.silent = ""
        """Who that was, and when."""

    def asks(self, client: str) -> None:
        """A client asks for something, and waits."""
        self._waiting[client] = _Waiting(self._now(), self._now())

    def hears(self, client: str) -> None:
        """Something of it has come."""
        waiting, now_s = self._waiting[client], self._now()
        if now_s - waiting.heard_s > self.silence_s:
            self.silence_s = now_s - waiting.heard_s
            self.silent = f"{client}, from {waiting.heard_s:.1f} s on"
        waiting.heard_s = now_s

    def has(self, client: str) -> None:
        """It has all of it."""
        self.hears(client)
        self._had[client].append(Had(self._waiting.pop(client).begun_s, self._now()))

    def waits(self) -> dict[str, float]:
        """Who waits, and since when."""
        return {client: waiting.begun_s for client, waiting in self._waiting.items()}

    def hungry(self, clients: list[str], since_s: float) -> list[str]:
        """Those who have had nothing yet that they asked for since a moment."""
        return [client for client in clients if not any(had.begun_s >= since_s for had in self._had[client])]

    def back_s(self, clients: list[str], since_s: float) -> float:
        """How long after a moment everybody had had something that they asked for after it."""
        firsts = [next(had.ended_s for had in self._had[one] if had.begun_s >= since_s) for one in clients]
        return max(firsts) - since_s

    @property
    def count(self) -> int:
        """How much was had."""
        return sum(map(len, self._had.values()))

    @property
    def median_s(self) -> float:
        """How long they waited for it."""
        return statistics.median(had.ended_s - had.begun_s for all_of in self._had.values() for had in all_of)
