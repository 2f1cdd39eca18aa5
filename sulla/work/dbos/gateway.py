"""Work as a gateway does it: it runs nothing, and asks the cluster's workers."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.work.base import Inspection, Job
from sulla.work.dbos.cluster import Cluster
from sulla.work.dbos.sender import WishSender
from sulla.work.ready import ReadyLogs

log = logging.getLogger(__name__)

LOOK_S: Final = 2.0
"""How often it is looked who is at work and what waits, in seconds; no longer than that is waited for an answer."""
MOST_LOOKED: Final = 10_000
"""So many logs in which something is to be done are looked at, each time."""


class GatewayWork:
    """Implements `Work` by wishes alone.

    Args:
        store: where logs are.
        cluster: where wishes go; a gateway is none of its members.
        clock: all time.
    """

    def __init__(self, store: Store, cluster: Cluster, clock: Clock) -> None:
        self._ready = ReadyLogs(store)
        self._workers: int | None = None
        self._cluster = cluster
        self._sender = WishSender(store, cluster.queue)
        self._clock = clock
        self._held = False
        self._over = asyncio.Event()

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """See `Work.held`."""
        return self._ready.held

    async def open(self) -> None:
        """See `Work.open`."""
        await self._cluster.open(self._ready.store, self._clock)
        await self._cluster.claims.close()

    def enqueue(self, job: Job) -> None:
        """See `Work.enqueue`."""
        if not self._held and not self._over.is_set():
            self._sender.add(job)

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """See `Work.pass_to`; no turn runs here."""

    def hold(self, held: bool) -> None:
        """See `Work.hold`."""
        self._held = held

    async def heed(self, job: Job) -> None:
        """See `Work.heed`; a worker does it."""
        if self._held and not self._over.is_set():
            await self._sender.send(job.key, although_held=True)

    def inspect(self) -> Inspection:
        """See `Work.inspect`."""
        return Inspection((), (), (), self._ready.waiting, self._workers)

    async def run(self) -> None:
        """See `Work.run`."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()) for one in (self._sender.run, self._look, self._look_for_workers)]
            await self._over.wait()
            for task in tasks:
                task.cancel()
        await self._cluster.close()

    async def stop(self, patience_s: float) -> None:
        """See `Work.stop`."""
        self._over.set()

    async def _look(self) -> None:
        while True:
            try:
                async for _ in self._ready.look(most=MOST_LOOKED):
                    pass
            except StoreUnavailable as error:
                log.warning("cannot look who is at work: %s", error)
            await self._clock.sleep(LOOK_S)

    async def _look_for_workers(self) -> None:
        while True:
            try:
                async with self._clock.timeout(LOOK_S):
                    found = await self._cluster.members.alive()
            except (StoreUnavailable, TimeoutError) as error:
                log.warning("cannot look which workers live: %s", str(error) or "no answer in time")
                self._workers = None
            else:
                if found == 0 and self._workers != 0:
                    log.warning("no worker lives: messages are kept, and wait until one does")
                self._workers = found
            await self._clock.sleep(LOOK_S)
