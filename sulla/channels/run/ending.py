"""Ends that libraries lose.

`asyncio.wait_for` of Python 3.11 loses a cancellation that comes together with what it waits for (cpython issue 86296,
mended in 3.12), and libraries for services use it. The task that was told to end would then go on for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

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
