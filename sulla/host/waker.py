"""Wakes a thread's worker, for those who are made before the worker is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.core.ids import ThreadId
from sulla.store.values import LogInfo
from sulla.work.base import Job
from sulla.work.local import LocalWork


class Waker:
    """Enqueues threads with something to do. A daemon makes one before all else, and it lives as long as the daemon.

    Until `connect` names the worker, a wake does nothing, and nothing is lost by it: a worker begins with a sweep over
    all threads, which finds every one that has something to do.
    """

    def __init__(self) -> None:
        self._work: LocalWork | None = None

    def connect(self, work: LocalWork) -> LocalWork:
        """Pass wakes on to this worker from now on; returns the worker."""
        self._work = work
        return work

    def __call__(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        if self._work is not None:
            self._work.enqueue(Job(thread_id))

    def held(self) -> Sequence[LogInfo]:
        """The logs that somebody worked on a moment ago; none as long as there is no worker."""
        return self._work.held if self._work is not None else ()

    def queued(self) -> int:
        """How many threads wait for their turn; 0 as long as there is no worker."""
        return len(self._work.inspect().queued) if self._work is not None else 0
