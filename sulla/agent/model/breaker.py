"""A circuit breaker: after many failures in a row a service is left alone for a while (issue 2, seed 001). Pure.

Closed: calls go through. Open: none does, until a time. Half-open: one call tries whether the service is back; one
that hears nothing keeps no others out for long.
"""

from __future__ import annotations

from typing import Final, Literal

from sulla.core.dataclass import dataclass

FIRST_BYTE_S: Final = 30.0
"""How long a trial may take until the service says anything; then the next call is a trial too. A service that is back
begins to answer sooner, and a call that hangs shows nothing."""
BreakerState = Literal["closed", "open", "half_open"]


@dataclass(frozen=True, slots=True)
class BreakerLimits:
    """When a breaker opens and for how long. The figures are ours: one call makes at most four attempts in two minutes,
    so one unlucky call alone does not open it and a second one does.
    """

    failures: int = 5
    """So many failures in a row open it."""
    open_s: float = 30.0
    """Seconds that it stays open the first time; twice as long after each trial that failed."""
    max_open_s: float = 300.0
    """Seconds that it stays open at the most, whatever the service asks for."""
    trial_s: float = 600.0
    """Seconds after which a trial that has begun to tell something is given up: as long as a reply may take."""
    first_byte_s: float = FIRST_BYTE_S
    """Seconds after which one that has told nothing at all is."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The call may go through."""

    ticket: int
    """To be handed back with what the call came to."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The call may not be made now."""

    retry_after_s: float | None
    """Seconds until the next one may; None while a trial is under way: that can be over at any moment."""


class Breaker:
    """One service's breaker.

    Each call asks with `admit` and tells with one of `succeeded`, `failed` and `unknown` what came of it. Only what
    the service itself did wrong is a failure: a request that it refuses for good reason is a success here. What a call
    tells that began before the state last changed is not listened to.

    Args:
        limits: its figures.
    """

    __slots__ = (
        "_failures",
        "_first_trial",
        "_limits",
        "_open_s",
        "_state",
        "_ticket",
        "_until_s",
        "said",
        "trial_began_s",
    )

    def __init__(self, limits: BreakerLimits | None = None) -> None:
        self._limits = limits if limits is not None else BreakerLimits()
        self._state: BreakerState = "closed"
        self._failures = 0
        self._open_s = self._limits.open_s
        self._until_s = 0.0
        self._ticket = 0
        self._first_trial = 0
        self.trial_began_s: float | None = None
        """When the call began that tries whether the service is back, on the clock of `admit`; None while none does."""
        self.said = ""
        """What the last failure said, for people."""

    @property
    def state(self) -> BreakerState:
        """As the last call left it: an open one whose time is over becomes half-open when the next call asks."""
        return self._state

    def admit(self, now_s: float) -> Admitted | Blocked:
        """Ask whether a call may be made.

        Args:
            now_s: seconds on a clock that only goes forward.
        """
        if self._state != "closed":
            if now_s < self._until_s:
                return Blocked(self._until_s - now_s if self._state == "open" else None)
            if self._state == "open":
                self._first_trial = self._ticket + 1
            self._turn("half_open")
            self._until_s, self.trial_began_s = now_s + self._limits.first_byte_s, now_s
        return Admitted(self._ticket)

    def heard(self, ticket: int) -> None:
        """The service says something; called for each piece.

        Args:
            ticket: of the call.
        """
        if ticket == self._ticket and self.trial_began_s is not None:
            self._until_s = self.trial_began_s + self._limits.trial_s

    def succeeded(self, ticket: int) -> None:
        """The service answered: also an earlier trial than the last one, if none has failed since."""
        if ticket != self._ticket and not (self._state == "half_open" and self._first_trial <= ticket < self._ticket):
            return
        if self._state == "half_open":
            self._turn("closed")
            self._open_s = self._limits.open_s
        self._failures = 0

    def failed(self, ticket: int, now_s: float, retry_after_s: float | None = None, said: str = "") -> None:
        """The service failed.

        Args:
            ticket: of the call.
            now_s: as for `admit`.
            retry_after_s: seconds that it asked to wait.
            said: what it said, for people.
        """
        self.said = said
        if ticket != self._ticket:
            return
        if self._state == "half_open":
            self._open_s = min(self._open_s * 2, self._limits.max_open_s)
        else:
            self._failures += 1
            if self._failures < self._limits.failures:
                return
        self._turn("open")
        self._until_s = now_s + min(max(self._open_s, retry_after_s or 0.0), self._limits.max_open_s)

    def unknown(self, ticket: int) -> None:
        """The call was cut off before anybody could tell; if it was the trial, the next call is."""
        if ticket == self._ticket and self._state == "half_open":
            self._turn("half_open")
            self._until_s = 0.0

    def _turn(self, state: BreakerState) -> None:
        self._state = state
        self._failures = 0
        self.trial_began_s = None
        self._ticket += 1
