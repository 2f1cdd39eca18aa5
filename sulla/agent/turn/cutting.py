"""How a walk ended that somebody cut off."""

from __future__ import annotations

import asyncio

from sulla.agent.ending import Ending, WalkCut, failed
from sulla.agent.limits.limits import RunLimits, limit_reached, wall_hit
from sulla.agent.turn.run_monitor import OUT_OF_TIME
from sulla.core.run import Run


def ending_of(walking: asyncio.Task[Ending], run: Run, limits: RunLimits) -> Ending:
    """How a walk ended.

    Args:
        walking: it is over; one that was cut off before its first step has no ending of its own.
        run: the run that it was for.
        limits: the run's bounds.
    """
    reason = run.control.aborted
    return cut_by(reason, run, limits) if walking.cancelled() and reason is not None else walking.result()


def cut_by(reason: str, run: Run, limits: RunLimits) -> Ending:
    """The ending of a walk that was aborted.

    Args:
        reason: why, in a stable word.
        run: the run that it was for.
        limits: the run's bounds.
    """
    hit = wall_hit(run, limits)
    return failed(limit_reached(hit)) if reason == OUT_OF_TIME and hit is not None else WalkCut(reason)
