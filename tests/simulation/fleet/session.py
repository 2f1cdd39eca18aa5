"""One held lease in a fleet, and the turn that is made under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sulla.core.errors import StaleLease, StoreUnavailable
from sulla.threads.held_lease import HeldLease
from sulla.work.base import Job
from tests.simulation.fleet.store import FleetStore

Wait = Literal["", "person", "child"]


@dataclass(slots=True)
class Run:
    """A thread's open run, as its log has it: changed by writes that were taken alone."""

    steps_s: list[float]
    """How long each step takes."""
    waits_after: dict[int, Wait]
    """After which step it waits, and for whom."""
    at: int = 0
    """How many steps are done."""
    waits: Wait = ""
    crashes: int = 0
    parked: bool = False
    owes: str = ""
    """A child's: the thread that is to be told of its end."""


@dataclass(slots=True)
class Session:
    """Holds a lease for a worker (`threads/session.py`), which renews it in time.

    Renewals are made up for where somebody could see the difference: one after the other under one regime (the store
    answers, the worker runs), only the last one counts.
    """

    worker: int
    """The number of whose it is."""
    job: Job
    held: HeldLease
    next_renewal_s: float
    seen: int
    """Up to which record the log is known."""
    write_no: int = 0
    over: bool = False
    stands_still: bool = False
    """Whether its worker does."""
    taken_s: float | None = None
    """When somebody else got the lease."""
    run: Run | None = None
    """The thread's open run."""

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.held.lease.owner} (epoch {self.held.lease.epoch})"

    @property
    def key(self) -> str:
        """The log."""
        return self.held.lease.key

    def surely_lives(self, now_s: float) -> bool:
        """Whether nobody else may have got the lease by its time."""
        return self.held.live(now_s) and not self.stands_still

    def catch_up(self, store: FleetStore, now_s: float) -> None:
        """Make the renewals up to now; the store has been there all the time, or away all the time."""
        if self.over or self.stands_still or self.next_renewal_s > now_s:
            return
        every_s = self.held.renewal_s
        last_s = self.next_renewal_s + (now_s - self.next_renewal_s) // every_s * every_s
        self.next_renewal_s = last_s + every_s
        if not store.away:
            self.renew(store, last_s)

    def renew(self, store: FleetStore, at_s: float) -> bool:
        """One renewal, as in `ThreadSession.keep_alive`; False if the lease is somebody else's now."""
        try:
            store.renew(self.held.lease, at_s)
        except StaleLease:
            self.held.lost = True
            return False
        except StoreUnavailable:
            return True  # the deadline stands
        self.held.renewed(at_s)
        return True
