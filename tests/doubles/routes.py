"""Routes and what became of them, in memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sulla.routes.audit.record import AuditRow
from sulla.routes.rpc import AuditRows, RoutesPurged, RouteTried

ROW = AuditRow(
    "audit_1",
    1_800_000_000_000,
    "refunds",
    "grounded",
    gate="money_back",
    mode="tool",
    agent="sulla",
    outcome="done",
    took_ms=840,
    run_id="run_1",
    thread_id="thr_1",
)


class MemoryRoutes:
    """Implements `routes.rpc.RouteService`: one route, that one turn has taken.

    Args:
        called: what is told of each call first.
    """

    def __init__(self, called: Callable[..., Awaitable[None]]) -> None:
        self._called = called

    def tried(self, text: str) -> RouteTried:
        """Money is about refunds."""
        if "money" not in text:
            return RouteTried("", "", "", ())
        return RouteTried(ROW.route, ROW.kind, ROW.gate, ("money back",))

    async def audit(self, since_ms: int, limit: int) -> AuditRows:
        """The one."""
        await self._called("route_audit", since_ms, limit)
        return AuditRows((ROW,) if ROW.at >= since_ms else ())

    async def purge(self, before_ms: int) -> RoutesPurged:
        """The one, where it is old enough."""
        await self._called("route_purge", before_ms)
        return RoutesPurged(int(ROW.at < before_ms))
