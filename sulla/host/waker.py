"""Wakes a thread's worker, for those who are made before the worker is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sulla.core.control import Control
from sulla.core.ids import ThreadId
from sulla.store.values import LogInfo
from sulla.work.base import Job, Work


class Waker:
    """Enqueues threads with something to do. A daemon makes one before all else, and it lives as long as the daemon.

    Until `connect` names the worker, a wake does nothing, and nothing is lost by it: a worker begins with a sweep over
    all threads, which finds every one that has something to do.
    """

    def __init__(self) -> None:
        self._work: Work | None = None
        self._passed: Callable[[str, str], None] = lambda key, agent: None

    def connect(self, work: Work, passed: Callable[[str, str], None]) -> Work:
        """Pass wakes on to this worker from now on, and tell `passed` who goes on with which log.

        Returns:
            The worker.
        """
        self._work, self._passed = work, passed
        return work

    def __call__(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        if self._work is not None:
            self._work.enqueue(Job(thread_id))

    async def pass_to(self, thread_id: ThreadId, agent: str, control: Control) -> None:
        """A thread's turn goes on with another agent: see `Work.pass_to`.

        Args:
            thread_id: which.
            agent: who goes on.
            control: how the turn is told to end.
        """
        if self._work is not None:
            self._passed(thread_id, agent)
            await self._work.pass_to(thread_id, agent, control)

    def held(self) -> Sequence[LogInfo]:
        """The logs that somebody worked on a moment ago; none as long as there is no worker."""
        return self._work.held if self._work is not None else ()

    def queued(self) -> int:
        """How many threads wait for their turn; 0 as long as there is no worker."""
        return len(self._work.inspect().queued) if self._work is not None else 0
