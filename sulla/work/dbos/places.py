"""Whether there is a place for a job among those of the whole cluster. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.work.base import Group
from sulla.work.queue import JobCaps, places_of


@dataclass(frozen=True, slots=True)
class Occupied:
    """How many places others have, in all workers together."""

    runs: int
    """Turns and child runs."""
    of_agent: int
    """Turns of the same agent."""
    children: int
    steps: int
    plays: int


def full(occupied: Occupied, group: Group, caps: JobCaps) -> str:
    """The place that a job would need and that nobody has; empty if there is room.

    Args:
        occupied: what others have.
        group: what the job counts as.
        caps: how many there may be.
    """
    counts = {
        "turn": ((occupied.of_agent, caps.per_agent), (occupied.runs, caps.total)),
        "child": ((occupied.children, caps.children), (occupied.runs, caps.total)),
        "step": ((occupied.steps, caps.steps),),
        "play": ((occupied.plays, caps.plays),),
    }[group.kind]
    for place, (taken, most) in zip(places_of(group), counts, strict=True):
        if taken >= most:
            return place
    return ""
