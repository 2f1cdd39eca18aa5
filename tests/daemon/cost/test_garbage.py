"""What a look for garbage goes through in a daemon that works: it holds up every stream for as long as it lasts."""

from __future__ import annotations

import asyncio
import gc
import logging
from pathlib import Path

import pytest

from sulla.daemon.models.warming import WARM
from tests.daemon.cost.inside import inside

MOST_OBJECTS = 5_000
"""What is loaded without any model's library is 76,000 of them; a processor of 2026 looks through 2,000 in 1 ms."""


class _Hears(logging.Handler):
    """Sets an event when the log says something."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.heard = asyncio.Event()
        self._what = what

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == self._what:
            self.heard.set()


async def test_what_was_loaded_is_not_looked_through_any_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hears = _Hears(WARM)
    logger = logging.getLogger("sulla.daemon.models.warming")
    logger.addHandler(hears)
    try:
        with caplog.at_level(logging.INFO, logger.name):
            async with inside(tmp_path / "home"):
                await hears.heard.wait()
                looked_through = len(gc.get_objects())
    finally:
        logger.removeHandler(hears)
    assert looked_through < MOST_OBJECTS
