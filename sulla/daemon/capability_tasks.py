"""What capabilities do while the daemon runs: in the background, and before and behind the work on a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from sulla.core.clock import Clock
from sulla.core.ids import ThreadId
from sulla.core.trail import trail
from sulla.host.host import Built, Task
from sulla.work.base import Job

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


def worker(
    attend: Callable[[ThreadId], Awaitable[None]], built: Mapping[str, Built]
) -> Callable[[Job], Awaitable[None]]:
    """Make what works on a thread. Where a capability fails before it, the log names it, and the thread is tried again.

    Args:
        attend: takes a thread's turns.
        built: what capabilities bring, by their names.
    """
    before = [(name, one.before_work) for name, one in built.items() if one.before_work is not None]
    behind = [each for one in built.values() for each in (*one.followers.values(), *one.woken)]

    async def work(job: Job) -> None:
        try:
            for name, look in before:
                try:
                    await look()
                except Exception:
                    log.error("what the capability %r does before work on a thread failed", name)
                    raise
            with trail(thread_id=job.key):
                await attend(ThreadId(job.key))
        finally:
            for follower in behind:
                follower.wake(ThreadId(job.key))

    return work
