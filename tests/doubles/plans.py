"""Projects that nobody plans or works on: a desk that answers, and remembers what it was asked."""

from __future__ import annotations

from sulla.core.errors import MessageIdReused
from sulla.core.ids import derived_id
from sulla.playbooks.projects.asked import Asker, PlanWanted, WorkWanted
from sulla.playbooks.projects.rpc import ProjectRun


class MemoryPlans:
    """Keeps `playbooks.projects.rpc.PlanService`.

    Attributes:
        asked: what was asked, by run.
        askers: who asked, by run.
    """

    def __init__(self) -> None:
        self.asked: dict[str, PlanWanted | WorkWanted] = {}
        self.askers: dict[str, Asker] = {}

    async def plan(self, wanted: PlanWanted, asker: Asker) -> ProjectRun:
        """Remember it; the same key plans once."""
        return self._begin("plan", wanted, asker)

    async def work(self, wanted: WorkWanted, asker: Asker) -> ProjectRun:
        """Remember it; the same key works once."""
        return self._begin("work", wanted, asker)

    def _begin(self, what: str, wanted: PlanWanted | WorkWanted, asker: Asker) -> ProjectRun:
        run = derived_id("thr", what, asker.key)
        if (known := self.asked.get(run)) is not None and known != wanted:
            raise MessageIdReused("the same key asked for something else before: take a new one")
        self.asked[run], self.askers[run] = wanted, asker
        return ProjectRun(run, known is None, "running", None, "")
