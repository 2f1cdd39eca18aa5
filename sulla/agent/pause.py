"""A wait that a stop of the daemon cuts short."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sulla.core.run import Run


async def pause(run: Run, seconds: float) -> bool:
    """Wait before another attempt.

    Args:
        run: whose control says when the daemon is to stop.
        seconds: how long.

    Returns:
        Whether there was time; if not, whoever takes the run up again makes the attempt.
    """
    drained = asyncio.Event()
    run.control.on_drain(drained.set)
    with suppress(TimeoutError):
        async with run.clock.timeout(seconds):
            await drained.wait()
    return not run.control.draining
