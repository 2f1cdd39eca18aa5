"""Commands that go on beside a conversation: bounded in number and time, and ended with the daemon."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import Final, Literal

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, Refused, SullaError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Author, Words, joined, made_of, ours
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.output import Output, readable_pieces
from sulla.tools.overflow import keep
from sulla.tools.shell.process import ProcessEnd, Program, run_program

MAX_RUNNING: Final = 8
"""Jobs at once, of all threads together."""
MAX_KNOWN: Final = 64
"""Jobs that are remembered, ended ones among them; the oldest of those is forgotten first."""
MAX_JOB_S: Final = 3600
"""How long one may run, in seconds."""

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class ShellJob:
    """One command, running or ended."""

    id: str
    thread_id: ThreadId
    command: str
    started_s: float
    """By the clock's intervals."""
    by: Author
    """Whose words it prints."""
    output: Output = field(default_factory=Output, init=False)
    ended: ProcessEnd | None = field(default=None, init=False)
    trouble: str = field(default="", init=False)
    """Why it could not be run, or its output not be kept."""
    file: str = field(default="", init=False)
    """Where its whole output is, once it has ended and if it is long."""
    made: str = field(default="", init=False)
    """What is to be told of the files that it has made, once it has ended: that holds their names."""
    over: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    known: Literal["", "told", "deleted"] = field(default="", init=False)
    """Whether the conversation has been told of its end, or was deleted: then nothing of it is kept."""

    @property
    def end(self) -> str:
        """How it ended, in words that hold nothing of what it printed or was."""
        if self.ended is None:
            return f"{self.id} {'could not be run' if self.trouble else 'was killed'}"
        return f"{self.id} ended with exit status {self.ended.status}{self.ended.why}"

    @property
    def news(self) -> Words:
        """How it ended, and what is to be told of the files that it has made."""
        return Words(f"{self.end}: {self.made}", self.by) if self.made else ours(self.end)

    def state(self, now_s: float) -> str:
        """How it is, in a few words.

        Args:
            now_s: the clock's intervals.
        """
        if not self.over.is_set():
            return f"running for {now_s - self.started_s:.0f} s"
        if self.ended is None:
            return self.trouble or "killed"
        return f"ended with exit status {self.ended.status} after {self.ended.elapsed_s:.0f} s{self.ended.why}"


ParentOf = Callable[[ThreadId], Awaitable[ThreadId | None]]
"""For which thread another one works; None where it works for none."""


async def _nobody(thread_id: ThreadId) -> None:
    return None


class ShellJobs:
    """All jobs of a daemon; `run` has to be running for one to start.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._group: asyncio.TaskGroup | None = None
        self._jobs: dict[str, ShellJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._count = 0

    async def run(self) -> None:
        """Be there for jobs until cancelled; then every one of them is killed."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await asyncio.Event().wait()
        finally:
            self._group = None

    def start(self, program: Program, job: ShellJob, context: ToolContext, timeout_s: float) -> None:
        """Start one.

        Args:
            program: what to run.
            job: its record, from `new`.
            context: of the call that starts it; says where its output is put, and is told when it is over.
            timeout_s: how long it may run, in seconds.

        Raises:
            Refused: too many run already, or the daemon is stopping.
        """
        if self._group is None:
            raise Refused("no job can be started: the daemon is stopping, or has not begun")
        if len(self._tasks) >= MAX_RUNNING:
            raise Refused(f"{MAX_RUNNING} jobs are running already; wait for one to end, or kill one with bash_job")
        self._forget()
        self._jobs[job.id] = job
        task = self._group.create_task(self._work(program, job, context, timeout_s))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        task.add_done_callback(lambda _: job.over.set())  # also of one that was killed before its first step

    def new(self, thread_id: ThreadId, command: str, by: Author) -> ShellJob:
        """The record of a job that is about to start."""
        self._count += 1
        return ShellJob(f"job_{self._count}", thread_id, command, self._clock.elapsed(), by)

    def of(self, thread_id: ThreadId) -> tuple[ShellJob, ...]:
        """The jobs of a thread, oldest first."""
        return tuple(job for job in self._jobs.values() if job.thread_id == thread_id)

    def get(self, thread_id: ThreadId, job_id: str) -> ShellJob:
        """One job of a thread.

        Raises:
            NotFound: the thread has none of that id.
        """
        job = self._jobs.get(job_id)
        if job is not None and job.thread_id == thread_id:
            return job
        known = ", ".join(job.id for job in self.of(thread_id)) or "none"
        raise NotFound(
            f"there is no job {job_id[:50]!r} in this conversation (known: {known}); jobs end with the daemon"
        )

    def news(self, thread_id: ThreadId) -> tuple[ShellJob, ...]:
        """Jobs of a thread that have ended and that it was not told of yet, oldest first; each is given once."""
        fresh = tuple(job for job in self.of(thread_id) if job.over.is_set() and not job.known)
        for job in fresh:
            job.known = "told"
        return fresh

    async def kill(self, job: ShellJob) -> None:
        """Kill a job and all it started; returns when it has ended."""
        task = self._tasks.get(job.id)
        if task is not None:
            task.cancel()
            await job.over.wait()

    async def forget(self, thread_id: ThreadId, parent_of: ParentOf = _nobody) -> None:
        """A conversation was deleted: what it and its sub-agents run is killed with all that it started, and nothing
        of it is kept.

        Args:
            thread_id: its id.
            parent_of: for which thread another one works.
        """
        # Its own first: whatever cannot be read of the others, these are gone.
        for job in sorted(self._jobs.values(), key=lambda one: one.thread_id != thread_id):
            at: ThreadId | None = job.thread_id
            while at is not None and at != thread_id:
                at = await parent_of(at)
            if at is not None:
                job.known = "deleted"
                await self.kill(job)
                self._jobs.pop(job.id, None)

    async def _work(self, program: Program, job: ShellJob, context: ToolContext, timeout_s: float) -> None:
        try:
            job.ended = await run_program(program, job.output.feed, self._clock, timeout_s)
        except SullaError as error:
            job.trouble = error.message
        except Exception:  # noqa: BLE001 - one that fails must not take the others along
            _LOG.exception("a job failed", extra={"job": job.id})
            job.trouble = "something went wrong inside Sulla; the log has the details"
        finally:
            try:
                await self._put_away(job, context)
            finally:
                job.over.set()

    async def _put_away(self, job: ShellJob, context: ToolContext) -> None:
        """Keep its output as a file if it is long, and only the end of it in memory; say that it is over."""
        try:
            if job.output.long and job.known != "deleted":
                name = f"{job.thread_id}-{job.id}"
                pieces = map(context.redact, readable_pieces(job.output.kept))
                job.file = await keep(context.workspace, name, pieces)
                job.output.let_go()
        except SullaError as error:
            job.trouble = f"its output could not be kept: {error.message}"
        try:
            made = await context.over()
            # What a trusted command makes nobody has to be warned of.
            job.made = context.redact(made) if job.by.tainted else ""
        except SullaError as error:
            _LOG.error("what a job has written could not be marked: %s", error.message, extra={"job": job.id})

    def _forget(self) -> None:
        ended = [job.id for job in self._jobs.values() if job.over.is_set()]
        for job_id in ended[: max(0, len(self._jobs) - MAX_KNOWN + 1)]:
            del self._jobs[job_id]

    def counts(self) -> Mapping[str, int]:
        """How many run and how many are remembered."""
        return {"running": len(self._tasks), "known": len(self._jobs)}


def with_news(tool: Tool, jobs: ShellJobs) -> Tool:
    """The tool, whose results also say which jobs have ended meanwhile, once for each.

    Args:
        tool: the tool.
        jobs: those of all threads.
    """

    async def run(args: FrozenJson, context: ToolContext) -> Result:
        result = await tool.run(args, context)
        if not isinstance(result, Done):
            return result
        # `bash_job` has told by itself how a job is.
        fresh = [
            job.news for job in jobs.news(context.thread_id) if not re.search(rf"\b{job.id}: (?!running)", result.text)
        ]
        told = made_of(f"{result.text}\n\n[{joined(fresh, '; ').text}]", result.words, *fresh)
        return replace(result, words=told) if fresh else result

    return replace(tool, run=run)
