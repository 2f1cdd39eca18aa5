"""A worker of the cluster: it does what it takes off the queue, and sees to it that nothing is left lying."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.work.base import Group, GroupOf, Handler, Inspection, Job
from sulla.work.dbos.cluster import Cluster
from sulla.work.dbos.ear import HintEar
from sulla.work.dbos.executor import Executor
from sulla.work.dbos.hints import Hint
from sulla.work.dbos.judgement import BEAT_S, DEAD_S, Judgement
from sulla.work.dbos.members import DeadMember
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
ROOM_S: Final = 1.0
"""How often it is seen whether another worker has given a place back for which jobs wait here, in seconds."""
_LET_GO_S: Final = 0.2
_REMEMBERED: Final = 256


FreeLease = Callable[[str, str], Awaitable[None]]
"""Ends the lease on a log that a home has left behind."""


class DbosWork:
    """Implements `Work` by a durable queue that all workers of the cluster take from.

    A wish may still be lost, and a job may be done twice: the store says what there is to do, and who may write.

    Args:
        store: where ready logs are found; its bus tells of wishes.
        handler: does the work.
        group_of: whose log it is.
        cluster: the queue, and the workers.
        free_lease: ends what a dead worker has left.
        clock: all time.
        caps: how many jobs it does at once.
    """

    def __init__(
        self,
        store: Store,
        handler: Handler,
        group_of: GroupOf,
        cluster: Cluster,
        free_lease: FreeLease,
        clock: Clock,
        caps: JobCaps,
    ) -> None:
        self._ready = ReadyLogs(store)
        self._handler = handler
        self._runner = JobRunner(self._see_to, group_of, clock, caps, self._admit)
        self._cluster = cluster
        self._free_lease = free_lease
        self._executor = Executor(cluster.url, cluster.members.executor, self._perform)
        self._sender = WishSender(store, cluster.queue)
        self._ear = HintEar(store, clock, self._follow)
        self._clock = clock
        self._stopping = False
        self._left: list[str] = []
        self._begun: deque[str] = deque(maxlen=_REMEMBERED)
        """The newest wishes that were begun here."""

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """See `Work.held`."""
        return self._ready.held

    async def open(self) -> None:
        """See `Work.open`."""
        await self._cluster.open(self._ready.store, self._clock)
        await self._cluster.members.join(self._clock)
        self._left = await self._cluster.claims.free(self._cluster.members.executor)

    def enqueue(self, job: Job) -> None:
        """See `Work.enqueue`."""
        if not self._stopping and not self._runner.held:
            self._sender.add(job)

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """See `Work.pass_to`."""
        await self._runner.pass_to(key, agent, control)
        group = self._runner.group(key)
        if group is None or group.kind != "turn":
            return
        drained = asyncio.Event()
        control.on_drain(drained.set)
        while not await self._passed(key, agent) and not drained.is_set():
            with suppress(TimeoutError):
                async with self._clock.timeout(ROOM_S):
                    await drained.wait()

    async def _passed(self, key: str, agent: str) -> bool:
        try:
            return await self._cluster.claims.pass_to(key, agent)
        except StoreUnavailable as error:
            log.warning("a turn cannot be given a place among those of its next agent: %s", error, extra={"key": key})
            return False

    def hold(self, held: bool) -> None:
        """See `Work.hold`."""
        self._runner.hold(held)

    async def heed(self, job: Job) -> None:
        """See `Work.heed`."""
        if not self._runner.held or self._runner.group(job.key) is not None:
            return  # who is just being put down finds it when taken up again
        if await self._cluster.claims.take(job.key, job.mark) == "":
            await self._runner.heed(job)
            await self._end(job.key)  # it may have come to nothing

    def inspect(self) -> Inspection:
        """See `Work.inspect`."""
        return replace(self._runner.inspect(), waiting=self._ready.waiting)

    async def run(self) -> None:
        """See `Work.run`."""
        await self._executor.open()
        async with asyncio.TaskGroup() as group:
            beside = (self._sender.run, self._ear.run, self._take_up, self._beat, self._sweep, self._ask_for_room)
            tasks = [group.create_task(one()) for one in beside]
            await self._runner.run()
            for task in tasks:
                task.cancel()
        await self._executor.close(0.0)
        try:
            own = DeadMember(self._cluster.members.executor, "")
            await self._cluster.members.leave(partial(self._give_back, own))
        except StoreUnavailable as error:
            log.warning("the other workers find by themselves, in some seconds, that this one has ended: %s", error)
        await self._cluster.close()

    async def stop(self, patience_s: float) -> None:
        """See `Work.stop`."""
        self._stopping = True
        async with asyncio.TaskGroup() as group:
            closing = group.create_task(self._executor.close(patience_s))
            letting_go = group.create_task(self._let_go_of_what_waits())
            try:
                await self._runner.stop(patience_s)
            finally:
                self._executor.let_go()
            await closing  # until then DBOS may take a last wish, which nobody would end and it would wait for
            letting_go.cancel()

    async def _let_go_of_what_waits(self) -> None:
        """What waits for a place here, another worker may have one for. It takes DBOS a moment to take no more."""
        while True:
            try:
                wishes = self._executor.let_go(but_for=self.inspect().running)
                await self._cluster.queue.give_back([wish.mark for wish in wishes])
                for wish in wishes:
                    self._sender.tell(wish)
            except StoreUnavailable as error:
                log.warning("the other workers begin what was taken here when this one has ended: %s", error)
            await self._clock.sleep(_LET_GO_S)

    # ---------------------------------------------------------------------------------------------------- by others

    async def _follow(self, hint: Hint) -> None:
        if not self._stopping and (hint.although_held or not self._runner.held):
            await self._perform(hint)

    async def _take_up(self) -> None:
        """Go on with what an earlier start of this worker has left."""
        async with asyncio.TaskGroup() as group:
            for key in self._left:
                group.create_task(self._perform(Hint(key, "")))

    async def _perform(self, wish: Hint) -> None:
        if wish.mark and wish.mark in self._begun:
            return  # it came by a hint and off the queue
        job = Job(wish.key, mark=wish.mark)
        if wish.although_held and self._runner.held:
            await self.heed(job)
        elif wait_s := await self._runner.perform(job):
            await self._wish(wish.key, wait_s)

    async def _wish(self, key: str, delay_s: float = 0.0) -> None:
        try:
            await self._sender.send(key, delay_s=delay_s)
        except StoreUnavailable as error:
            log.warning("a wish could not be sent; the sweep finds its log: %s", error, extra={"key": key})

    async def _admit(self, job: Job, group: Group) -> str | None:
        return await self._cluster.claims.take(job.key, job.mark, group)

    async def _see_to(self, job: Job) -> None:
        """Do a job whose log this worker has. What is cut off by a stop is freed when this worker ends."""
        self._begun.append(job.mark)
        try:
            if job.mark and not self._executor.has_taken(job.mark):
                # Before the log is looked at: who wishes for something from now on has to get a new name.
                await self._cluster.queue.withdraw(job.mark)
            await self._handler(job)
        except Exception:
            await self._end(job.key)
            raise
        await self._end(job.key)

    async def _end(self, key: str) -> None:
        again = None
        while again is None:
            try:
                again = await self._cluster.claims.end(key)
            except StoreUnavailable as error:
                log.warning("the cluster is not told yet that a job is over: %s", error, extra={"key": key})
                await self._clock.sleep(BEAT_S)
        if again or self._stopping:  # a turn that was put down is for another worker
            await self._wish(key)

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
                    for dead in await self._cluster.members.beat(judges=judges):
                        await self._cluster.members.relieve(dead, partial(self._give_back, dead))
            except (StoreUnavailable, TimeoutError) as error:
                judgement.failed(self._clock.elapsed())
                log.warning("the other workers may take this one for dead: %s", str(error) or "no answer in time")
            await self._clock.sleep(BEAT_S)

    async def _give_back(self, left: DeadMember) -> None:
        """Have done by others what a worker has left: what it had begun, and what it had taken off the queue."""
        begun = await self._cluster.claims.free(left.executor)
        for key in begun:
            if left.home:
                await self._free_lease(key, left.home)
            await self._sender.send(key)
        taken = await self._cluster.queue.taken_by(left.executor)
        await self._cluster.queue.give_back(taken)
        for mark, key in taken.items():
            self._sender.tell(Hint(key, mark))
        if left.home and (begun or taken):
            log.warning("the worker %r is dead; others do its %d jobs", left.executor, len({*begun, *taken.values()}))

    async def _ask_for_room(self) -> None:
        while True:
            await self._clock.sleep(ROOM_S)
            self._runner.reopen()

    async def _sweep(self) -> None:
        tidied_s = self._clock.elapsed()
        while True:
            try:
                mine = not self._runner.held and await self._cluster.members.may_do("sweep", SWEEP_S - 0.1)
                ready = [info async for info in self._ready.look() if mine and not info.held]
                wanted = await self._wanted() if ready else set()
                for info in ready:
                    if info.key not in wanted:
                        await self._sender.wish(Wish(info.key, info.last_seq))
                if self._clock.elapsed() - tidied_s > TIDY_S:
                    tidied_s = self._clock.elapsed()
                    if await self._cluster.members.may_do("tidy", TIDY_S - 1):
                        await self._tidy()
            except StoreUnavailable as error:
                log.warning("cannot look for work: %s", error)
            await self._clock.sleep(SWEEP_S)

    async def _wanted(self) -> set[str]:
        """The logs that somebody looks at, or is to."""
        return await self._cluster.queue.wanted() | await self._cluster.claims.taken()

    async def _tidy(self) -> None:
        for key in await self._cluster.claims.free_orphans():
            await self._sender.send(key)
        await self._cluster.claims.forget()  # first: a name that may be taken again must not look like one that was
        await self._cluster.queue.forget(self._clock.now() - KEPT_S)
        await self._cluster.members.forget()
