"""Runs the jobs of one process: within the caps, one of each log at a time, and not again too soon after a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.errors import StoreUnavailable
from sulla.work.base import Group, GroupOf, Handler, Inspection, Job
from sulla.work.queue import JobCaps, JobQueue
from sulla.work.retries import WAITS_S, Retries

log = logging.getLogger(__name__)


class _Arrivals:
    """The jobs that have come and were not looked at, each log once; and the turns that wait for a place."""

    def __init__(self) -> None:
        self.passing: dict[str, asyncio.Event] = {}
        """By their logs, turns that another agent goes on with, and what tells them that they have a place."""
        self.ends: dict[str, list[asyncio.Future[float]]] = {}
        """By their logs, who waits until these were looked at."""
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


Admit = Callable[[Job, Group], Awaitable[str | None]]
"""Asks the others whether a job may start that counts as this: empty if so; else the place that is missing everywhere,
or None if another one does it.
"""


class JobRunner:
    """Runs jobs as tasks of one event loop. It lives as long as its worker.

    Args:
        handler: does the work.
        group_of: whose log it is.
        clock: all time.
        caps: how many at once.
        admit: asked before each start; None where there is nobody else.
    """

    def __init__(
        self, handler: Handler, group_of: GroupOf, clock: Clock, caps: JobCaps, admit: Admit | None = None
    ) -> None:
        self._admit = admit
        self._handler = handler
        self._group_of = group_of
        self._clock = clock
        self._queue = JobQueue(caps)
        self._arrivals = _Arrivals()
        self._retries = Retries()
        self._stopping = False
        self.held = False
        """Whether nothing more is started: see `hold`."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._over = asyncio.Event()
        self._jobs: set[asyncio.Task[None]] = set()

    def enqueue(self, job: Job) -> None:
        """See `Work.enqueue`."""
        if not self._stopping and not self.held:
            self._arrivals.add(job)

    async def perform(self, job: Job) -> float:
        """Have a log looked at, also if that is held up for long, and wait until it was.

        Returns:
            0, or in how many seconds it is to be tried again, because it could not be.
        """
        end: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._arrivals.ends.setdefault(job.key, []).append(end)
        self._arrivals.add(job)
        return await end

    async def pass_to(self, key: str, agent: str, control: Control) -> None:
        """See `Work.pass_to`."""
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
        """See `Work.hold`."""
        self.held = held
        if not held:
            self._arrivals.wake()  # for what was queued before

    async def heed(self, job: Job) -> None:
        """See `Work.heed`."""
        if self.held and not self._stopping and job.key not in self.inspect().running:
            await self._handler(job)

    def inspect(self) -> Inspection:
        """See `Work.inspect`."""
        return self._queue.inspect(self._retries.failing)

    def reopen(self) -> None:
        """Ask again for what was missing everywhere."""
        if self._queue.reopen():
            self._arrivals.wake()

    def group(self, key: str) -> Group | None:
        """What a log that is being worked on counts as; None if it is not."""
        return self._queue.group(key)

    def may_try(self, key: str) -> bool:
        """Whether a log may be looked at again unasked: its last job did not raise, or long enough ago."""
        return self._retries.may_try(key, self._clock.elapsed())

    async def run(self) -> None:
        """Run jobs until `stop`; run this as one task."""
        async with asyncio.TaskGroup() as group:
            intake = group.create_task(self._intake(group))
            await self._over.wait()
            for task in (intake, *self._jobs):
                task.cancel()

    async def stop(self, patience_s: float) -> None:
        """See `Work.stop`."""
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
                    self._end(job, WAITS_S[0])  # the sweep finds the log once the store is back
            self._start(group)

    def _start(self, group: asyncio.TaskGroup) -> None:
        self._give_places()
        while not self._stopping and not self.held and (job := self._queue.take()) is not None:
            self._idle.clear()
            task = group.create_task(self._one(group, job), name=f"job {job.key}")
            self._jobs.add(task)
            task.add_done_callback(self._jobs.discard)

    def _give_places(self) -> None:
        for key in self._queue.passed():
            if (given := self._arrivals.passing.get(key)) is not None:
                given.set()

    async def _one(self, group: asyncio.TaskGroup, job: Job) -> None:
        wait_s = 0.0
        missing: str | None = ""
        try:
            missing = await self._admitted(job)
            if missing == "":
                await self._handler(job)
                self._retries.succeeded(job.key)
        except StoreUnavailable as error:  # of any log at the same time: where it was noticed says nothing more
            wait_s = self._retries.failed(job.key, self._clock.elapsed())
            log.warning("a job failed; its log is tried again: %s", error, extra={"key": job.key, "in_s": wait_s})
        except Exception:
            wait_s = self._retries.failed(job.key, self._clock.elapsed())
            log.exception("a job failed; its log is tried again", extra={"key": job.key, "in_s": wait_s})
        finally:
            if missing:
                self._queue.put_back(job, missing)
            else:
                self._end(job, wait_s)
                self._queue.done(job)
                self._queue.reopen()  # the place that this one had, for one
            self._start(group)
            if not self._queue.busy:
                self._idle.set()

    async def _admitted(self, job: Job) -> str | None:
        group = self._queue.group(job.key)
        return await self._admit(job, group) if self._admit is not None and group is not None else ""

    def _end(self, job: Job, wait_s: float) -> None:
        for end in self._arrivals.ends.pop(job.key, ()):
            if not end.done():  # else whoever waited has gone
                end.set_result(wait_s)
