"""What sub-agents need, given to their tools once it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sulla.agent import AgentSpec, Children, Family, RunLimits
from sulla.core.errors import NotAvailable
from sulla.core.ids import ThreadId
from sulla.threads import ThreadStore


class FamilyDesk:
    """Agents are given their tools before there are threads for their sub-agents."""

    def __init__(self) -> None:
        self._family: Family | None = None

    def open(
        self, threads: ThreadStore, specs: Iterable[AgentSpec], wake: Callable[[ThreadId], None], limits: RunLimits
    ) -> Children:
        """From now on sub-agents can be set to work.

        Args:
            threads: where their threads are kept.
            specs: the agents, with whom each may set to work.
            wake: has a thread looked at soon.
            limits: what any run may use.
        """
        children = Children(threads, wake, limits)
        self._family = Family(children, threads, {spec.id: spec.spawns for spec in specs})
        return children

    def __call__(self) -> Family:
        """What they need.

        Raises:
            NotAvailable: no daemon runs.
        """
        if self._family is None:
            raise NotAvailable("no sub-agent can work: no daemon runs")
        return self._family
