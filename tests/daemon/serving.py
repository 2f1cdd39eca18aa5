"""Fakes of services on a thread of their own, so that a test may wait for a command in the plain way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

from sulla.core.clock import Clock
from sulla.host.system import SystemClock
from tests.daemon.running import PATIENCE_S

F = TypeVar("F")


@contextmanager
def beside(make: Callable[[Clock], AbstractAsyncContextManager[F]]) -> Iterator[F]:
    """A fake, serving.

    Args:
        make: makes it.
    """
    ready, over, found = threading.Event(), list[asyncio.Event](), list[F]()

    async def serve() -> None:
        async with make(SystemClock()) as made:
            over.append(asyncio.Event())
            found.append(made)
            ready.set()
            await over[0].wait()

    with asyncio.Runner() as runner:
        thread = threading.Thread(target=lambda: runner.run(serve()), daemon=True)
        thread.start()
        assert ready.wait(PATIENCE_S)
        try:
            yield found[0]
        finally:
            runner.get_loop().call_soon_threadsafe(over[0].set)
            thread.join(PATIENCE_S)
