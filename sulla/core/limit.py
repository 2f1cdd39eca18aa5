"""What is said of a limit that stopped the work: which, where, and by how much."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass

LimitScope = Literal["run", "thread", "agent", "day"]
"""Whose limit it is: one run's, one thread's or one agent's for a day, or everybody's for a day."""

LimitUnit = Literal["calls", "tokens", "micro", "seconds", "repeats", "steps"]
"""What is counted; `micro` is money, in millionths of the currency's unit."""


@dataclass(frozen=True, slots=True)
class LimitHit:
    """A limit and how it was met, before anything went over it."""

    limit: str
    """Its name, as the outcome's reason has it behind ``limit_``."""
    scope: LimitScope
    unit: LimitUnit
    allowed: int
    used: int
    """What was used when it was looked at."""
    wanted: int = 0
    """What the next step might have used."""

    @property
    def over(self) -> int:
        """By how much the next step might have gone over it; 0 where it was met exactly."""
        return max(0, self.used + self.wanted - self.allowed)
