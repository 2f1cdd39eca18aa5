"""One thread for what may block, so that a slow disk stops nobody but the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[], None]


class BlockingWorker:
    """A thread that runs blocking calls one after the other. A caller waits for its answer, so the queue stays short.

    Args:
        name: the thread's.
    """

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        # A daemon thread: one that hangs in a write must not keep the process from ending.
        self._thread = Thread(target=self._serve, name=name, daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """End after what was asked; does not wait for it."""
        self._jobs.put(None)

    def call(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run `work`; it goes on to its end even if its asker is cancelled."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def job() -> None:
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the asker's
                tell(partial(_fail, answer, error))
            else:
                tell(partial(_fulfil, answer, result))

        def tell(how: Job) -> None:
            with suppress(RuntimeError):  # the asker's loop is closed, and with it whoever could look
                loop.call_soon_threadsafe(how)

        self._jobs.put(job)
        return answer

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _fulfil(answer: asyncio.Future[T], result: T) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: asyncio.Future[T], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
