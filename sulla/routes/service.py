"""Does the methods of `sulla.routes.rpc`."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.dataclass import dataclass
from sulla.routes.audit.recorder import RouteAudit
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import RoutePlan, RouteTable
from sulla.routes.rpc import AuditRows, RoutesPurged, RouteTried


@dataclass(frozen=True, slots=True)
class HomeRoutes:
    """Answers about a home's routes. It lives as long as the daemon, and keeps nothing.

    Args:
        table: gives the routes as they are now; None where there are none.
        agent: gives the id of the default agent.
        kept: what is kept of turns.
    """

    table: Callable[[], RouteTable | None]
    agent: Callable[[], str]
    kept: RouteAudit

    def tried(self, text: str) -> RouteTried:
        """See `RouteService.tried`."""
        return tried(self.table(), text, self.agent())

    async def audit(self, since_ms: int, limit: int) -> AuditRows:
        """See `RouteService.audit`."""
        return AuditRows(tuple(await self.kept.rows(since_ms, limit)))

    async def purge(self, before_ms: int) -> RoutesPurged:
        """See `RouteService.purge`."""
        return RoutesPurged(await self.kept.purge(before_ms))


def tried(table: RouteTable | None, text: str, agent: str) -> RouteTried:
    """Which route a message would take, as the first one of a conversation.

    Args:
        table: the routes; None for none.
        text: the message.
        agent: who would answer.
    """
    plan = route_of(table, text, TurnFacts(agent, first=True)) if table is not None else None
    if plan is None and table is not None and table.default is not None:
        plan = RoutePlan(table.default, text)
    if plan is None:
        return RouteTried("", "", "", ())
    return RouteTried(plan.route.name, plan.route.kind, plan.gate, plan.why)
