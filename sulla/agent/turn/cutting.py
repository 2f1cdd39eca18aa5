"""How a walk ended that somebody cut off."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sulla.agent.ending import Ending, WalkCut, WalkFailed, failed
from sulla.agent.limits.limits import Charge, RunLimits, limit_reached, wall_hit
from sulla.agent.model.live_buffer import LiveBuffer
from sulla.agent.turn.run_monitor import OUT_OF_TIME
from sulla.core.run import Run
from sulla.models.tokens.estimate import estimate_text
from sulla.threads.log.records import ModelStarted
from sulla.threads.log.usage import Usage

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


def came_of(live: LiveBuffer, call: ModelStarted | None) -> tuple[str, int | None]:
    """What had come of a reply that is cut off: what people saw, and its tokens with the reasoning's.

    Args:
        live: what was shown.
        call: what was asked for; None where no reply was in flight.
    """
    if call is None:
        return "", None
    shown = live.text_of(call.message_id)
    return shown, estimate_text(shown) + estimate_text(live.thoughts_of(call.message_id))


def charge_of(call: ModelStarted, taken: Usage | None) -> Charge:
    """What a call that came to nothing is charged.

    Args:
        call: it.
        taken: what it took; None for all that was set aside.
    """
    if taken is None:
        return Charge(call.reserved_tokens, call.reserved_micro)
    return Charge(taken.total, taken.cost_micro)
