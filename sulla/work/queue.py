"""Which job may start now. Pure: no await, no clock."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.work.base import Group, Inspection, Job


@dataclass(frozen=True, slots=True)
class JobCaps:
    """How many jobs may run at once (design §4.8)."""

    total: int = 16
    """Turns and child runs together; playbooks and their steps have caps of their own."""
    per_agent: int = 5
    """Of one agent that speaks, child runs apart: those who wait for them hold no place meanwhile."""
    children: int = 8
    """Child runs, of all agents together (design §7)."""
    steps: int = 50
    """Agents that work on steps of playbooks (design §10)."""
    plays: int = 10
    """Playbooks at work, or whose agents are: those that wait for time or people hold no place (seed 001)."""


@dataclass(slots=True)
class _QueuedJob:
    job: Job
    group: Group


class JobQueue:
    """Jobs that wait to run: one of each log at a time, in order, and within the caps. It lives as long as its worker.

    A job of a log that is being worked on waits for it; a second one that waits for the same log is the same wish and
    takes the place of the first.

    Args:
        caps: how many may run.
    """

    def __init__(self, caps: JobCaps) -> None:
        self._caps = caps
        self._queue: deque[_QueuedJob] = deque()
        self._queued: dict[str, _QueuedJob] = {}
        self._running: dict[str, Group] = {}
        self._counts: Counter[str] = Counter()
        self._again: dict[str, Job] = {}
        self._passing: list[str] = []
        """The logs whose job runs and waits for a place of the agent that it was passed to, in order."""
        self._shut: set[str] = set()
        """Places of which nobody anywhere has one to give, as far as is known."""
        self._plays: Counter[str] = Counter()
        """The playbooks at work, and how many of their steps are or wait to be."""

    def add(self, job: Job, group: Group) -> None:
        """Take a job in."""
        if job.key in self._running:
            self._again[job.key] = job
        elif (waiting := self._queued.get(job.key)) is not None:
            waiting.job = job
        else:
            waiting = self._queued[job.key] = _QueuedJob(job, group)
            self._queue.append(waiting)
            if group.kind == "step":
                self._plays[group.parent] += 1

    def take(self) -> Job | None:
        """The next job that may start, counted as running from now on; None if there is none, or no room."""
        for index, waiting in enumerate(self._queue):
            if self._has_room(waiting):
                del self._queue[index]
                del self._queued[waiting.job.key]
                self._running[waiting.job.key] = waiting.group
                self._counts.update(places_of(waiting.group))
                if waiting.group.kind == "play":
                    self._plays[waiting.job.key] += 1
                return waiting.job
        return None

    def done(self, job: Job) -> None:
        """A job has ended; what was asked of its log meanwhile goes to the end of the queue."""
        group = self._running.pop(job.key)
        if job.key in self._passing:
            self._passing.remove(job.key)
            self._counts.subtract((ALL,))
        else:
            self._counts.subtract(places_of(group))
        if group.kind in ("play", "step"):
            play = job.key if group.kind == "play" else group.parent
            self._plays[play] -= 1
            if not self._plays[play]:
                del self._plays[play]
        again = self._again.pop(job.key, None)
        if again is not None:
            self.add(again, group)

    def put_back(self, job: Job, place: str) -> None:
        """A job that was taken may not start: there is no such place for it outside. It is the next one once there is.

        Args:
            job: which.
            place: one of `places_of`; nothing that needs it is taken until `reopen`.
        """
        group = self._running.pop(job.key)
        self._counts.subtract(places_of(group))
        if group.kind == "play":
            self._plays[job.key] -= 1
        waiting = self._queued[job.key] = _QueuedJob(self._again.pop(job.key, job), group)
        self._queue.appendleft(waiting)
        self._shut.add(place)

    def reopen(self) -> bool:
        """There may be places again outside; whether any were missing."""
        missing = bool(self._shut)
        self._shut.clear()
        return missing

    def group(self, key: str) -> Group | None:
        """What a log that is being worked on counts as; None if it is not."""
        return self._running.get(key)

    def pass_to(self, key: str, agent: str) -> bool:
        """A turn that runs goes on with another agent. It gives the place among the first one's back, and keeps that
        among all: so nobody waits for a place whose holder waits for it.

        Args:
            key: the log.
            agent: who goes on.

        Returns:
            Whether it needs a place for that; `passed` says when it has one.
        """
        group = self._running.get(key)
        if group is None or group.kind != "turn" or (group.agent == agent and key not in self._passing):
            return False
        if key in self._passing:
            self._passing.remove(key)
        else:
            self._counts.subtract((_of_agent(group),))
        self._running[key] = replace(group, agent=agent)
        self._passing.append(key)
        return True

    def passed(self) -> tuple[str, ...]:
        """Give places to the turns that wait for one of another agent, before any is begun anew; which got one."""
        found = []
        for key in tuple(self._passing):
            place = _of_agent(self._running[key])
            if self._counts[place] < self._caps.per_agent:
                self._counts[place] += 1
                self._passing.remove(key)
                found.append(key)
        return tuple(found)

    def _has_room(self, waiting: _QueuedJob) -> bool:
        caps, group = self._caps, waiting.group
        if not self._shut.isdisjoint(places_of(group)):
            return False
        if group.kind == "play":
            return len(self._plays) - (waiting.job.key in self._plays) < caps.plays
        most = {"turn": caps.per_agent, "child": caps.children, "step": caps.steps, ALL: caps.total}
        return all(self._counts[name] < most.get(name, caps.per_agent) for name in places_of(group))

    @property
    def busy(self) -> bool:
        """Whether any job runs."""
        return bool(self._running)

    def inspect(self, failing: tuple[str, ...]) -> Inspection:
        """What is going on."""
        return Inspection(tuple(self._running), tuple(item.job.key for item in self._queue), failing)


ALL: Final = "all"


def places_of(group: Group) -> tuple[str, ...]:
    """The places that a job of a log takes, of its own kind first."""
    if group.kind in ("step", "play"):
        return (group.kind,)
    return (group.kind if group.kind == "child" else _of_agent(group), ALL)


def _of_agent(group: Group) -> str:
    return f"agent {group.agent}"
