"""The queue of wishes as DBOS keeps it for `work/dbos/queue.py`: named wishes, one job of a log at a time."""

from __future__ import annotations

from collections import deque
from typing import Literal

from sulla.work.dbos.wishes import Wish
from sulla.work.dbos.worker import KEPT_S

_Status = Literal["enqueued", "delayed", "pending", "over"]


class SharedQueue:
    """Wishes that wait, jobs that were taken and the names of those that are over."""

    def __init__(self) -> None:
        self._status: dict[str, _Status] = {}
        self._waiting: dict[str, deque[str]] = {}
        """By log, the names of the wishes for it."""
        self._eligible: deque[str] = deque()
        """Logs with a wish and without a job."""
        self._pending: dict[str, tuple[str, str]] = {}
        """By log, the name of its job and who has taken it."""
        self._delayed: dict[str, int] = {}
        """By log, how many wishes wait for their time."""
        self._over: deque[tuple[float, str]] = deque()

    def __len__(self) -> int:
        """How many logs wait for a worker."""
        return len(self._eligible)

    def wanted(self, key: str) -> bool:
        """Whether somebody is to look at a log, or does."""
        return key in self._pending or key in self._waiting or key in self._delayed

    def send(self, wish: Wish) -> str:
        """Take a wish in, as `WishQueue.send` does.

        Returns:
            Its name if it waits for its time: `due` is to be called with it then.
        """
        for name in wish.ids():
            status = self._status.get(name)
            if status == "enqueued":
                return ""
            if status is None:
                if wish.delay_s:
                    self._status[name] = "delayed"
                    self._delayed[wish.key] = self._delayed.get(wish.key, 0) + 1
                    return name
                self._enqueue(name, wish.key)
                return ""
        raise AssertionError("unreachable: names have no end")

    def due(self, name: str, key: str) -> None:
        """A wish's time has come."""
        self._delayed[key] -= 1
        if not self._delayed[key]:
            del self._delayed[key]
        self._enqueue(name, key)

    def take(self, executor: str, room: int) -> list[tuple[str, str]]:
        """The names and logs of up to `room` jobs, which are a process's from now on."""
        found = list[tuple[str, str]]()
        while room > len(found) and self._eligible:
            key = self._eligible.popleft()
            waiting = self._waiting[key]
            name = waiting.popleft()
            if not waiting:
                del self._waiting[key]
            self._status[name], self._pending[key] = "pending", (name, executor)
            found.append((name, key))
        return found

    def taken_by(self, executor: str) -> list[tuple[str, str]]:
        """The names and logs of what a process has taken."""
        return [(name, key) for key, (name, by) in self._pending.items() if by == executor]

    def finish(self, key: str, name: str, executor: str, now_s: float) -> None:
        """A job has ended; nothing happens if it is somebody else's by now."""
        if self._pending.get(key) != (name, executor):
            return
        del self._pending[key]
        self._status[name] = "over"
        self._over.append((now_s, name))
        if key in self._waiting:
            self._eligible.append(key)

    def give_back(self, executor: str) -> int:
        """Have done by others what a process has taken; how much that is."""
        found = self.taken_by(executor)
        for name, key in found:
            del self._pending[key]
            self._status[name] = "enqueued"
            self._waiting.setdefault(key, deque()).appendleft(name)
            self._eligible.appendleft(key)
        return len(found)

    def forget(self, now_s: float) -> None:
        """Remove the names of what has been over for long."""
        while self._over and self._over[0][0] < now_s - KEPT_S:
            del self._status[self._over.popleft()[1]]

    def _enqueue(self, name: str, key: str) -> None:
        self._status[name] = "enqueued"
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.append(name)
            return
        self._waiting[key] = deque((name,))
        if key not in self._pending:
            self._eligible.append(key)
