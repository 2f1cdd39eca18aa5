"""What capabilities do in the background, for as long as the daemon runs."""

from __future__ import annotations

import asyncio
import logging

from sulla.core.clock import Clock
from sulla.host.host import Task

END_S = 5.0
"""How long a task is waited for that was told to end."""

log = logging.getLogger(__name__)


async def go_on(owner: str, name: str, task: Task, clock: Clock) -> None:
    """A capability's task. Where it fails the log says whose it was, since that ends the daemon. Where it goes on
    though it was cancelled, the log says so, and nobody waits for it any more: the process ends without it.

    Args:
        owner: the capability.
        name: the task's.
        task: goes on until it is cancelled.
        clock: for the wait.

    Raises:
        Exception: the task failed.
    """
    working = asyncio.create_task(task(), name=name)
    try:
        await asyncio.wait({working})
    except asyncio.CancelledError:
        working.cancel()
        if not await _ends(working, clock):
            said = "the task %r of the capability %r goes on %s s after it was told to end: it is left"
            log.error(said, name, owner, END_S)
            asyncio._unregister_task(working)  # else whoever closes the loop waits for it
            raise
        if working.cancelled() or working.exception() is None:
            raise
    try:
        working.result()
    except Exception:
        log.error("the task %r of the capability %r failed, which ends the daemon", name, owner)
        raise


async def _ends(working: asyncio.Task[None], clock: Clock) -> bool:
    try:
        async with clock.timeout(END_S):
            await asyncio.wait({working})
    except TimeoutError:
        return False
    return True
