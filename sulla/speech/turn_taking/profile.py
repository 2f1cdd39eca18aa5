"""How long silence has to be: the figures of both profiles in one place. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import Final, Literal

from sulla.core.dataclass import dataclass

ProfileName = Literal["classic", "adaptive"]

PAUSE_MS: Final = 1_500
"""Silence after which a text is looked at (seed 004 §5)."""
SILENCE_MS: Final = 3_000
"""Silence after which a turn ends in any case (seed 004 §5); the ceiling of the adaptive wait."""
MAX_TURN_MS: Final = 15_000
"""A turn ends so long after its first chunk (seed 004 §5; the original counted from the last one)."""
LEAST_CHARS: Final = 20
"""Shorter texts are not guessed at (seed 004 §5)."""

FLOOR_MS: Final = 200
"""People leave about so much between turns, over ten languages (Stivers 2009)."""
HOLD_MS: Final = 10_000
"""Silence granted to somebody who asked for time: what pipecat grants to a long wait."""

CURVE: Final = (
    (0.0, 3_000),
    (0.1, 2_800),
    (0.3, 2_000),
    (0.5, 1_300),
    (0.7, 850),
    (0.85, 580),
    (0.95, 280),
    (1.0, 200),
)
"""The wait in ms by the score, linear in between. Chosen where rules had not read the lines (bench/turns/README.md), so
that clearly less than one speaker in twenty is cut off there."""

PAUSE_COUNTS_MS: Final = 300
"""Shorter gaps between chunks are a recognizer's, not a speaker's."""
TYPICAL_PAUSE_MS: Final = 500
"""Of somebody not known yet: about the middle of the pauses over 300 ms in eot-bench's silence baseline."""
PACE_KEPT: Final = 0.9
"""How much of what is known of a speaker stays at each pause (LiveKit `dynamic`)."""
PACE_LEAST: Final = 0.8
PACE_MOST: Final = 1.5
EAGER_SCORE: Final = 0.7
"""From here on the end of a turn is announced at `FLOOR_MS`."""


@dataclass(frozen=True, slots=True)
class Profile:
    """When a turn ends.

    The default is `classic`: look after `pause_ms`, end after `silence_ms`.
    """

    name: ProfileName = "classic"
    pause_ms: int = PAUSE_MS
    silence_ms: int = SILENCE_MS
    max_turn_ms: int = MAX_TURN_MS
    least_chars: int = LEAST_CHARS
    floor_ms: int = FLOOR_MS
    hold_ms: int = HOLD_MS


CLASSIC: Final = Profile()
ADAPTIVE: Final = Profile("adaptive")


def wait_ms(score: float, pace: float = 1.0) -> int:
    """How long to wait for more after a text that is so complete.

    Args:
        score: from 0 to 1.
        pace: how long this speaker pauses, as a share of `TYPICAL_PAUSE_MS`.

    Returns:
        Milliseconds from `FLOOR_MS` to `SILENCE_MS`.
    """
    for (low, longer), (high, shorter) in pairwise(CURVE):
        if score <= high:
            wait = longer + (shorter - longer) * (max(score, low) - low) / (high - low)
            return min(SILENCE_MS, max(FLOOR_MS, round(wait * min(PACE_MOST, max(PACE_LEAST, pace)))))
    return FLOOR_MS
