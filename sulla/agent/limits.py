"""Limits of one run, always on (design §4.8), and the words that say which was hit."""

from __future__ import annotations

from dataclasses import dataclass

from sulla.core.errors import LimitReached
from sulla.threads import OpenRun


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may use."""

    model_calls: int = 50
    """Calls of a model (seed 001: turns per agent)."""
    tokens: int = 500_000
    """Tokens charged, reservations of failed calls included."""
    wall_s: float = 1800.0
    """Seconds from the run's start, waiting included only while it runs."""
    crashes: int = 3
    """The crash with this number ends the run."""
    history_tokens: int = 96_000
    """What of the conversation a model is shown (seed 004 §1)."""
    reply_tokens: int = 8192
    """The most that one reply may have."""
    nudge_tokens: int = 200
    """The most that the answer to a nudge may have (design §5)."""
    model_timeout_s: float = 600.0
    """How long one reply may take."""


def check_model_call(run: OpenRun, reserved_tokens: int, limits: RunLimits) -> None:
    """See whether one more model call fits.

    Args:
        run: what was used so far.
        reserved_tokens: what the call may cost at the most.
        limits: the bounds.

    Raises:
        LimitReached: it does not; the message says which limit and by how much.
    """
    if run.model_calls >= limits.model_calls:
        raise LimitReached(
            "limit_model_calls", f"the run has made {run.model_calls} model calls and may make {limits.model_calls}"
        )
    if run.tokens + reserved_tokens > limits.tokens:
        over = run.tokens + reserved_tokens - limits.tokens
        raise LimitReached(
            "limit_tokens",
            f"the run has used {run.tokens} tokens; the next model call may need {reserved_tokens} more, "
            f"which is {over} over its limit of {limits.tokens}",
        )


def check_wall(run: OpenRun, now_s: float, limits: RunLimits) -> None:
    """See whether the run still has time.

    Raises:
        LimitReached: it has not.
    """
    used_s = now_s - run.started_ms / 1000
    if used_s > limits.wall_s:
        raise LimitReached("limit_wall_s", f"the run has taken {used_s:.0f} s and may take {limits.wall_s:.0f} s")
