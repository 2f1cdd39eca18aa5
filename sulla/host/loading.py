"""Loading what is heavy when it is first needed: beside the event loop, and never two at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_ALONE: Final = threading.Lock()
"""Imports are the process's, and so is this."""


async def load(make: Callable[[], T]) -> T:
    """Make something whose library may not be imported yet, on a worker thread, once whatever else is loaded is done.

    A library can look into `sys.modules` for another one and take it while a second thread is still importing it:
    OpenAI's does so with ``httpx``, which Ollama's imports, and then fails for want of what is not there yet.

    Args:
        make: imports the library and gives what is wanted; it must not wait for another `load`.

    Returns:
        what `make` gave.

    Raises:
        Exception: what `make` raised.
    """

    def alone() -> T:
        with _ALONE:
            return make()

    return await asyncio.to_thread(alone)
