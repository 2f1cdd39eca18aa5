"""The worker inside the daemon's own process. The store says what there is to do; this only says when."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.work.base import GroupOf, Handler, Inspection, Job
from sulla.work.queue import JobCaps, JobQueue

log = logging.getLogger(__name__)

SWEEP_S = 0.5
"""How often ready logs are looked for: another home has a lease and a second in all to take over (design §3)."""

_PAGE = 200
MOST_HELD = 200
"""Logs at work that are remembered from a sweep."""
_RETRY_S = (1.0, 5.0, 30.0, 300.0)


@dataclass(slots=True)
class _Failure:
    count: int
    until_s: float


class _Arrivals:
    """The jobs that have come and were not looked at, each log once; and the turns that wait for a place."""

    def __init__(self) -> None:
        self.passing: dict[str, asyncio.Event] = {}
        """By their logs, turns that another agent goes on with, and what tells them that they have a place."""
        self._jobs: dict[str, Job] = {}
        self._wake = asyncio.Event()

    def add(self, job: Job) -> None:
        """One more."""
        self._jobs[job.key] = job
        self._wake.set()

    def wake(self) -> None:
        """Have whoever waits look again, also if nothing has come."""
        self._wake.set()

    async def take(self) -> Iterable[Job]:
        """Wait for some; all that have come."""
        await self._wake.wait()
        self._wake.clear()
        jobs, self._jobs = self._jobs, {}
        return jobs.values()


class _ReadyLogs:
    """The logs in which something is to be done, as the store says.

    Args:
        store: where they are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.held: tuple[LogInfo, ...] = ()
        """Those that somebody worked on when they were looked for last; at most `MOST_HELD`."""

    async def look(self) -> AsyncIterator[LogInfo]:
        """All of them, those that somebody works on too."""
        held: list[LogInfo] = []
        after = ""
        while page := await self._store.find(ready=True, after_key=after, limit=_PAGE):
            for info in page:
                if info.held and len(held) < MOST_HELD:
                    held.append(info)
                yield info
            after = page[-1].key
        self.held = tuple(held)


class LocalWork:
    """Runs jobs as tasks of one event loop.

    Args:
        store: where ready logs are found.
        handler: does the work.
        group_of: whose log it is.
        clock: all time.
        caps: how many at once.
    """

    def __init__(self, store: Store, handler: Handler, group_of: GroupOf, clock: Clock, caps: JobCaps) -> None:
        self._ready = _ReadyLogs(store)
        self._handler = handler
        self._group_of = group_of
        self._clock = clock
        self._queue = JobQueue(caps)
        self._arrivals = _Arrivals()
        self._failing: dict[str, _Failure] = {}
        self._stopping = False
        self._held = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._over = asyncio.Event()
        self._jobs: set[asyncio.Task[None]] = set()

    @property
    def held(self) -> tuple[LogInfo, ...]:
        """The logs that somebody worked on at the last sweep, in every daemon on this store."""
        return self._ready.held

    def enqueue(self, job: Job) -> None:
        """Have a log looked at soon; never blocks. While stopping or held it does nothing: the next start finds the
        log, and so does the first sweep when it is held no more.
        """
        if not self._stopping and not self._held:
            self._arrivals.add(job)

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """A turn goes on with another agent: wait for a place among those of that agent. It also returns when the turn
        is to be put down; the end of its time aborts the wait.

        Args:
            key: the log.
            agent: who goes on.
            control: how the turn is told to end.
        """
        if not self._queue.pass_to(key, agent):
            return
        given = self._arrivals.passing[key] = asyncio.Event()
        control.on_drain(given.set)
        self._give_places()
        self._arrivals.wake()  # somebody may wait for the place that it had
        try:
            await given.wait()
        finally:
            del self._arrivals.passing[key]

    def hold(self, held: bool) -> None:
        """Start nothing more until this is called with False; what runs is not cut off here."""
        self._held = held
        if not held:
            self._arrivals.wake()  # for what was queued before

    async def heed(self, job: Job) -> None:
        """Have a log looked at at once although nothing is begun: somebody has ended what waits in it. One that is just
        being put down finds it when it is taken up again.

        Args:
            job: the log; its handler begins nothing while all stands still.
        """
        if self._held and not self._stopping and job.key not in self.inspect().running:
            await self._handler(job)

    def inspect(self) -> Inspection:
        """What is going on right now."""
        return self._queue.inspect(tuple(self._failing))

    async def run(self) -> None:
        """Take over what the store says is unfinished, then work until `stop`; run this as one task."""
        async with asyncio.TaskGroup() as group:
            sweeper = group.create_task(self._sweep())
            intake = group.create_task(self._intake(group))
            await self._over.wait()
            for task in (sweeper, intake, *self._jobs):
                task.cancel()

    async def stop(self, patience_s: float) -> None:
        """Start nothing more, wait for the running jobs, and cancel what is left after `patience_s` seconds."""
        self._stopping = True
        try:
            async with self._clock.timeout(patience_s):
                await self._idle.wait()
        except TimeoutError:
            log.warning("jobs did not end in time and are cut off", extra={"keys": self.inspect().running})
        self._over.set()

    async def _intake(self, group: asyncio.TaskGroup) -> None:
        while True:
            for job in await self._arrivals.take():
                try:
                    self._queue.add(job, await self._group_of(job.key))
                except StoreUnavailable:
                    continue  # the sweep finds the log once the store is back
            self._start(group)

    def _start(self, group: asyncio.TaskGroup) -> None:
        self._give_places()
        while not self._stopping and not self._held and (job := self._queue.take()) is not None:
            self._idle.clear()
            task = group.create_task(self._one(group, job), name=f"job {job.key}")
            self._jobs.add(task)
            task.add_done_callback(self._jobs.discard)

    def _give_places(self) -> None:
        for key in self._queue.passed():
            if (given := self._arrivals.passing.get(key)) is not None:
                given.set()

    async def _one(self, group: asyncio.TaskGroup, job: Job) -> None:
        try:
            await self._handler(job)
            self._failing.pop(job.key, None)
        except Exception:
            failure = self._failing.setdefault(job.key, _Failure(0, 0.0))
            wait_s = _RETRY_S[min(failure.count, len(_RETRY_S) - 1)]
            failure.count, failure.until_s = failure.count + 1, self._clock.elapsed() + wait_s
            log.exception("a job failed; its log is tried again", extra={"key": job.key, "in_s": wait_s})
        finally:
            self._queue.done(job)
            self._start(group)
            if not self._queue.busy:
                self._idle.set()

    async def _sweep(self) -> None:
        # At the start also logs whose lease is alive: an earlier boot of this home may have left it behind.
        also_held = True
        while True:
            if not self._held:
                try:
                    await self._look(also_held=also_held)
                    also_held = False
                except StoreUnavailable as error:
                    log.warning("cannot look for work: %s", error)
            await self._clock.sleep(SWEEP_S)

    async def _look(self, *, also_held: bool) -> None:
        async for info in self._ready.look():
            if also_held or not info.held:
                self._offer(info)

    def _offer(self, info: LogInfo) -> None:
        failure = self._failing.get(info.key)
        if failure is None or failure.until_s <= self._clock.elapsed():
            self.enqueue(Job(info.key))
