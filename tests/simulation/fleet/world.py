"""A fleet as it stands, and what all that happens in it has in common."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from sulla.store.values import Head, Status
from sulla.work.base import Group
from sulla.work.dbos.wishes import Wish
from tests.simulation.fleet.events import Events
from tests.simulation.fleet.plan import Plan
from tests.simulation.fleet.queue import SharedQueue
from tests.simulation.fleet.session import Run, Session
from tests.simulation.fleet.store import FleetStore
from tests.simulation.fleet.truth import Truth
from tests.simulation.fleet.worker import Worker

BOUND_S = 3_600.0
"""No thread waits longer than that for somebody, whatever happens on this day."""


class World:
    """What there is.

    Args:
        plan: the day.
        store: where logs are.
    """

    def __init__(self, plan: Plan, store: FleetStore) -> None:
        self.plan = plan
        self.events = Events()
        self.rng = Random(plan.seed)
        self.store = store
        self.queue = SharedQueue()
        phases = sorted(self.rng.random() for _ in range(plan.workers))
        self.workers = [Worker(number, plan.caps, plan.takes, phase) for number, phase in enumerate(phases)]
        self.runs: dict[str, Run] = {}
        """The open runs, by log."""
        self.sessions: dict[str, Session] = {}
        """By log, who got its lease last, while that is not over."""
        self.unasked: dict[str, None] = {}
        """Every log with something to do for which there may be no wish: where a sweep looks."""
        self.silent: dict[str, Worker] = {}
        """The workers that do not say that they live."""
        self.back_at = 0.0
        """When the store is there again."""
        self.paused_at: float | None = None
        self.truth = Truth(plan.caps, BOUND_S, lambda: self.paused_s)

    @property
    def paused_s(self) -> float:
        """For how long all has stood still; 0 if it does not."""
        return self.events.now - self.paused_at if self.paused_at is not None else 0.0

    def agent_of(self, key: str) -> str:
        """Whose a thread is."""
        number = int(key[1:].partition(".")[0])
        return "a0" if number % 10 < 3 else f"a{number % self.plan.traffic.agents}"

    def group_of(self, key: str) -> Group:
        """How a log's job counts."""
        return Group(self.agent_of(key), "child" if key[0] == "c" else "turn")

    def wish(self, key: str, send: Callable[[Wish], None]) -> None:
        """Somebody has offered something: a hint for it, or none."""
        self.truth.wants(key, self.events.now)
        if self.rng.random() < self.plan.trouble.hints_lost:
            self.truth.figures.counts["hints lost"] += 1
            self.unasked[key] = None
        else:
            send(Wish(key, self.store.logs[key].last_seq))


def head(key: str, status: Status, consumed: int) -> Head:
    """A log's head."""
    return Head(_KINDS[key[0]], status, "", None, consumed)


_KINDS = {"t": "thread", "b": "beat", "c": "child"}
