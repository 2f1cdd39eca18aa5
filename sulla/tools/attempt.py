"""How long a tool may take, also one that does not listen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import TypeVar

from sulla.core.clock import Clock

GRACE_S = 2.0
"""How long a tool that was cancelled may take to put its things in order."""

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def is_cancelled() -> bool:
    """Whether the task that runs this is being cancelled. A ``CancelledError`` out of what it awaits does not say so:
    that may itself have awaited what was cancelled.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def within(clock: Clock, seconds: float, work: Coroutine[object, object, T], name: str) -> T:
    """Do some work that may have to be cut off.

    Whether its time is up or whoever waits for it is cancelled: it is cancelled, and left behind if it does not end
    within `GRACE_S`. It has a task of its own, because a wait for it would go on for as long as it pleases.

    Args:
        clock: all time.
        seconds: how long it may take.
        work: what to do.
        name: what to call it in the log.

    Raises:
        TimeoutError: its time is up. One that the work itself raises is passed on, like all that it raises.
    """
    task = asyncio.create_task(work)
    try:
        async with clock.timeout(seconds):
            await asyncio.wait((task,))
    except BaseException:
        await _cut_off(task, clock, name)
        raise
    return task.result()


async def _cut_off(task: asyncio.Task[T], clock: Clock, name: str) -> None:
    task.add_done_callback(lambda over: _last_words(over, name))
    task.cancel()
    with suppress(TimeoutError):
        async with clock.timeout(GRACE_S):
            await asyncio.wait((task,))
    if not task.done():
        _LOG.error("a tool does not end although it was cancelled; it is left behind", extra={"tool": name})


def _last_words(task: asyncio.Task[T], name: str) -> None:
    """What went wrong while it ended; nobody else will hear of it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.warning("a tool failed while it was being cut off", exc_info=error, extra={"tool": name})
