"""How a walk ended that somebody cut off."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sulla.agent.ending import Ending, WalkCut, WalkFailed, failed
from sulla.agent.limits.limits import RunLimits, limit_reached, wall_hit
from sulla.agent.turn.run_monitor import OUT_OF_TIME
from sulla.core.run import Run

log = logging.getLogger(__name__)

UNFORESEEN: Final = WalkFailed("internal", "something went wrong inside Sulla; the log has the details", "internal")
"""The ending of a walk that raised what nobody expects of it."""


def ending_of(walking: asyncio.Task[Ending], run: Run, limits: RunLimits) -> Ending:
    """How a walk ended.

    Args:
        walking: it is over; one that was cut off before its first step has no ending of its own.
        run: the run that it was for.
        limits: the run's bounds.
    """
    try:
        return walking.result()
    except asyncio.CancelledError:
        if (reason := run.control.aborted) is not None:
            return cut_by(reason, run, limits)
        # Whoever is cut off with the walk does not get here: something in it awaited what was cancelled.
        log.exception("a turn was cancelled from within", extra={"run_id": run.id})
        return UNFORESEEN


def cut_by(reason: str, run: Run, limits: RunLimits) -> Ending:
    """The ending of a walk that was aborted.

    Args:
        reason: why, in a stable word.
        run: the run that it was for.
        limits: the run's bounds.
    """
    hit = wall_hit(run, limits)
    return failed(limit_reached(hit)) if reason == OUT_OF_TIME and hit is not None else WalkCut(reason)
