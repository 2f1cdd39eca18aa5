from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest

from sulla.core.errors import GraphError
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Decision, Next, Target
from sulla.graph.graph import MAX_REPEAT, Edge, Graph, Node
from tests.graph.doubles import A, B, C, Does, State

GHOST = NodeId("ghost")


def to_b(state: State) -> Target:
    return B


def graph_of(changes: dict[str, Any] | None = None) -> Graph[State]:
    parts: dict[str, Any] = {"entry": A, "nodes": {A: Does(), B: Does()}, "edges": {A: Edge(B), B: Edge(END)}}
    return Graph(**(parts | (changes or {})))


def test_a_sound_graph_is_built_with_the_seeds_limit() -> None:
    graph = graph_of()
    assert (graph.entry, graph.max_repeat, graph.input_node, graph.reviser) == (A, 40, None, None)
    assert MAX_REPEAT == 40


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"entry": GHOST}, "the entry 'ghost' is not a node (nodes: 'a', 'b')"),
        ({"entry": None}, "the entry None is not a node"),
        ({"entry": NodeId("")}, "the entry '' is not a node"),
        ({"input_node": GHOST}, "the input node 'ghost' is not a node"),
        ({"reviser": GHOST}, "the reviser 'ghost' is not a node"),
        ({"nodes": {}, "edges": {}}, "the entry 'a' is not a node (nodes: none)"),
        ({"edges": {A: Edge(B)}}, "node 'b' has no edge; where the walk ends there, declare Edge(END)"),
        ({"edges": {A: Edge(GHOST), B: Edge(END)}}, "the edge from 'a' leads to 'ghost', which is not a node"),
        ({"edges": {A: Edge(to_b, (B, GHOST)), B: Edge(END)}}, "the edge from 'a' leads to 'ghost'"),
        ({"edges": {A: Edge(B), B: Edge(END), GHOST: Edge(A)}}, "an edge leaves 'ghost', which is not a node"),
        ({"nodes": {A: Does(), B: "B"}}, "node 'b' is 'B'; expected something to call with the state and the run"),
        (
            {"nodes": {A: Does(), B: Does(), "": Does()}, "edges": {A: Edge(B), B: Edge(END), "": Edge(END)}},
            "'' is not a node id; expected text",
        ),
        ({"max_repeat": 0}, "max_repeat is 0; expected at least 1"),
    ],
)
def test_a_graph_that_cannot_work_cannot_be_constructed(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(GraphError) as caught:
        graph_of(changes)
    assert fault in caught.value.message
    assert caught.value.code == "graph_invalid"


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(GraphError) as caught:
        graph_of({"entry": GHOST, "edges": {A: Edge(NodeId("phantom"))}, "max_repeat": -1})
    for fault in ("entry 'ghost'", "leads to 'phantom'", "node 'b' has no edge", "max_repeat is -1"):
        assert fault in caught.value.message


def test_a_graph_cannot_be_changed_through_what_it_was_made_from() -> None:
    nodes: dict[NodeId, Node[State]] = {A: Does()}
    edges: dict[NodeId, Edge[State]] = {A: Edge(END)}
    graph = Graph(A, nodes, edges)
    nodes[B] = Does()
    edges[A] = Edge(GHOST)
    assert list(graph.nodes) == [A]
    assert graph.edges[A] == Edge(END)


def test_a_graph_cannot_be_changed_by_its_user() -> None:
    graph = graph_of()
    with pytest.raises(FrozenInstanceError):
        graph.entry = B  # type: ignore[misc]  # that it is refused is the point
    with pytest.raises(TypeError):
        graph.nodes[C] = Does()  # type: ignore[index]  # that it is refused is the point


def test_a_static_edge_knows_its_target() -> None:
    assert Edge[State](A).declared == (A,)
    assert Edge[State](END).declared == (END,)
    assert not Edge[State](A).conditional


def test_a_conditional_edge_knows_what_it_declares() -> None:
    assert Edge(to_b, (B, END)).declared == (B, END)
    assert Edge(to_b).declared == ()
    assert Edge(to_b).conditional


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: Edge(A, (A,)), "the edge to 'a' declares the targets ('a',); only a function chooses"),
        (lambda: Edge(END, (END,)), "only a function chooses"),
        (lambda: Edge(None), "an edge leads to None; expected a node id, END or a function of the state"),  # type: ignore[arg-type]  # the mistake under test
    ],
)
def test_an_edge_that_makes_no_sense_is_refused(make: Callable[[], object], fault: str) -> None:
    with pytest.raises(GraphError) as caught:
        make()
    assert fault in caught.value.message


def test_a_graph_and_an_edge_may_name_their_state() -> None:
    graph = Graph[State](A, {A: Does()}, {A: Edge[State](END)})
    assert graph == Graph(A, {A: Does()}, {A: Edge(END)})


@dataclass(slots=True)
class WiderState(State):
    focus: str = ""


async def any_state(state: State, run: Run) -> Decision:
    return Next()


def test_a_node_for_a_general_state_serves_a_special_one() -> None:
    # The proof is mypy's: `Node` is contravariant.
    graph: Graph[WiderState] = Graph(A, {A: any_state, B: Does()}, {A: Edge(B), B: Edge(END)})
    assert list(graph.nodes) == [A, B]
