"""What happens to a run at a time. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappush
from typing import Final, Literal, NamedTuple

DeadlineKind = Literal["wait", "timeout", "expired", "limit_wall", "retry"]

_STAND_STILL: Final = ("timeout", "limit_wall")


class StepDeadline(NamedTuple):
    """Something that happens at a time, unless it is no longer wanted then."""

    due_ms: int
    order: int
    what: DeadlineKind
    at: str
    """The step; empty for the run."""
    attempt: int
    """The attempt that it is for; 0 for any."""


class DeadlineQueue(list[StepDeadline]):
    """What happens at a time: a heap, the earliest first; of one time in the order in which it was added."""

    __slots__ = ("_added", "_held", "_left")

    def __init__(self) -> None:
        super().__init__()
        self._added = 0
        self._held: dict[str, set[str]] = {}
        """The steps whose time stands still, with the steps that people are asked about in each: those alone."""
        self._left: dict[str, list[tuple[int, StepDeadline]]] = {}
        """What is left of their times, in milliseconds."""

    def add(self, due_ms: int, what: DeadlineKind, at: str = "", attempt: int = 0) -> None:
        """See `StepDeadline`."""
        self._added += 1
        heappush(self, StepDeadline(due_ms, self._added, what, at, attempt))

    def is_held(self, at: str) -> bool:
        """Whether people are asked about a step."""
        return any(at in asked for asked in self._held.values())

    def hold(self, at: str, timed: Iterable[str], now_ms: int) -> None:
        """Let the times of steps stand still.

        Args:
            at: the step that people are asked about.
            timed: it, and what it lies in, as far as they have a time.
            now_ms: since when, UTC milliseconds.
        """
        for one in timed:
            asked = self._held.setdefault(one, set())
            if not asked:
                found = [deadline for deadline in self if deadline.at == one and deadline.what in _STAND_STILL]
                self[:] = [deadline for deadline in self if deadline not in found]
                heapify(self)
                self._left[one] = [(max(0, deadline.due_ms - now_ms), deadline) for deadline in found]
            asked.add(at)

    def let_go_on(self, at: str, now_ms: int) -> None:
        """Let those go on that stood still for one step alone.

        Args:
            at: the step that people were asked about, or that nobody waits for any more.
            now_ms: since when, UTC milliseconds.
        """
        for one, asked in list(self._held.items()):
            asked.discard(at)
            if not asked:
                del self._held[one]
                for left_ms, (_, _, what, whose, attempt) in self._left.pop(one):
                    self.add(now_ms + left_ms, what, whose, attempt)

    def forget_those_of_the_run(self) -> None:
        """Keep those of steps alone."""
        self[:] = [deadline for deadline in self if deadline.at]
        heapify(self)
