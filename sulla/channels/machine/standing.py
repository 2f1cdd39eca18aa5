"""How a channel does, and since when. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from sulla.channels.base import Refusal
from sulla.core.dataclass import dataclass

State = Literal["not begun", "well", "failing", "refused", "held by another daemon"]
"""`refused`: for its credentials, so that nothing helps but other settings."""
SOON_S: Final = (1.0, 2.0, 5.0)
"""How long it is waited after each refusal in a row as long as the daemon's own look from before may be what it is for,
in seconds; then always the last."""
SELDOM_S: Final = 30.0
"""The same when it cannot be that any more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a channel does in this daemon. What went wrong last is told on when it works again, for as long as the daemon
    runs.
    """

    since_ms: int
    """From when on it is so, UTC milliseconds."""
    state: State = "not begun"
    why: str = ""
    """What is wrong now; empty for nothing."""
    failed_ms: int = 0
    """When something went wrong last; 0 for never."""
    failed_why: str = ""

    @property
    def said(self) -> str:
        """How it does, and why, in words."""
        return f"{self.state}: {self.why}" if self.why else self.state

    def at(self, now_ms: int, state: State, why: str = "") -> Standing:
        """How it does from now on.

        Args:
            now_ms: UTC milliseconds.
            state: how it is found.
            why: what is wrong; empty for nothing.
        """
        since_ms = self.since_ms if state == self.state else now_ms
        if why:
            return Standing(since_ms, state, why, now_ms, why)
        return replace(self, since_ms=since_ms, state=state, why="")


@dataclass(frozen=True, slots=True)
class Refusals:
    """That the service has handed nothing on when it was asked, several times in a row: since when, and how often. It
    begins with the first of them, and is over with the next batch.
    """

    since_s: float
    """By `Clock.elapsed`."""
    times: int = 1

    def again(self) -> Refusals:
        """With one more."""
        return replace(self, times=self.times + 1)

    def why(self, last: Refusal, now_s: float) -> str:
        """What is wrong, for people.

        Args:
            last: what the service said last.
            now_s: by `Clock.elapsed`.
        """
        said = f"receiving waits: {last.why}"
        return f"{said}, or this daemon's own look from before it was stopped" if self._own(last, now_s) else said

    def pause_s(self, last: Refusal, now_s: float) -> float:
        """How long it is waited until the service is asked again; see `why`."""
        return SOON_S[min(self.times, len(SOON_S)) - 1] if self._own(last, now_s) else SELDOM_S

    def _own(self, last: Refusal, now_s: float) -> bool:
        return now_s - self.since_s < last.own_s
