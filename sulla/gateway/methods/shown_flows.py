"""The home's flows and routes as they are in force, for people to look at."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from pydantic import JsonValue

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Label, Params
from sulla.rpc.method import Example, Method, Methods, Rest

BoxKind = Literal["begin", "agent", "parallel", "loop", "if", "switch", "end"]


class FlowList(Params):
    """`flow.list`."""


class FlowGet(Params):
    """`flow.get`."""

    flow: Label
    """Its name; `default` for the shipped one."""


class RouteGet(Params):
    """`route.get`."""


@dataclass(frozen=True, slots=True)
class FlowBrief:
    """One flow of the home."""

    flow: str
    file: str
    """Empty for the shipped one."""
    faults: tuple[str, ...]
    """Why it cannot be used, each with its place; none if it can."""


@dataclass(frozen=True, slots=True)
class FlowBriefs:
    """The answer to `flow.list`."""

    flows: tuple[FlowBrief, ...]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A box of a flow's graph."""

    id: str
    """Its place in the flow, e.g. ``root.steps[1].body``; `begin` and `end` for the two ends."""
    kind: BoxKind
    name: str
    """The agent or role, the condition, or the variable; empty for others."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A way from one box to another."""

    source: str
    target: str
    says: str
    """When it is taken, e.g. `yes`; empty for always."""


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The answer to `flow.get`."""

    about: FlowBrief
    nodes: tuple[GraphNode, ...]
    """None where it cannot be used."""
    edges: tuple[GraphEdge, ...]
    root: dict[str, JsonValue] | None
    """The flow as it is written; null where it cannot be used."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """What leads to a route, in the order in which gates are asked."""

    gate: str
    route: str
    any: tuple[str, ...]
    """Phrases of which one has to occur."""
    all: tuple[str, ...]
    unless: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouteFile:
    """The answer to `route.get`."""

    routes: tuple[dict[str, JsonValue], ...]
    """Those in force, as they are kept in the log of a turn."""
    gates: tuple[GateRow, ...]
    faults: tuple[str, ...]
    """What is wrong with the file, each with its place."""
    held: str
    """Which routes hold while the file is broken; empty while it is not."""


class ShownFlows(Protocol):
    """Knows them."""

    async def flows(self) -> FlowBriefs:
        """The flows of the home and the shipped one, by name."""

    async def flow(self, name: str) -> FlowGraph:
        """One of them.

        Raises:
            NotFound: there is none of that name.
        """

    async def routes(self) -> RouteFile:
        """The routes, and what is wrong with their file."""


async def _list(service: ShownFlows, params: FlowList, context: Context) -> FlowBriefs:
    return await service.flows()


async def _get(service: ShownFlows, params: FlowGet, context: Context) -> FlowGraph:
    return await service.flow(params.flow)


async def _routes(service: ShownFlows, params: RouteGet, context: Context) -> RouteFile:
    return await service.routes()


_BRIEF: Final[dict[str, JsonValue]] = {"flow": "review", "file": "flows/review.yaml", "faults": []}

METHODS: Final[Methods[ShownFlows]] = Methods(
    "shown_flows",
    (
        Method(
            "flow.list",
            FlowList,
            FlowBriefs,
            "read",
            _list,
            Rest("GET", "/flows", "The flows that turns can be walked by."),
            Example({"flows": [_BRIEF]}),
        ),
        Method(
            "flow.get",
            FlowGet,
            FlowGraph,
            "read",
            _get,
            Rest("GET", "/flows/{flow}", "One flow as a graph."),
            Example(
                {
                    "about": _BRIEF,
                    "nodes": [
                        {"id": "begin", "kind": "begin", "name": ""},
                        {"id": "root", "kind": "agent", "name": "sulla"},
                        {"id": "end", "kind": "end", "name": ""},
                    ],
                    "edges": [
                        {"source": "begin", "target": "root", "says": ""},
                        {"source": "root", "target": "end", "says": ""},
                    ],
                    "root": {"type": "agent", "agent_key": "sulla"},
                }
            ),
        ),
        Method(
            "route.get",
            RouteGet,
            RouteFile,
            "read",
            _routes,
            Rest("GET", "/routes", "The routes in force, and what is wrong with their file."),
            Example({"routes": [], "gates": [], "faults": [], "held": ""}),
        ),
    ),
)
