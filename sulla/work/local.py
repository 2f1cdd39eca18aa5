"""The worker inside the daemon's own process. The store says what there is to do; this only says when."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.work.base import GroupOf, Handler, Inspection, Job
from sulla.work.queue import JobCaps
from sulla.work.ready import ReadyLogs
from sulla.work.runner import JobRunner

log = logging.getLogger(__name__)

SWEEP_S = 0.5
"""How often ready logs are looked for: another home has a lease and a second in all to take over (design §3)."""


class LocalWork:
    """Implements `Work` by looking at the store itself, like every other daemon on it.

    Args:
        store: where ready logs are found.
        handler: does the work.
        group_of: whose log it is.
        clock: all time.
        caps: how many at once.
    """

    def __init__(self, store: Store, handler: Handler, group_of: GroupOf, clock: Clock, caps: JobCaps) -> None:
        self._ready = ReadyLogs(store)
        self._clock = clock
        self._runner = JobRunner(handler, group_of, clock, caps)

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """See `Work.held`."""
        return self._ready.held

    async def open(self) -> None:
        """See `Work.open`; there is nothing to do."""

    def enqueue(self, job: Job) -> None:
        """See `Work.enqueue`."""
        self._runner.enqueue(job)

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """See `Work.pass_to`."""
        await self._runner.pass_to(key, agent, control)

    def hold(self, held: bool) -> None:
        """See `Work.hold`."""
        self._runner.hold(held)

    async def heed(self, job: Job) -> None:
        """See `Work.heed`."""
        await self._runner.heed(job)

    def inspect(self) -> Inspection:
        """See `Work.inspect`."""
        return replace(self._runner.inspect(), waiting=self._ready.waiting)

    async def run(self) -> None:
        """See `Work.run`."""
        async with asyncio.TaskGroup() as group:
            sweeper = group.create_task(self._sweep())
            await self._runner.run()
            sweeper.cancel()

    async def stop(self, patience_s: float) -> None:
        """See `Work.stop`."""
        await self._runner.stop(patience_s)

    async def _sweep(self) -> None:
        # At the start also logs whose lease is alive: an earlier boot of this home may have left it behind.
        also_held = True
        while True:
            try:
                # While all stands still nothing is begun, and what waits is counted.
                still = self._runner.held
                await self._look(also_held=also_held)
                also_held = also_held and (still or self._runner.held)
            except StoreUnavailable as error:
                log.warning("cannot look for work: %s", error)
            await self._clock.sleep(SWEEP_S)

    async def _look(self, *, also_held: bool) -> None:
        async for info in self._ready.look():
            if (also_held or not info.held) and self._runner.may_try(info.key):
                self.enqueue(Job(info.key))
