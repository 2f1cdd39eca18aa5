"""What beats may use. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.heartbeat.beats import MAX_CYCLES


@dataclass(frozen=True, slots=True)
class BeatLimits:
    """Bounds of an agent's beats; money is in millionths of the currency's unit, None for no limit."""

    cycles: int = MAX_CYCLES
    """Of one beat (seed 004 §2)."""
    wall_s: float = 3600.0
    """From the beat's start; no cycle begins after that."""
    tokens: int = 200_000
    """Of one beat."""
    day_tokens: int = 1_000_000
    month_tokens: int = 20_000_000
    cost_micro: int | None = None
    day_micro: int | None = None
    month_micro: int | None = None
    least_tokens: int = 12_000
    """A cycle with less than this could not be given one reply (8,192 tokens and what it is told), and is not begun."""
    cycle_wall_s: float = 1800.0
    """Of one cycle at work."""
    standing: int = 3
    """Beats in a row that change nothing before they come less often (design §8)."""
    quiet_s: float = 3600.0
    """How long the first pause is then, and after a failure; it doubles each time."""
    most_quiet_s: float = 86_400.0
