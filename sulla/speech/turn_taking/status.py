"""How things stand in what somebody is saying: what others ask the machine for. Pure."""

from __future__ import annotations

from typing import Literal

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.detector import Reading

State = Literal["idle", "speaking", "ending"]
"""`ending` from an `EagerEnd` until the end, or until it goes on."""


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand."""

    exists: bool
    """Whether a turn is open."""
    state: State
    turn_id: str
    text: str
    age_ms: int
    """Since its first chunk."""
    silent_ms: int
    """Since its text changed."""
    due_ms: int | None
    reading: Reading | None = None
    """How complete its text reads; None if nobody looked at it yet."""
    wait_ms: int | None = None
    """How long a silence is waited for, since it was looked at."""
