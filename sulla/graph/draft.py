"""A graph while it is still being put together. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Generic, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError
from sulla.core.ids import NodeId
from sulla.graph.decision import Target
from sulla.graph.graph import MAX_REPEAT, Edge, Graph, Node

S = TypeVar("S")


@dataclass(slots=True)
class GraphDraft(Generic[S]):
    """Nodes and edges that may still change; `build` makes the graph and checks it.

    The fields are open to a patcher: it may take out, replace or wrap what is there. Adding goes through the methods,
    which refuse to overwrite.
    """

    entry: NodeId
    nodes: dict[NodeId, Node[S]] = field(default_factory=dict)
    edges: dict[NodeId, Edge[S]] = field(default_factory=dict)
    input_node: NodeId | None = None
    reviser: NodeId | None = None
    max_repeat: int = MAX_REPEAT

    def add_node(self, id_: NodeId, node: Node[S]) -> None:
        """Add a node.

        Raises:
            GraphError: there is one with this id already.
        """
        if id_ in self.nodes:
            raise GraphError(f"node {id_!r} is there already; to replace it, assign to draft.nodes[{id_!r}]")
        self.nodes[id_] = node

    def add_edge(self, source: NodeId, to: Target | Callable[[S], Target], *targets: Target) -> None:
        """Add the edge that leaves `source`.

        Args:
            source: the node that it leaves.
            to: a node id, `END`, or a function of the state that chooses.
            targets: for a function, everything that it may choose.

        Raises:
            GraphError: `source` has an edge already: a second one could never be reached.
        """
        if source in self.edges:
            raise GraphError(f"node {source!r} has an edge already; to replace it, assign to draft.edges[{source!r}]")
        self.edges[source] = Edge(to, targets)

    def build(self, patcher: Patcher[S] | None = None) -> Graph[S]:
        """The graph as it stands, after `patcher` (seed 000) had its say.

        Raises:
            GraphError: the graph cannot work, or `patcher` gave no draft back.
        """
        draft = self if patcher is None else patcher(self)
        if not isinstance(draft, GraphDraft):
            raise GraphError(
                f"the patcher {patcher!r} returned {draft!r}; expected the GraphDraft that it was given, or another"
            )
        return Graph(draft.entry, draft.nodes, draft.edges, draft.input_node, draft.reviser, draft.max_repeat)


Patcher = Callable[[GraphDraft[S]], GraphDraft[S]]
"""Rewrites a graph before it is built: adds nodes, reroutes edges, wraps what is there."""
