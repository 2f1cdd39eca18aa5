from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from sulla.core.errors import GraphError
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Decision, Target
from sulla.graph.draft import GraphDraft
from sulla.graph.graph import Edge, Graph, Node
from tests.graph.doubles import A, B, C, Does, State


def draft_of() -> GraphDraft[State]:
    draft: GraphDraft[State] = GraphDraft(A, input_node=A, max_repeat=7)
    draft.add_node(A, Does())
    draft.add_node(B, Does())
    draft.add_edge(A, B)
    draft.add_edge(B, to_end, B, END)
    return draft


def to_end(state: State) -> Target:
    return END


def test_a_draft_becomes_the_graph_that_it_describes() -> None:
    draft = draft_of()
    draft.reviser = B
    edges = {A: Edge[State](B), B: Edge(to_end, (B, END))}
    assert draft.build() == Graph(A, {A: Does(), B: Does()}, edges, input_node=A, reviser=B, max_repeat=7)


def test_a_second_node_with_the_same_id_is_refused() -> None:
    with pytest.raises(GraphError, match=r"node 'a' is there already; to replace it, assign to draft\.nodes\['a'\]"):
        draft_of().add_node(A, Does())


def test_a_second_edge_from_a_node_is_refused() -> None:
    with pytest.raises(GraphError, match=r"node 'a' has an edge already; to replace it, assign to draft\.edges\['a'\]"):
        draft_of().add_edge(A, END)


def test_a_draft_that_cannot_work_is_not_built() -> None:
    draft = draft_of()
    draft.add_node(C, Does())
    with pytest.raises(GraphError, match="node 'c' has no edge"):
        draft.build()


def test_what_is_done_to_a_draft_later_does_not_reach_the_graph() -> None:
    draft = draft_of()
    graph = draft.build()
    draft.add_node(C, Does())
    draft.edges[A] = Edge(C)
    assert list(graph.nodes) == [A, B]
    assert graph.edges[A] == Edge(B)


def test_a_patcher_may_put_a_node_in_between() -> None:
    def patcher(draft: GraphDraft[State]) -> GraphDraft[State]:
        draft.add_node(C, Does())
        draft.edges[A] = Edge(C)
        draft.add_edge(C, B)
        return draft

    graph = draft_of().build(patcher)
    assert [graph.edges[id_].to for id_ in (A, C)] == [C, B]


@dataclass(frozen=True, slots=True)
class Wrapped:
    inner: Node[State]

    async def __call__(self, state: State, run: Run) -> Decision:
        return await self.inner(state, run)


def test_a_patcher_may_wrap_a_node_or_begin_anew() -> None:
    def patcher(draft: GraphDraft[State]) -> GraphDraft[State]:
        return GraphDraft(B, {B: Wrapped(draft.nodes[B])}, {B: Edge(END)})

    assert draft_of().build(patcher) == Graph(B, {B: Wrapped(Does())}, {B: Edge(END)})


def test_what_a_patcher_leaves_is_checked() -> None:
    def patcher(draft: GraphDraft[State]) -> GraphDraft[State]:
        draft.edges[A] = Edge(NodeId("ghost"))
        return draft

    with pytest.raises(GraphError, match="the edge from 'a' leads to 'ghost'"):
        draft_of().build(patcher)


def test_a_patcher_that_gives_nothing_back_is_named() -> None:
    def forgetful(draft: GraphDraft[State]) -> None:
        draft.max_repeat = 3

    patcher: Callable[[GraphDraft[State]], GraphDraft[State]] = forgetful  # type: ignore[assignment]  # the mistake under test
    with pytest.raises(GraphError, match=r"the patcher .*forgetful.* returned None; expected the GraphDraft"):
        draft_of().build(patcher)
