"""What happens to a run at a time. Pure."""

from __future__ import annotations

from heapq import heapify, heappush
from typing import Literal, NamedTuple

DeadlineKind = Literal["wait", "timeout", "expired", "limit_wall", "retry"]


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

    __slots__ = ("_added",)

    def __init__(self) -> None:
        super().__init__()
        self._added = 0

    def add(self, due_ms: int, what: DeadlineKind, at: str = "", attempt: int = 0) -> None:
        """See `StepDeadline`."""
        self._added += 1
        heappush(self, StepDeadline(due_ms, self._added, what, at, attempt))

    def forget_those_of_the_run(self) -> None:
        """Keep those of steps alone."""
        self[:] = [deadline for deadline in self if deadline.at]
        heapify(self)
