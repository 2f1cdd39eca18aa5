"""What must hold of a fleet at every step, known apart from what the fleet itself believes."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sulla.work.base import Group
from sulla.work.queue import JobCaps
from tests.simulation.fleet.session import Session

_MOST_TOLD = 20
_SETTLED_S = 600.0
"""After so long nothing waits any more because of an outage or a pause."""


@dataclass(slots=True)
class Figures:
    """What the day came to."""

    waits_s: array[float] = field(default_factory=lambda: array("d"))
    """From when a thread had something to do, and nobody at it, to when somebody was."""
    calm_s: array[float] = field(default_factory=lambda: array("d"))
    """Those of them that no death, outage or pause had a part in: the queue's wait."""
    take_over_s: array[float] = field(default_factory=lambda: array("d"))
    """From a worker's death to when another one, or the same begun anew, goes on with what it was at."""
    beside_s: array[float] = field(default_factory=lambda: array("d"))
    """How long somebody was at work who could not write any more."""
    most: Counter[str] = field(default_factory=Counter)
    """The most there was at once, of several things."""
    counts: Counter[str] = field(default_factory=Counter)


class Truth:
    """Watches a fleet.

    Args:
        caps: how many jobs a worker may run.
        bound_s: how long a thread may wait for somebody.
        paused_s: for how long all has stood still up to a time: nobody is to begin anything then.
    """

    def __init__(self, caps: JobCaps, bound_s: float, paused_s: Callable[[], float]) -> None:
        self.breaches: list[str] = []
        self.figures = Figures()
        self.waiting: dict[str, float] = {}
        """Logs in which there is something to do and at which nobody is, and since when."""
        self.offered: Counter[str] = Counter()
        self.dealt: Counter[str] = Counter()
        self.troubled_s = -_SETTLED_S
        """When the last outage or pause ended."""
        self._caps = caps
        self._bound_s = bound_s
        self._paused_s = paused_s
        self._holder: dict[str, Session] = {}
        self._running: dict[str, Counter[str]] = {}
        self._died: dict[str, float] = {}

    def breach(self, what: str) -> None:
        """Something does not hold."""
        self.figures.counts["breaches"] += 1
        if len(self.breaches) < _MOST_TOLD:
            self.breaches.append(what)

    # ------------------------------------------------------------------------------------------------------- writers

    def granted(self, session: Session, now_s: float) -> None:
        """A lease was given."""
        key = session.key
        before = self._holder.get(key)
        if before is not None and not before.over and before.surely_lives(now_s):
            self.breach(f"{now_s:.2f}: {key} was given to {session.name} while {before.name} surely had it")
        self._holder[key] = session
        since = self.waiting.pop(key, None)
        died = self._died.pop(key, None)
        if since is not None:
            self._waited(key, now_s - since, now_s)
            if died is None and self.troubled_s < since - _SETTLED_S:
                self.figures.calm_s.append(now_s - since)
        if died is not None:
            self.figures.take_over_s.append(now_s - died)

    def wrote(self, session: Session, now_s: float, consumed: int) -> None:
        """A write was taken."""
        holder = self._holder.get(session.key)
        if holder is not session:
            name = holder.name if holder is not None else "nobody"
            self.breach(f"{now_s:.2f}: {session.name} wrote to {session.key}, which {name} has")
        if consumed:
            self.dealt[session.key] += consumed

    def over(self, session: Session) -> None:
        """A holder has given its lease back, or died."""
        if self._holder.get(session.key) is session:
            del self._holder[session.key]

    def died(self, key: str, now_s: float) -> None:
        """Whoever was at work on a log is not any more."""
        self.waiting.setdefault(key, now_s)
        self._died.setdefault(key, now_s)

    def found_out(self, session: Session, now_s: float) -> None:
        """Somebody knows now that his lease was taken."""
        if session.taken_s is not None:
            self.figures.beside_s.append(now_s - session.taken_s)

    # ------------------------------------------------------------------------------------------------------- waiting

    def wants(self, key: str, now_s: float) -> None:
        """There is something to do in a log."""
        if key not in self._holder:
            self.waiting.setdefault(key, now_s)

    def look(self, now_s: float) -> None:
        """Whether anybody waits for too long."""
        for key, since in self.waiting.items():
            if now_s - since > self._bound_s:
                self.breach(f"{now_s:.2f}: {key} waits since {since:.2f}, longer than {self._bound_s:g} s")
            return  # they stand in the order in which they began to wait

    def _waited(self, key: str, wait_s: float, now_s: float) -> None:
        self.figures.waits_s.append(wait_s)
        if wait_s > self._bound_s:
            self.breach(f"{now_s:.2f}: {key} waited for {wait_s:.1f} s, longer than {self._bound_s:g} s")

    # -------------------------------------------------------------------------------------------------------- limits

    def started(self, worker: str, group: Group, now_s: float) -> None:
        """A worker runs one more job."""
        running = self._running.setdefault(worker, Counter())
        names = (f"agent {group.agent}" if group.kind == "turn" else group.kind, "all")
        for name in names:
            running[name] += 1
            most = {"all": self._caps.total, "child": self._caps.children}.get(name, self._caps.per_agent)
            if running[name] > most:
                self.breach(f"{now_s:.2f}: {worker} runs {running[name]} of {name}, more than {most}")
        if self._paused_s() > 1.0:
            self.breach(f"{now_s:.2f}: {worker} begins something while all stands still")

    def ended(self, worker: str, group: Group) -> None:
        """A job of a worker has ended."""
        running = self._running[worker]
        for name in (f"agent {group.agent}" if group.kind == "turn" else group.kind, "all"):
            running[name] -= 1

    def gone(self, worker: str) -> None:
        """A worker is dead, and all that it ran."""
        self._running.pop(worker, None)

    # ------------------------------------------------------------------------------------------------------- the end

    def nothing_lost(self, ready: list[str]) -> None:
        """After the day: every input was dealt with, once, and nothing is left to do.

        Args:
            ready: the logs in which there is something to do.
        """
        for key in ready:
            self.breach(f"the end: there is something left to do in {key}")
        for key, count in self.offered.items():
            if self.dealt[key] != count:
                self.breach(f"the end: {self.dealt[key]} of {count} inputs of {key} were dealt with")
