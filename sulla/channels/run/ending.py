"""Ends that libraries lose, and work that is not broken off by one.

`asyncio.wait_for` of Python 3.11 loses a cancellation that comes together with what it waits for (cpython issue 86296,
mended in 3.12), and libraries for services use it. The task that was told to end would then go on for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from sulla.core.clock import Clock

log = logging.getLogger(__name__)

T = TypeVar("T")


async def ending(work: Awaitable[T]) -> T:
    """What a library's work gives; whoever was told to end meanwhile ends all the same.

    Args:
        work: a library's call.

    Raises:
        asyncio.CancelledError: the running task was cancelled while it waited, whether the library passed it on or not.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    done = await work
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError
    return done


async def each_ending(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """The same for what a library gives one by one.

    Args:
        items: a library's.

    Raises:
        asyncio.CancelledError: as `ending` does.
    """
    while True:
        try:
            yield await ending(anext(items))
        except StopAsyncIteration:
            return


async def finished(work: Coroutine[Any, Any, T], clock: Clock, within_s: float) -> T:
    """What work gives that is not broken off: whoever was told to end meanwhile ends when it has.

    Args:
        work: it.
        clock: for the wait.
        within_s: how long it may take then, in seconds; it is cancelled after that.

    Raises:
        asyncio.CancelledError: the running task was cancelled while it waited; the work has ended before. If that
            failed then, the log says so.
    """
    working = asyncio.create_task(work)
    try:
        done = await asyncio.shield(working)
    except asyncio.CancelledError:
        with suppress(TimeoutError):
            async with clock.timeout(within_s):
                await asyncio.wait({working})
        if not working.done():
            working.cancel()
            await asyncio.wait({working})
        if not working.cancelled() and (error := working.exception()) is not None:
            log.warning("what was to come to its end failed: %s", type(error).__name__)
        raise
    else:
        return done
    finally:
        working.cancel()  # where somebody lost patience
