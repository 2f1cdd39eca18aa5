"""How a channel does, and since when. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sulla.core.dataclass import dataclass

State = Literal["not begun", "well", "failing", "refused", "held by another daemon"]
"""`refused`: for its credentials, so that nothing helps but other settings."""


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
