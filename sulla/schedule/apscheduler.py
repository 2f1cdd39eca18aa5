"""APScheduler as the timer: it waits, and nothing else.

One job in its memory, moved to the next time that matters: what it stores would be pickled, and two schedulers must not
share a store. Its clock is UTC, because its sleep over a change of clocks in another zone is wrong by the difference.
It drops jobs that are late by a second unless told otherwise (`misfire_grace_time`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]  # it has no types
from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]  # it has no types
from apscheduler.triggers.date import DateTrigger  # type: ignore[import-untyped]  # it has no types

_JOB: Final = "next"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DEFAULTS: Final = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}


class ApsTimer:
    """Keeps `Timer`."""

    def __init__(self) -> None:
        logging.getLogger("apscheduler").setLevel(logging.WARNING)  # it tells of every single job otherwise
        self._scheduler = AsyncIOScheduler(
            jobstores={"default": MemoryJobStore()}, timezone=UTC, job_defaults=dict(_DEFAULTS)
        )
        self._ring: Callable[[], None] = lambda: None

    def open(self, ring: Callable[[], None]) -> None:
        """Begin to work: see `Timer`."""
        self._ring = ring
        self._scheduler.start()

    def set(self, at_s: float | None) -> None:
        """Ring once at that time: see `Timer`."""
        if at_s is None:
            if self._scheduler.get_job(_JOB) is not None:
                self._scheduler.remove_job(_JOB)
            return
        at = _EPOCH + timedelta(seconds=at_s)
        self._scheduler.add_job(self._rung, DateTrigger(at, timezone=UTC), id=_JOB, replace_existing=True)

    def close(self) -> None:
        """Ring no more."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    async def _rung(self) -> None:
        # A coroutine function, because it runs any other one in a thread.
        self._ring()
