"""Does the methods of `sulla.routes.rpc`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sulla.core.dataclass import dataclass
from sulla.routes.audit.recorder import RouteAudit
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import RoutePlan, RouteTable
from sulla.routes.rpc import AuditRows, RoutesPurged, RouteTried
from sulla.routes.slice import MOST_BEFORE


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


@dataclass(frozen=True, slots=True)
class Before:
    """What came before a message that is tried."""

    lately: tuple[str, ...] = ()
    """The routes of the turns before, the newest first, up to the first that is no default route."""
    procedure: str = ""
    """The guided procedure that is under way; empty for none."""


def tried_in_a_row(table: RouteTable, texts: Sequence[str], before: Before) -> list[RouteTried]:
    """Which routes the messages of one conversation would take, one after the other.

    Args:
        table: the routes.
        texts: the messages.
        before: what came before the first of them.
    """
    found: list[RouteTried] = []
    for text in texts:
        lately = before.lately or ("",)
        first = not (found or before.lately or before.procedure)
        facts = TurnFacts("", "", first, lately[0], lately[1:], procedure=bool(before.procedure))
        plan = route_of(table, text, facts)
        if plan is None and before.procedure:
            one = RouteTried(_procedure_route(table, before.procedure), "procedure", "", ())
        else:
            one = _told(plan, table, text)
        found.append(one)
        before = _after(before, one, table)
    return found


def _procedure_route(table: RouteTable, procedure: str) -> str:
    return next((one.name for one in table.routes.values() if one.procedure == procedure), procedure)


def _after(before: Before, taken: RouteTried, table: RouteTable) -> Before:
    if not taken.route:
        return before
    begun = table.routes[taken.route].procedure if taken.route in table.routes else ""
    kept = before.lately if taken.kind == "default" else ()
    return Before((taken.route, *kept)[:MOST_BEFORE], begun or before.procedure)


def tried(table: RouteTable | None, text: str, agent: str) -> RouteTried:
    """Which route a message would take, as the first one of a conversation.

    Args:
        table: the routes; None for none.
        text: the message.
        agent: who would answer.
    """
    plan = route_of(table, text, TurnFacts(agent, first=True)) if table is not None else None
    return _told(plan, table, text)


def _told(plan: RoutePlan | None, table: RouteTable | None, text: str) -> RouteTried:
    if plan is None and table is not None and table.default is not None:
        plan = RoutePlan(table.default, text)
    if plan is None:
        return RouteTried("", "", "", ())
    return RouteTried(plan.route.name, plan.route.kind, plan.gate, plan.why)
