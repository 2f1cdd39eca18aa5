"""How long a thread is kept after its last word (seed 004 §4, design §3). Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.threads.log.state import ThreadState


@dataclass(frozen=True, slots=True)
class Retention:
    """How long idle threads are kept, in seconds."""

    conversation_s: float | None = None
    """A person's conversation; None for ever: to lose one after a quiet hour is not a default."""
    child_s: float = 3600.0
    """A thread that another agent asked for: the seed's time to live."""


def expires_ms(state: ThreadState, retention: Retention) -> int | None:
    """When a thread may be removed, in UTC milliseconds.

    Args:
        state: the thread.
        retention: how long threads are kept.

    Returns:
        None for never: it is kept for ever, or there is something left to do in it.
    """
    if state.run is not None or state.inbox.waiting or state.inbox.controls or next(state.outbox, None) is not None:
        return None
    kept_s = retention.child_s if state.is_child else retention.conversation_s
    return None if kept_s is None else state.updated_ms + round(kept_s * 1000)


def due_ms(state: ThreadState, retention: Retention) -> int | None:
    """When somebody should look at a thread though nothing happens: a question runs out, or its time is over.

    Args:
        state: the thread.
        retention: how long threads are kept.

    Returns:
        UTC milliseconds; None for never.
    """
    waits = state.run.waits.values() if state.run is not None else ()
    ends = [wait.expires_ms for wait in waits if wait.expires_ms]
    return min(ends) if ends else expires_ms(state, retention)
