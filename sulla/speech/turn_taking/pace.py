"""How long this speaker pauses in mid-turn. Pure."""

from __future__ import annotations

from sulla.speech.turn_taking.profile import PACE_KEPT, PAUSE_COUNTS_MS, SILENCE_MS, TYPICAL_PAUSE_MS


class Pace:
    """A moving mean of a speaker's pauses: those within turns, and those taken for the end of one."""

    __slots__ = ("last_ms", "mean_ms")

    def __init__(self, mean_ms: float = TYPICAL_PAUSE_MS, last_ms: int | None = None) -> None:
        self.mean_ms = mean_ms
        self.last_ms = last_ms
        """When something new was last heard."""

    @property
    def share(self) -> float:
        """The mean as a share of `TYPICAL_PAUSE_MS`."""
        return self.mean_ms / TYPICAL_PAUSE_MS

    def spoke(self, now_ms: int) -> None:
        """Something new was heard.

        Args:
            now_ms: the time in milliseconds.
        """
        self.last_ms = now_ms

    def paused_until(self, now_ms: int) -> None:
        """The speaker goes on with what they were saying.

        Args:
            now_ms: the time in milliseconds.
        """
        if self.last_ms is not None and PAUSE_COUNTS_MS <= (pause_ms := now_ms - self.last_ms) <= SILENCE_MS:
            self.mean_ms = PACE_KEPT * self.mean_ms + (1 - PACE_KEPT) * pause_ms
