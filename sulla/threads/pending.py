"""What is to be looked at next, in which order, and how long a follower of logs rests in between. Pure."""

from __future__ import annotations

from typing import Final, Literal

from sulla.core.dataclass import dataclass

MAX_WOKEN: Final = 10_000
"""Ids that may wait to be looked at; if there are more, everything is looked through instead."""

State = Literal["up to date", "behind", "failing"]
ELSEWHERE: Final = "at the workers"
"""The state of what a gateway of a cluster does not run."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """How long a follower rests between two rounds, in seconds."""

    sweep_s: float = 3600.0
    """Without news, until everything is looked through: for what was missed, and for what is gone."""
    idle_s: float = 5.0
    """While nobody wants anything read, until they are asked again."""
    retry_s: tuple[float, ...] = (1.0, 5.0, 30.0, 60.0, 300.0)
    """After the first failure in a row, the second, …; the last one stands for all further ones."""
    linger_s: float = 0.0
    """After news: what is done meanwhile costs no round of its own, and the next turn that follows at once is not
    disturbed."""


@dataclass(frozen=True, slots=True)
class RoundDelay:
    """How long to wait for the next round."""

    wait_s: float
    until_news: bool
    """Whether news ends it. If not, only a stop does: after a failure more news is no reason to try sooner."""


class Pending:
    """Remembers what has news, whether everything is to be looked through, and how often work has failed in a row.

    It lives as long as its follower and is not kept: a new one has everything looked through first.

    Args:
        intervals: how long it is rested.
    """

    def __init__(self, intervals: Intervals) -> None:
        self._intervals = intervals
        self._woken: dict[str, None] = {}
        self._later: dict[str, None] = {}
        self._sweep_due = True
        self._idle = False
        self._failures = 0
        self.error = ""
        """Why the last round failed; empty if it did not."""

    @property
    def state(self) -> State:
        """How it stands between two rounds."""
        if self.error:
            return "failing"
        left = self._woken or self._later or (self._sweep_due and not self._idle)
        return "behind" if left else "up to date"

    def wake(self, key: str) -> None:
        """It has news. Ids are looked at in the order in which they were first woken."""
        if len(self._woken) < MAX_WOKEN:
            self._woken[key] = None
        else:
            self._sweep_due = True

    def put_back(self, key: str) -> None:
        """It could not be dealt with: it is looked at again in the next round, which comes soon."""
        if len(self._later) < MAX_WOKEN:
            self._later[key] = None
        else:
            self._sweep_due = True

    def begin(self) -> None:
        """A round begins: what was put back in the one before is woken again."""
        self._woken.update(self._later)
        self._later.clear()
        self._idle = False

    def next(self) -> str | None:
        """What to look at now; None for nothing. News of it from here on are another look."""
        key = next(iter(self._woken), None)
        if key is not None:
            del self._woken[key]
        return key

    def begin_sweep(self) -> bool:
        """Whether everything is to be looked through now. What has no room from here on asks for another time."""
        due, self._sweep_due = self._sweep_due, False
        return due

    def forget(self) -> None:
        """Nobody wants anything read. Once somebody does, everything is looked through: nothing need be remembered."""
        self._woken.clear()
        self._sweep_due = self._idle = True

    def fail(self, error: str) -> bool:
        """A round failed: everything is looked through in the next one, so nothing need be remembered of this one.

        Args:
            error: why, for people.

        Returns:
            Whether that is news.
        """
        news = error != self.error
        self.error, self._sweep_due = error, True
        self._failures += 1
        return news

    def succeed(self) -> bool:
        """A round came to its end; whether the one before had failed."""
        failed = bool(self.error)
        self.error, self._failures = "", 0
        return failed

    def pause(self) -> RoundDelay:
        """How long to wait after a round."""
        if self.error:
            steps = self._intervals.retry_s
            return RoundDelay(steps[min(self._failures, len(steps)) - 1], until_news=False)
        if self._later:
            return RoundDelay(self._intervals.retry_s[0], until_news=True)
        return RoundDelay(self._intervals.idle_s if self._idle else self._intervals.sweep_s, until_news=True)

    def paused(self, *, news: bool) -> float:
        """The wait is over.

        Args:
            news: whether news ended it.

        Returns:
            For how long to wait on, in seconds: see `Intervals.linger_s`.
        """
        if not (news or self._later):
            self._sweep_due = True
        return self._intervals.linger_s if news else 0.0
