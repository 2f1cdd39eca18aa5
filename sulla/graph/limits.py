"""Limits of a run that are always on, as pure arithmetic. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput

LimitName = Literal["max_repeat", "max_steps", "wall_s", "tokens"]


@dataclass(frozen=True, slots=True)
class LimitReason:
    """A limit that is used up."""

    limit: LimitName
    allowed: float
    used: float

    @property
    def by(self) -> float:
        """How much more was used than allowed; 0 where the limit was met exactly."""
        return self.used - self.allowed

    def __str__(self) -> str:
        return f"{self.limit}: {self.used:.9g} used of {self.allowed:.9g}"


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """How much one run may use. A figure that is used up stops the run before its next node.

    Raises:
        InvalidInput: a limit is negative or not a number. 0 is allowed: nothing may run.
    """

    max_steps: int = 1_000
    """Executions of nodes (the original's `maxIterations`). Far above what 50 model calls (design §4) can need."""
    wall_s: float = 1_800.0
    """Seconds on the wall: 30 minutes (design §4)."""
    tokens: int = 500_000
    """Tokens of all model calls together (design §4)."""

    def __post_init__(self) -> None:
        for name, value in (("max_steps", self.max_steps), ("wall_s", self.wall_s), ("tokens", self.tokens)):
            if not value >= 0:  # not `value < 0`: a NaN has to fail too
                raise InvalidInput(f"limit {name!r} is {value!r}; expected a number of at least 0")

    def check(self, steps: int, elapsed_s: float, tokens: int) -> LimitReason | None:
        """The first limit that is used up, or None. For the engine's step border and for nodes that loop by themselves.

        Args:
            steps: nodes executed so far.
            elapsed_s: seconds since the run began.
            tokens: tokens used so far.
        """
        if steps >= self.max_steps:
            return LimitReason("max_steps", self.max_steps, steps)
        if elapsed_s >= self.wall_s:
            return LimitReason("wall_s", self.wall_s, elapsed_s)
        if tokens >= self.tokens:
            return LimitReason("tokens", self.tokens, tokens)
        return None


@dataclass(frozen=True, slots=True)
class RunMeter:
    """What a run has used before this walk, and what the engine cannot count itself: tokens and time."""

    elapsed_s: float = 0.0
    """Seconds that the run took before this walk began: a resumed run does not start its time anew."""
    tokens: Callable[[], int] | None = None
    """Tells the tokens used so far; asked at every step border, so it must be cheap. None where nothing uses tokens."""
