"""Whether a loop still turns, from the times at which it said so. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass

BEAT_S: Final = 0.25
"""How often the loop says that it turns, and how often somebody looks, in seconds."""
LATE_S: Final = 0.5
"""Later than this is a stall."""


@dataclass(frozen=True, slots=True)
class LoopStalled:
    """The event loop is late by `late_s` seconds, and still stands still."""

    late_s: float


@dataclass(frozen=True, slots=True)
class LoopResumed:
    """The event loop turns again, after a stall of `late_s` seconds."""

    late_s: float


@dataclass(frozen=True, slots=True)
class ProcessFrozen:
    """Nothing of this process has run for `for_s` seconds: the machine slept, or the process was stopped."""

    for_s: float


class LoopBeats:
    """Tells a stalled event loop from a frozen process, by when the loop last ran and when it was last looked at.

    Args:
        now_s: seconds on a clock that only goes forward.
    """

    def __init__(self, now_s: float) -> None:
        self._beat_s = self._look_s = now_s
        self._since_s: float | None = None
        self.stalls = 0
        """Stalls so far."""
        self.stalled_s: float | None = None
        """When the newest one was noticed."""

    def begin(self, now_s: float) -> None:
        """The loop is watched from now on: what was before, such as the making of a daemon, is no stall."""
        self._beat_s = self._look_s = now_s

    def beat(self, now_s: float) -> float:
        """The loop turns; by how much it was late, in seconds."""
        late_s = max(0.0, now_s - self._beat_s - BEAT_S)
        self._beat_s = now_s
        return late_s

    def look(self, now_s: float) -> LoopStalled | LoopResumed | ProcessFrozen | None:
        """What there is to say about the loop now; each stall is told once, and once that it is over."""
        slept_s, self._look_s = now_s - self._look_s - BEAT_S, now_s
        late_s = now_s - self._beat_s - BEAT_S
        if self._since_s is not None:
            if late_s >= LATE_S:
                return None
            since_s, self._since_s = self._since_s, None
            return LoopResumed(self._beat_s - since_s)
        if slept_s >= LATE_S:  # who looks was held up like the loop
            self._beat_s = now_s
            return ProcessFrozen(slept_s)
        if late_s < LATE_S:
            return None
        self._since_s = self._beat_s + BEAT_S
        self.stalls, self.stalled_s = self.stalls + 1, now_s
        return LoopStalled(late_s)
