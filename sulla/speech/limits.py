"""Bounds of speech in one daemon. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.turn_taking.profile import CLASSIC, Profile

LOGS: Final = "speech"
"""The kind of the logs that speech is kept in."""
SEGMENT_BYTES: Final = 2 * 1024 * 1024
"""Some 12,000 chunks, which a restart reads again in half a second."""


@dataclass(frozen=True, slots=True)
class SpeechLimits:
    """Bounds, and when a turn ends."""

    profile: Profile = CLASSIC
    max_live: int = 1000
    """Threads that are spoken in at once."""
    ttl_s: float = 3600.0
    """How long it is known of a thread that nobody speaks in which chunks are late."""
    segment_bytes: int = SEGMENT_BYTES
    """A log that has grown by so much goes on in a new one."""
    turn_burst: int = 12
    """Turns of one thread that may begin within `turn_window_s`: as many as messages that are typed (seed 004)."""
    token_burst: int = 60
    """Likewise of one token, over all threads."""
    turn_window_s: float = 10.0
    """Seconds."""
