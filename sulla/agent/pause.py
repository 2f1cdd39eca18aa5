"""A wait that people are told of, and that a stop of the daemon cuts short."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sulla.core.run import Run
from sulla.threads.log.waits import RunWaiting


async def pause(run: Run, waiting: RunWaiting) -> bool:
    """Wait before another attempt. It is written down first, so that whoever watches sees why nothing comes.

    Args:
        run: whose control says when the daemon is to stop.
        waiting: for what, and how long.

    Returns:
        Whether there was time; if not, whoever takes the run up again makes the attempt.
    """
    await run.journal.commit(waiting)
    drained = asyncio.Event()
    run.control.on_drain(drained.set)
    with suppress(TimeoutError):
        async with run.clock.timeout(waiting.wait_s):
            await drained.wait()
    return not run.control.draining
