"""That a daemon is to stop: signals and clients say so."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager


class StartGivenUp(Exception):
    """Somebody had the daemon stop before it was ready."""


class Stop:
    """What was said so far. It lives as long as the daemon."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.insisted = asyncio.Event()
        self._starting: asyncio.Task[object] | None = None

    def ask(self, now: bool) -> None:
        """A client wants it.

        Args:
            now: whether what runs is cut off.
        """
        self._ask()
        if now:
            self.insisted.set()

    def signal(self) -> None:
        """One more came."""
        if self.asked.is_set():
            self.insisted.set()
        self._ask()

    def hang_up(self) -> None:
        """A terminal has closed; its shell may say so again, which is no impatience."""
        self._ask()

    @contextmanager
    def gives_up(self) -> Iterator[None]:
        """A block that ends where it is once somebody asks.

        A start may have to wait, for a slow store or for another daemon that makes the tables: whoever has it stop then
        does not wait as well.

        Raises:
            StartGivenUp: somebody has asked.
        """
        starting = self._starting = asyncio.current_task()
        if self.asked.is_set():
            raise StartGivenUp
        try:
            yield
        except asyncio.CancelledError:
            # Somebody else may have cancelled the task meanwhile, which then ends as it should.
            if self.asked.is_set() and starting is not None and starting.uncancel() == 0:
                raise StartGivenUp from None
            raise
        finally:
            self._starting = None

    def _ask(self) -> None:
        if self._starting is not None and not self.asked.is_set():
            self._starting.cancel()
        self.asked.set()


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Listen to signals instead of dying of them."""
    loop, stop = asyncio.get_running_loop(), Stop()
    heeded = {signal.SIGINT: stop.signal, signal.SIGTERM: stop.signal, signal.SIGHUP: stop.hang_up}
    for number, heed in heeded.items():
        loop.add_signal_handler(number, heed)
    try:
        yield stop
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)
