"""What happens on the way from chunks to turns. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from sulla.core.dataclass import dataclass

EndReason = Literal["final", "complete", "silence", "max_time", "max_length", "forced"]
"""Why: the recognizer closed it, it read as complete, silence, 15 s, its length, or somebody asked for it."""


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """Somebody began to speak."""

    turn_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Partial:
    """The text so far is another."""

    turn_id: str
    text: str


@dataclass(frozen=True, slots=True)
class EagerEnd:
    """The turn seems to be over. Either it ends with this text, or `Resumed` comes first."""

    turn_id: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Resumed:
    """It was not over."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over and its text stands."""

    turn_id: str
    """The same for the same chunks at the same times: what delivery knows a doubled turn by."""
    text: str
    reason: EndReason
    score: float
    detail: str
    """The detector's rule."""
    waited_ms: int
    """Silence before it."""
    at_ms: int = field(default=0, compare=False)
    """As of when it ended."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The turn is dropped."""

    turn_id: str
    text: str


Event = TurnStarted | Partial | EagerEnd | Resumed | End | Cancelled
