"""Has a function of a package work beside the event loop, on a thread that keeps no daemon from ending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def beside(work: Callable[[], T]) -> T:
    """What a function gives, whatever it raises raised here. Whoever stops waiting leaves it to itself.

    Args:
        work: the function.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(found: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(found)  # type: ignore[arg-type]  # what `work` gave

    def run() -> None:
        found, raised = None, None
        try:
            found = work()
        except BaseException as error:  # noqa: BLE001  # it is raised where it is waited for
            raised = error
        with suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(tell, found, raised)

    Thread(target=run, name="condition", daemon=True).start()
    return await done
