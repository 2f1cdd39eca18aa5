"""Has threads looked at soon, for those who are made before whoever looks at them."""

from __future__ import annotations

from typing import TypeVar

from sulla.core.ids import ThreadId
from sulla.work import Job, Work

W = TypeVar("W", bound=Work)


class Bell:
    """Until it hangs, ringing it does nothing: the first sweep finds every thread that has something to do."""

    def __init__(self) -> None:
        self._work: Work | None = None

    def hang(self, work: W) -> W:
        """From now on it is heard: by whom, is given back."""
        self._work = work
        return work

    def __call__(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon."""
        if self._work is not None:
            self._work.enqueue(Job(thread_id))

    def queued(self) -> int:
        """How many threads wait for their turn."""
        return len(self._work.inspect().queued) if self._work is not None else 0
