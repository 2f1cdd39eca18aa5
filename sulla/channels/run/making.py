"""Makes channels, beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from sulla.channels.base import Channel

_LOADER: Final = ThreadPoolExecutor(1, "channel loader")
"""The process's, as what is imported is. One thread: several that import at once would leave the loop no time."""


async def made(make: Callable[[], Channel]) -> Channel:
    """A channel. It is made beside the event loop, which its library's imports and certificates would keep for seconds.

    Args:
        make: makes it.
    """
    return await asyncio.get_running_loop().run_in_executor(_LOADER, make)
