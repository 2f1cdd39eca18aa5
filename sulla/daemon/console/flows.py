"""Flows as graphs, and routes as they are in force, for people."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.core.errors import NotFound
from sulla.flows.schema import (
    AgentFlow,
    AgentNode,
    FlowNode,
    IfNode,
    LoopNode,
    ParallelNode,
    SequenceNode,
    SwitchNode,
    node_to_json,
)
from sulla.flows.shelf import DEFAULT, FlowShelf, ShelvedFlow
from sulla.gateway.methods.shown_flows import (
    BoxKind,
    FlowBrief,
    FlowBriefs,
    FlowGraph,
    GateRow,
    GraphEdge,
    GraphNode,
    RouteFile,
)
from sulla.routes.shelf import RouteShelf
from sulla.tools.nearest import did_you_mean

_Ends = list[tuple[str, str]]
"""Where a way comes from, and when it is taken."""


class HomeFlows:
    """Does `gateway.methods.shown_flows`. It lives as long as the daemon.

    Args:
        flows: the home's flows.
        routes: its routes.
    """

    def __init__(self, flows: FlowShelf, routes: RouteShelf) -> None:
        self._flows = flows
        self._routes = routes

    async def flows(self) -> FlowBriefs:
        """See `ShownFlows`."""
        await self._flows.look_now()
        return FlowBriefs((FlowBrief(DEFAULT, "", ()), *map(_brief, self._flows.flows.values())))

    async def flow(self, name: str) -> FlowGraph:
        """See `ShownFlows`."""
        await self._flows.look_now()
        if name == DEFAULT:
            return _graph(FlowBrief(DEFAULT, "", ()), self._flows.default(None))
        shelved = self._flows.flows.get(name)
        if shelved is None:
            raise NotFound(f"there is no flow {name[:100]!r}.{did_you_mean(name, (DEFAULT, *self._flows.flows))}")
        return _graph(_brief(shelved), None if isinstance(shelved.found, tuple) else shelved.found)

    async def routes(self) -> RouteFile:
        """See `ShownFlows`."""
        await self._routes.look_now()
        found = self._routes.routes
        table = found.table
        faults = tuple(fault.told(self._routes.file.name) for fault in found.faults)
        held = found.held if found.broken else ""
        if table is None:
            return RouteFile((), (), faults, held)
        gates = tuple(GateRow(one.name, one.route, one.any, one.all, one.unless) for one in table.gates)
        return RouteFile(tuple(one.to_json() for one in table.routes.values()), gates, faults, held)


def _brief(shelved: ShelvedFlow) -> FlowBrief:
    faults = shelved.found if isinstance(shelved.found, tuple) else ()
    file = shelved.file
    return FlowBrief(shelved.name, f"{file.parent.name}/{file.name}", tuple(one.told(file.name) for one in faults))


def _graph(about: FlowBrief, flow: AgentFlow | None) -> FlowGraph:
    if flow is None:
        return FlowGraph(about, (), (), None)
    picture = _Picture()
    picture.box("begin", "begin", "")
    ends = picture.draw(flow.root, "root", [("begin", "")])
    picture.box("end", "end", "")
    picture.join(ends, "end")
    return FlowGraph(about, tuple(picture.nodes), tuple(picture.edges), node_to_json(flow.root))


class _Picture:
    """Collects the boxes and ways of one graph; as `flows.drawing` draws them."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self.edges: list[GraphEdge] = []

    def box(self, at: str, kind: BoxKind, name: str) -> str:
        """A new box; its id."""
        self.nodes.append(GraphNode(at, kind, name))
        return at

    def join(self, ends: _Ends, to: str) -> None:
        """Ways from all that ends here to a box."""
        self.edges += [GraphEdge(source, to, says) for source, says in ends]

    def draw(self, node: FlowNode, at: str, ends: _Ends) -> _Ends:
        """A node behind what ends before it; what ends behind it."""
        match node:
            case AgentNode():
                self.join(ends, self.box(at, "agent", node.agent_key))
                return [(at, "")]
            case SequenceNode():
                for number, step in enumerate(node.steps):
                    ends = self.draw(step, f"{at}.steps[{number}]", ends)
                return ends
            case ParallelNode():
                self.join(ends, self.box(at, "parallel", ""))
                places = [f"{at}.branches[{number}]" for number in range(len(node.branches))]
                drawn = zip(node.branches, places, strict=True)
                return [end for branch, place in drawn for end in self.draw(branch, place, [(at, "")])]
            case LoopNode():
                self.join(ends, self.box(at, "loop", node.condition))
                self.join(self.draw(node.body, f"{at}.body", [(at, "yes")]), at)
                return [(at, f"no, or {node.max_loops} times")]
            case IfNode():
                self.join(ends, self.box(at, "if", node.condition))
                return self._ways(at, {"true_body": ("yes", node.true_body), "false_body": ("no", node.false_body)})
            case SwitchNode():
                self.join(ends, self.box(at, "switch", node.variable))
                cases = {f"cases.{name}": (name, body) for name, body in node.cases.items()}
                return self._ways(at, {**cases, "default": ("else", node.default)})

    def _ways(self, at: str, ways: Mapping[str, tuple[str, FlowNode | None]]) -> _Ends:
        found: _Ends = []
        for key, (says, body) in ways.items():
            found += self.draw(body, f"{at}.{key}", [(at, says)]) if body is not None else [(at, says)]
        return found
