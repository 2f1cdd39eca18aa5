"""What clients can ask about routes: which one a message would take, and which ones turns took."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import Field

from sulla.core.dataclass import dataclass
from sulla.routes.audit.record import AuditRow
from sulla.rpc.caller import Context
from sulla.rpc.form import Params, Words
from sulla.rpc.method import Example, Method, Methods, Rest

MOST_ROWS: Final = 1_000
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS)]
MOST_MS: Final = 253_402_300_799_999
"""The end of the year 9999, UTC milliseconds."""
Moment = Annotated[int, Field(ge=0, le=MOST_MS)]


class RouteTry(Params):
    """`route.try`."""

    text: Words


class RouteAuditList(Params):
    """`route.audit`."""

    since_ms: Moment = 0
    limit: Limit = 100


class RoutePurge(Params):
    """`route.purge`."""

    before_ms: Moment


@dataclass(frozen=True, slots=True)
class RouteTried:
    """The answer to `route.try`."""

    route: str
    """Its name; empty where no message takes a route here."""
    kind: str
    gate: str
    """What leads there; empty for the default route."""
    why: tuple[str, ...]
    """The words that it found."""


@dataclass(frozen=True, slots=True)
class AuditRows:
    """The answer to `route.audit`: the newest first."""

    rows: tuple[AuditRow, ...]


@dataclass(frozen=True, slots=True)
class RoutesPurged:
    """The answer to `route.purge`."""

    rows: int
    """So many are gone: those of all days (UTC) that were over."""


class RouteService(Protocol):
    """Knows the routes, and what became of them."""

    def tried(self, text: str) -> RouteTried:
        """Say which route a message would take, the first one of a conversation with the default agent.

        Args:
            text: the message.
        """

    async def audit(self, since_ms: int, limit: int) -> AuditRows:
        """The newest turns that took a route.

        Args:
            since_ms: none that began before, UTC milliseconds.
            limit: so many at the most.
        """

    async def purge(self, before_ms: int) -> RoutesPurged:
        """Forget the turns of all days that were over before a moment.

        Args:
            before_ms: UTC milliseconds.
        """


async def _try(service: RouteService, params: RouteTry, context: Context) -> RouteTried:
    return service.tried(params.text)


async def _audit(service: RouteService, params: RouteAuditList, context: Context) -> AuditRows:
    return await service.audit(params.since_ms, params.limit)


async def _purge(service: RouteService, params: RoutePurge, context: Context) -> RoutesPurged:
    return await service.purge(params.before_ms)


METHODS: Final[Methods[RouteService]] = Methods(
    "routes",
    (
        Method(
            "route.try",
            RouteTry,
            RouteTried,
            "read",
            _try,
            Rest("POST", "/routes/try", "Which route a message would take, and why."),
            Example(
                {"route": "refunds", "kind": "grounded", "gate": "money_back", "why": ["money back"]},
                {"text": "I want my money back."},
            ),
        ),
        Method(
            "route.audit",
            RouteAuditList,
            AuditRows,
            "read",
            _audit,
            Rest(
                "GET", "/routes/audit", "The turns that took a route, the newest first.", numbers=("limit", "since_ms")
            ),
            Example(
                {
                    "rows": [
                        {
                            "id": "audit_51c0",
                            "at": "2027-01-15T08:00:00.000Z",
                            "route": "refunds",
                            "kind": "grounded",
                            "gate": "money_back",
                            "first_route": "",
                            "mode": "tool",
                            "style": "",
                            "agent": "sulla",
                            "made": False,
                            "fixed_why": "",
                            "outcome": "done",
                            "took_ms": 840,
                            "run_id": "run_e5f6",
                            "thread_id": "thr_9b2d",
                        }
                    ]
                }
            ),
            needs="store",
        ),
        Method(
            "route.purge",
            RoutePurge,
            RoutesPurged,
            "admin",
            _purge,
            Rest("POST", "/routes/purge", "Forget the turns of all days before a moment."),
            Example({"rows": 12}, {"before_ms": 1800000000000}),
            needs="open",
        ),
    ),
)
