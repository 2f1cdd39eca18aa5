"""The heartbeat's edge: where the walk goes after a cycle (seed 004 §2). Pure."""

from __future__ import annotations

from sulla.core.ids import NodeId
from sulla.graph import END, Target
from sulla.threads import ThreadState

HEARTBEAT = NodeId("heartbeat")


def after_heartbeat(state: ThreadState) -> Target:
    """The heartbeat again, or the end.

    While a cycle is at work the run is suspended, and its walk ends; a beat that is not running any more is over.
    """
    beat = state.beat
    if state.suspended or beat is None or beat.status != "running":
        return END
    return HEARTBEAT
