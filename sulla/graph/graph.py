"""What a graph is made of. A graph that cannot work cannot be constructed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import GraphError
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Decision, EndWalk, Target

MAX_REPEAT = 40
"""How often in a row one node may run (seed 004 §6)."""

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Node(Protocol[S_contra]):
    """One stage of a graph. It writes facts into the state; where the graph goes from there is an edge's business.

    Usually a small frozen dataclass with a few collaborators; an async function will do. Contravariant: a node for a
    general state serves graphs of any more special state unchanged.
    """

    async def __call__(self, state: S_contra, run: Run, /) -> Decision:
        """Do the node's work on `state` and say where to go."""


# No slots: with them, Python 3.11 refuses `Edge[SomeState](...)` of a frozen generic class.
@dataclass(frozen=True)
class Edge(Generic[S]):
    """Where `Next` leads from a node: always to one target, or to the target that a function of the state chooses.

    Raises:
        GraphError: `to` is neither a target nor a function, or a static edge declares targets.
    """

    to: Target | Callable[[S], Target]
    """A node id, `END`, or a function. A function only reads what nodes wrote: it changes nothing and never waits."""
    targets: tuple[Target, ...] = ()
    """For a function: all that it may choose. Left empty, it may choose any node or `END`, and neither the checks nor a
    drawing can know which."""

    def __post_init__(self) -> None:
        if not isinstance(self.to, (str, EndWalk)):
            if not callable(self.to):
                raise GraphError(f"an edge leads to {self.to!r}; expected a node id, END or a function of the state")
        elif self.targets:
            raise GraphError(f"the edge to {self.to!r} declares the targets {self.targets!r}; only a function chooses")

    @property
    def declared(self) -> tuple[Target, ...]:
        """Every target that is known beforehand."""
        return (self.to,) if isinstance(self.to, (str, EndWalk)) else self.targets

    @property
    def conditional(self) -> bool:
        """Whether a function chooses."""
        return not isinstance(self.to, (str, EndWalk))


Stage = tuple[Node[S], Target, Callable[[S], Target] | None, tuple[Target, ...]]
"""A node and its edge taken apart: where it always leads, unless the function beside chooses among the targets."""


@dataclass(frozen=True)  # no slots: see Edge
class Graph(Generic[S]):
    """Nodes, and for each the edge that leaves it. Frozen; made by hand or from a `GraphDraft`.

    Every node needs an edge, even one that only ever decides `EndWalk` or `Goto`: declare ``Edge(END)`` there. A
    forgotten edge is found here and never reads as an end.

    Raises:
        GraphError: the entry, the input node or the reviser is no node; a node has no edge; an edge leaves or reaches
            what is no node; an id is empty; `max_repeat` is below 1. The message lists every fault.
    """

    entry: NodeId
    """Where a fresh walk begins."""
    nodes: Mapping[NodeId, Node[S]]
    edges: Mapping[NodeId, Edge[S]]
    input_node: NodeId | None = None
    """The node that takes a person's input: a walk whose state waits for the user stops before it."""
    reviser: NodeId | None = None
    """Where `Revise` leads."""
    max_repeat: int = MAX_REPEAT
    """How often in a row a node may run. A walk that wants it once more stops with ``repeat_limit``."""
    stages: Mapping[NodeId, Stage[S]] = field(init=False, repr=False, compare=False)
    """Nodes and edges side by side, as a walk looks them up."""

    def __post_init__(self) -> None:
        # Copies: whoever keeps the dicts must not be able to change a graph that was checked.
        object.__setattr__(self, "nodes", MappingProxyType(dict(self.nodes)))
        object.__setattr__(self, "edges", MappingProxyType(dict(self.edges)))
        faults = [*self._node_faults(), *self._edge_faults()]
        if faults:
            raise GraphError(f"this graph cannot work: {'; '.join(faults)}")
        object.__setattr__(self, "stages", {id_: self._stage(id_) for id_ in self.nodes})

    def _stage(self, id_: NodeId) -> Stage[S]:
        edge = self.edges[id_]
        if isinstance(edge.to, (str, EndWalk)):
            return self.nodes[id_], edge.to, None, ()
        return self.nodes[id_], END, edge.to, edge.targets

    def _node_faults(self) -> Iterator[str]:
        if self.max_repeat < 1:
            yield f"max_repeat is {self.max_repeat!r}; expected at least 1"
        for role, id_ in (("entry", self.entry), ("input node", self.input_node), ("reviser", self.reviser)):
            # Only the entry has to be there.
            if id_ not in self.nodes and (id_ is not None or role == "entry"):
                yield f"the {role} {id_!r} is not a node ({self._known()})"
        nodes: Mapping[NodeId, object] = self.nodes
        for id_, node in nodes.items():
            if not id_:
                yield f"{id_!r} is not a node id; expected text"
            if not callable(node):
                yield f"node {id_!r} is {node!r}; expected something to call with the state and the run"
            if id_ not in self.edges:
                yield f"node {id_!r} has no edge; where the walk ends there, declare Edge(END)"

    def _edge_faults(self) -> Iterator[str]:
        for source, edge in self.edges.items():
            if source not in self.nodes:
                yield f"an edge leaves {source!r}, which is not a node ({self._known()})"
            for target in edge.declared:
                if not isinstance(target, EndWalk) and target not in self.nodes:
                    yield f"the edge from {source!r} leads to {target!r}, which is not a node ({self._known()})"

    def _known(self) -> str:
        return f"nodes: {', '.join(map(repr, self.nodes)) or 'none'}"
