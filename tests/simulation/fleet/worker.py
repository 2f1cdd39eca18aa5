"""One worker of a fleet: the product's machines, and what they are told."""

from __future__ import annotations

from sulla.work.base import Group, Job
from sulla.work.dbos.judgement import BEAT_S, DEAD_S, SUSPECT_S, Judgement
from sulla.work.queue import JobCaps, JobQueue
from sulla.work.retries import Retries
from tests.simulation.fleet.session import Session


class Worker:
    """A process, over all its starts.

    Args:
        number: which one.
        caps: how many jobs it may run.
        takes: how many it takes off the queue at once.
        phase: when it polls and beats, as a share of the time between two.
    """

    def __init__(self, number: int, caps: JobCaps, takes: int, phase: float) -> None:
        self.number = number
        self.name = f"w{number}"
        self.phase = phase
        self.boot = 0
        self.up = False
        self.stalled_until = 0.0
        self.silent_since: float | None = None
        """Its last beat, while it makes none."""
        self.held = False
        self.sessions: dict[str, Session] = {}
        self.taken: dict[str, str] = {}
        """By log, the name of the job."""
        self._caps = caps
        self._takes = takes
        self.begin(0.0)

    def begin(self, now_s: float) -> None:
        """Start, with nothing of what an earlier start has known."""
        self.boot += 1
        self.up, self.silent_since = True, None
        self.queue = JobQueue(self._caps)
        self.retries = Retries()
        self.judgement = Judgement(now_s)
        self.sessions.clear()
        self.taken.clear()
        self.starting = False

    @property
    def home(self) -> str:
        """The first part of its name for leases."""
        return f"home{self.name}"

    @property
    def owner(self) -> str:
        """Its name for leases."""
        return f"{self.home}:{self.boot}"

    @property
    def awake(self) -> bool:
        """Whether it does anything."""
        return self.up and not self.stalled_until

    @property
    def room(self) -> int:
        """How many jobs it would take now."""
        return self._takes - len(self.taken) if self.awake else 0

    def is_dead(self, now_s: float) -> bool:
        """Whether it has been silent for so long that it is taken for dead."""
        return self.silent_since is not None and now_s - self.silent_since > DEAD_S

    def is_suspect(self, now_s: float) -> bool:
        """Whether whoever does its jobs ends its leases."""
        return self.silent_since is not None and now_s - self.silent_since > SUSPECT_S

    def last_beat(self, now_s: float) -> float:
        """When it said last that it lives, if it has run and the server was there."""
        return now_s - (now_s - self.phase * BEAT_S) % BEAT_S

    def take(self, key: str, name: str, group: Group) -> None:
        """A job is its now."""
        self.taken[key] = name
        self.queue.add(Job(key), group)
