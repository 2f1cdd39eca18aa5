"""What every node of one execution may rely on."""

from __future__ import annotations

from dataclasses import field
from math import inf
from typing import Protocol

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.core.event import Emit, Fact
from sulla.core.ids import CallId, RunId, ThreadId


class RunLog(Protocol):
    """Where a run writes down what it decided; kept by the holder of the thread's lease."""

    def note(self, *facts: Fact) -> None:
        """Fold `facts` into the state now and keep them with the next commit.

        For facts that may be lost together with everything after them, because deciding them again is harmless.
        """

    async def commit(self, *facts: Fact) -> None:
        """Fold `facts` in and make them and all noted ones durable in one step.

        Called before an effect starts (intent) and after it ended (result).

        Raises:
            StaleLease: somebody else holds the thread; start nothing more.
            StoreUnavailable: nothing was kept.
        """


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a graph. Not a service locator: it holds no stores and no registries."""

    id: RunId
    thread_id: ThreadId
    agent: str
    clock: Clock
    control: Control
    emit: Emit
    journal: RunLog
    parent_id: RunId | None = None
    depth: int = 0
    """0 for a person's turn; one more for each child."""
    deadline_s: float = inf
    """When its time is over, by `Clock.elapsed`, so that nobody ends it by setting a clock: no wait is begun that would
    not end before.
    """
    fresh: set[CallId] = field(default_factory=set)
    """Calls whose intent one node of this execution has kept, and that are left to the next one: nobody has begun them.
    Whoever makes them takes them out."""
