"""A worker of the cluster: it does what it takes off the queue, and sees to it that nothing is left lying."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.work.base import Inspection, Job
from sulla.work.dbos.executor import Executor
from sulla.work.dbos.judgement import BEAT_S, DEAD_S, Judgement
from sulla.work.dbos.members import DeadMember, Members
from sulla.work.dbos.queue import WishQueue
from sulla.work.dbos.sender import WishSender
from sulla.work.dbos.wishes import Wish
from sulla.work.queue import JobCaps
from sulla.work.ready import ReadyLogs
from sulla.work.runner import JobRunner

log = logging.getLogger(__name__)

SWEEP_S: Final = 2.0
"""How often one of the workers looks for logs that nobody has asked for, in seconds."""
TIDY_S: Final = 60.0
"""How often what is over is removed from the queue, in seconds."""
KEPT_S: Final = 300.0
"""How long it is kept there."""
_LET_GO_S: Final = 0.2


class DbosWork:
    """Implements `Work` by a durable queue that all workers of the cluster take from.

    A wish may still be lost, and a job may be done twice: the store says what there is to do, and who may write.

    Args:
        store: where ready logs are found.
        runner: has the places of this process.
        queue: where wishes go.
        members: the workers.
        url: of the PostgreSQL that has both.
        clock: all time.
        caps: how many jobs it takes at once.
    """

    def __init__(
        self, store: Store, runner: JobRunner, queue: WishQueue, members: Members, url: str, clock: Clock, caps: JobCaps
    ) -> None:
        self._ready = ReadyLogs(store)
        self._runner = runner
        self._queue = queue
        self._members = members
        self._executor = Executor(url, members.executor, self._perform)
        self._sender = WishSender(store, queue)
        self._clock = clock
        self._caps = caps
        self._stopping = False

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """See `Work.held`."""
        return self._ready.held

    async def open(self) -> None:
        """See `Work.open`."""
        await self._members.make(lambda: self._queue.open(self._caps.all_at_once))
        await self._members.join()

    def enqueue(self, job: Job) -> None:
        """See `Work.enqueue`."""
        if not self._stopping and not self._runner.held:
            self._sender.add(job)

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
        return self._runner.inspect()

    async def run(self) -> None:
        """See `Work.run`."""
        await self._executor.open()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()) for one in (self._sender.run, self._beat, self._sweep)]
            await self._runner.run()
            for task in tasks:
                task.cancel()
        await self._executor.close(0.0)
        try:
            await self._give_back(self._members.executor)
            await self._members.leave()
        except StoreUnavailable as error:
            log.warning("the other workers find by themselves, in some seconds, that this one has ended: %s", error)
        await self._queue.close()

    async def stop(self, patience_s: float) -> None:
        """See `Work.stop`."""
        self._stopping = True
        async with asyncio.TaskGroup() as group:
            group.create_task(self._executor.close(patience_s))
            letting_go = group.create_task(self._let_go_of_what_waits())
            try:
                await self._runner.stop(patience_s)
            finally:
                letting_go.cancel()
                self._executor.let_go()

    async def _let_go_of_what_waits(self) -> None:
        """What waits for a place here, another worker may have one for. It takes DBOS a moment to take no more."""
        while True:
            try:
                await self._queue.give_back(self._executor.let_go(but_for=self.inspect().running))
            except StoreUnavailable as error:
                log.warning("the other workers begin what was taken here when this one has ended: %s", error)
            await self._clock.sleep(_LET_GO_S)

    # ---------------------------------------------------------------------------------------------------- by others

    async def _perform(self, key: str, although_held: bool) -> None:
        if although_held and self._runner.held:
            await self._runner.heed(Job(key))
        elif wait_s := await self._runner.perform(Job(key)):
            try:
                await self._sender.send(key, delay_s=wait_s)
            except StoreUnavailable as error:
                log.warning("a wish could not be sent; the sweep finds its log: %s", error, extra={"key": key})

    # ---------------------------------------------------------------------------------------------- beside the work

    async def _beat(self) -> None:
        last_s = self._clock.elapsed()
        judgement = Judgement(last_s)
        while True:
            try:
                async with self._clock.timeout(DEAD_S):
                    now_s = self._clock.elapsed()
                    judges = judgement.beat(now_s, now_s - last_s)
                    last_s = now_s
                    for dead in await self._members.beat(judges=judges):
                        await self._members.relieve(dead, partial(self._relieve, dead))
            except (StoreUnavailable, TimeoutError) as error:
                judgement.failed(self._clock.elapsed())
                log.warning("the other workers may take this one for dead: %s", error or "no answer in time")
            await self._clock.sleep(BEAT_S)

    async def _relieve(self, dead: DeadMember) -> None:
        if count := await self._give_back(dead.executor):
            log.warning("the worker %r is dead; others do its %d jobs", dead.executor, count)

    async def _give_back(self, executor: str) -> int:
        ids = await self._queue.taken_by(executor)
        await self._queue.give_back(ids)
        return len(ids)

    async def _sweep(self) -> None:
        while True:
            try:
                mine = not self._runner.held and await self._members.may_do("sweep", SWEEP_S - 0.1)
                wanted = await self._queue.wanted() if mine else set()
                async for info in self._ready.look():
                    if mine and not info.held and info.key not in wanted:
                        await self._queue.send(Wish(info.key, info.last_seq))
                if await self._members.may_do("tidy", TIDY_S):
                    await self._queue.forget(self._clock.now() - KEPT_S)
                    await self._members.forget()
            except StoreUnavailable as error:
                log.warning("cannot look for work: %s", error)
            await self._clock.sleep(SWEEP_S)
