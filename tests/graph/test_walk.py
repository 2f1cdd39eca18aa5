from __future__ import annotations

from collections.abc import Callable

import pytest

from sulla.core.errors import GraphError, NoSuchNode
from sulla.core.ids import NodeId
from sulla.graph.decision import END, Continue, Decision, EndWalk, Goto, Next, Revise, Target
from sulla.graph.graph import Edge, Graph
from sulla.graph.limits import GraphLimits, LimitReason
from sulla.graph.walk import GraphWalk, WalkStop
from tests.graph.doubles import CONTINUE, NEXT, STOP, A, B, C, Does, State, Walk

GHOST = NodeId("ghost")


def graph_of(
    from_a: Edge[State], *, input_node: NodeId | None = None, reviser: NodeId | None = None, max_repeat: int = 40
) -> Graph[State]:
    nodes = {A: Does(), B: Does(), C: Does()}
    return Graph(A, nodes, {A: from_a, B: Edge(A), C: Edge(END)}, input_node, reviser, max_repeat)


def walk_of(
    graph: Graph[State], state: State, *, start: NodeId | None = None, limits: GraphLimits | None = None
) -> GraphWalk[State]:
    return GraphWalk(graph, state, start=start, limits=limits or GraphLimits())


def enter(walk: GraphWalk[State], elapsed_s: float = 0.0, tokens: int = 0, draining: bool = False) -> WalkStop | None:
    return walk.enter(elapsed_s, tokens, draining)


def advance(
    walk: GraphWalk[State], decision: Decision, elapsed_s: float = 0.0, tokens: int = 0, draining: bool = False
) -> WalkStop | None:
    return walk.advance(decision, elapsed_s, tokens, draining)


def choosing(target: object) -> Callable[[State], Target]:
    def choose(state: State) -> Target:
        return target  # type: ignore[return-value]  # some tests return what an edge must not

    return choose


# ------------------------------------------------------------------------------------------------------- decisions


def after_one_step(graph: Graph[State], decision: Decision) -> tuple[NodeId, WalkStop | None]:
    walk = walk_of(graph, State())
    assert enter(walk) is None
    stop = advance(walk, decision)
    return walk.at, stop


def test_next_follows_a_static_edge() -> None:
    assert after_one_step(graph_of(Edge(B)), NEXT) == (B, None)


def test_next_follows_a_static_edge_to_the_end() -> None:
    assert after_one_step(graph_of(Edge(END)), NEXT) == (A, WalkStop("ended", A, 1))


def test_next_follows_what_a_conditional_edge_chooses() -> None:
    assert after_one_step(graph_of(Edge(choosing(C), (B, C))), NEXT) == (C, None)
    assert after_one_step(graph_of(Edge(choosing(C))), NEXT) == (C, None)


@pytest.mark.parametrize("targets", [(B, END), ()])
def test_end_is_something_that_an_edge_can_choose(targets: tuple[Target, ...]) -> None:
    assert after_one_step(graph_of(Edge(choosing(END), targets)), NEXT) == (A, WalkStop("ended", A, 1))


def test_a_conditional_edge_sees_the_state() -> None:
    edge: Edge[State] = Edge(lambda state: B if state.walk.waiting_for_user else C, (B, C))
    walk = walk_of(graph_of(edge), state := State())
    enter(walk)
    state.walk.waiting_for_user = True
    advance(walk, NEXT)
    assert walk.at == B


def test_end_ends_whatever_the_edge_says() -> None:
    assert after_one_step(graph_of(Edge(B)), EndWalk()) == (A, WalkStop("ended", A, 1))


def test_continue_runs_the_same_node_again() -> None:
    assert after_one_step(graph_of(Edge(B)), Continue()) == (A, None)


def test_goto_jumps_whatever_the_edge_says() -> None:
    assert after_one_step(graph_of(Edge(END)), Goto(C)) == (C, None)


def test_revise_goes_to_the_declared_reviser() -> None:
    assert after_one_step(graph_of(Edge(END), reviser=B), Revise()) == (B, None)


def test_the_node_to_run_is_the_one_that_the_walk_stands_at() -> None:
    graph = graph_of(Edge(C))
    walk = walk_of(graph, State())
    enter(walk)
    assert walk.node is graph.nodes[A]
    advance(walk, NEXT)
    assert walk.node is graph.nodes[C]


# ---------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("edge", "decision", "message"),
    [
        (Edge(B), Goto(GHOST), "node 'a' decided to go to 'ghost': not a node of this graph (nodes: 'a', 'b', 'c')"),
        (Edge(B), Revise(), "node 'a' decided to revise, but the graph declares no reviser"),
        (
            Edge(choosing(GHOST)),
            NEXT,
            "the edge from 'a' chose 'ghost': not a node of this graph (nodes: 'a', 'b', 'c')",
        ),
        (Edge(choosing(None)), NEXT, "the edge from 'a' chose None: not a node of this graph"),
        (Edge(choosing(C), (B, END)), NEXT, "the edge from 'a' chose 'c'; it declares 'b', EndWalk()"),
        (Edge(choosing(END), (B, C)), NEXT, "the edge from 'a' chose EndWalk(); it declares 'b', 'c'"),
    ],
)
def test_a_target_that_is_not_there_is_an_error_and_never_an_end(
    edge: Edge[State], decision: Decision, message: str
) -> None:
    walk = walk_of(graph_of(edge), State())
    enter(walk)
    with pytest.raises(NoSuchNode) as caught:
        advance(walk, decision)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("wrong", [None, "b", B, Next])
def test_what_is_no_decision_is_refused(wrong: object) -> None:
    walk = walk_of(graph_of(Edge(B)), State())
    enter(walk)
    with pytest.raises(GraphError, match=r"node 'a' returned .*; expected EndWalk, Next, Continue, Goto or Revise"):
        advance(walk, wrong)  # type: ignore[arg-type]  # the mistake under test


def test_a_walk_cannot_start_at_a_node_that_is_not_there() -> None:
    with pytest.raises(NoSuchNode, match=r"cannot start at 'ghost': not a node of this graph \(nodes: 'a', 'b', 'c'\)"):
        walk_of(graph_of(Edge(B)), State(), start=GHOST)


# ---------------------------------------------------------------------------------------------------- the same node


def repeat(walk: GraphWalk[State], decision: Decision, executions: int) -> WalkStop | None:
    """Run the current node `executions` times, each time deciding `decision`."""
    for _ in range(executions - 1):
        assert advance(walk, decision) is None
    return advance(walk, decision)


@pytest.mark.parametrize("decision", [CONTINUE, NEXT, Goto(A), Revise()])
def test_the_fortieth_run_in_a_row_is_the_last(decision: Decision) -> None:
    walk = walk_of(graph_of(Edge(A), reviser=A), state := State())
    enter(walk)
    assert repeat(walk, decision, 39) is None
    assert advance(walk, decision) == WalkStop("repeat_limit", A, 40, LimitReason("max_repeat", 40, 40))
    assert state.walk.iterations == 40


@pytest.mark.parametrize("executions", [39, 40])
def test_up_to_forty_runs_in_a_row_may_end_well(executions: int) -> None:
    walk = walk_of(graph_of(Edge(A)), State())
    enter(walk)
    assert repeat(walk, NEXT, executions - 1) is None
    assert advance(walk, STOP) == WalkStop("ended", A, executions)


def test_forty_runs_in_a_row_may_be_followed_by_another_node() -> None:
    walk = walk_of(graph_of(Edge(A)), state := State())
    enter(walk)
    assert repeat(walk, NEXT, 39) is None
    assert advance(walk, Goto(B)) is None
    assert (walk.at, state.walk.consecutive_same_node) == (B, 0)


def test_a_graph_may_set_its_own_limit() -> None:
    walk = walk_of(graph_of(Edge(A), max_repeat=3), State())
    enter(walk)
    assert repeat(walk, NEXT, 3) == WalkStop("repeat_limit", A, 3, LimitReason("max_repeat", 3, 3))


def test_another_node_in_between_starts_the_count_anew() -> None:
    walk = walk_of(graph_of(Edge(B), max_repeat=3), State(), limits=GraphLimits(max_steps=100))
    enter(walk)
    for _ in range(10):
        assert advance(walk, CONTINUE) is None
        assert advance(walk, CONTINUE) is None
        assert advance(walk, NEXT) is None
        assert advance(walk, NEXT) is None


def test_two_nodes_in_turns_are_stopped_by_the_step_limit() -> None:
    walk = walk_of(graph_of(Edge(B)), State(), limits=GraphLimits(max_steps=100))
    enter(walk)
    assert repeat(walk, NEXT, 100) == WalkStop("step_limit", A, 100, LimitReason("max_steps", 100, 100))


# --------------------------------------------------------------------------------------------------- the step border


def test_a_complete_cycle_stops_before_the_next_node() -> None:
    walk = walk_of(graph_of(Edge(B)), state := State())
    enter(walk)
    state.walk.cycle_complete = True
    assert advance(walk, NEXT) == WalkStop("cycle_complete", B, 1)
    assert (state.walk.node, state.walk.iterations) == (B, 1)


def test_a_complete_cycle_stops_before_the_first_node() -> None:
    assert enter(walk_of(graph_of(Edge(B)), State(Walk(cycle_complete=True)))) == WalkStop("cycle_complete", A, 0)


def test_waiting_for_the_user_stops_before_the_input_node() -> None:
    walk = walk_of(graph_of(Edge(B), input_node=A), state := State(), start=B)
    enter(walk)
    state.walk.waiting_for_user = True
    assert advance(walk, NEXT) == WalkStop("waiting_for_user", A, 1)


def test_waiting_for_the_user_does_not_stop_other_nodes() -> None:
    walk = walk_of(graph_of(Edge(B), input_node=A), State(Walk(waiting_for_user=True)), start=B)
    assert enter(walk) is None


def test_without_an_input_node_nobody_waits_for_the_user() -> None:
    assert enter(walk_of(graph_of(Edge(B)), State(Walk(waiting_for_user=True)))) is None


@pytest.mark.parametrize(
    ("elapsed_s", "tokens", "stop"),
    [
        (60.5, 0, WalkStop("time_limit", B, 1, LimitReason("wall_s", 60.0, 60.5))),
        (0.0, 512, WalkStop("token_limit", B, 1, LimitReason("tokens", 500, 512))),
    ],
)
def test_a_limit_says_which_where_and_by_how_much(elapsed_s: float, tokens: int, stop: WalkStop) -> None:
    walk = walk_of(graph_of(Edge(B)), State(), limits=GraphLimits(wall_s=60.0, tokens=500))
    enter(walk, 59.0, 499)
    assert advance(walk, NEXT, elapsed_s, tokens) == stop


def test_with_nothing_left_no_node_runs() -> None:
    walk = walk_of(graph_of(Edge(B)), State(), limits=GraphLimits(max_steps=0))
    assert enter(walk) == WalkStop("step_limit", A, 0, LimitReason("max_steps", 0, 0))


def test_draining_stops_at_the_border() -> None:
    walk = walk_of(graph_of(Edge(B)), state := State())
    enter(walk)
    assert advance(walk, NEXT, draining=True) == WalkStop("drained", B, 1)
    assert state.walk.node == B


def test_draining_starts_no_node() -> None:
    assert enter(walk_of(graph_of(Edge(B)), State()), draining=True) == WalkStop("drained", A, 0)


def test_a_walk_that_is_over_is_not_drained() -> None:
    walk = walk_of(graph_of(Edge(END)), State())
    enter(walk)
    assert advance(walk, NEXT, draining=True) == WalkStop("ended", A, 1)


def test_reasons_are_looked_at_in_the_designs_order() -> None:
    state = State(Walk(cycle_complete=True, waiting_for_user=True))
    walk = walk_of(
        graph_of(Edge(A), input_node=A, max_repeat=2), state, limits=GraphLimits(max_steps=0, wall_s=0, tokens=0)
    )
    everything = (1.0, 1, True)
    assert walk.enter(*everything) == WalkStop("cycle_complete", A, 0)
    state.walk.cycle_complete = False
    assert walk.enter(*everything) == WalkStop("waiting_for_user", A, 0)
    state.walk.waiting_for_user = False
    assert walk.enter(*everything) == WalkStop("step_limit", A, 0, LimitReason("max_steps", 0, 0))


def test_the_count_of_the_same_node_comes_before_the_next_border() -> None:
    walk = walk_of(graph_of(Edge(A), max_repeat=1), state := State(), limits=GraphLimits(max_steps=1))
    enter(walk)
    state.walk.cycle_complete = True
    stop = advance(walk, NEXT, draining=True)
    assert stop == WalkStop("repeat_limit", A, 1, LimitReason("max_repeat", 1, 1))


# --------------------------------------------------------------------------------------------------------- counters


def test_a_fresh_walk_begins_its_counters_anew() -> None:
    state = State(Walk(node=A, iterations=900, consecutive_same_node=39))
    walk_of(graph_of(Edge(B)), state)
    assert (state.walk.node, state.walk.iterations, state.walk.consecutive_same_node) == (A, 0, 0)


def test_a_resumed_walk_goes_on_counting() -> None:
    state = State(Walk(node=A, iterations=900, consecutive_same_node=39))
    walk = walk_of(graph_of(Edge(A)), state, start=A)
    assert enter(walk) is None
    assert advance(walk, NEXT) == WalkStop("repeat_limit", A, 1, LimitReason("max_repeat", 40, 40))
    assert state.walk.iterations == 901


def test_a_walk_resumed_at_another_node_counts_that_one_anew() -> None:
    state = State(Walk(node=A, iterations=5, consecutive_same_node=39))
    walk_of(graph_of(Edge(A)), state, start=B)
    assert (state.walk.node, state.walk.iterations, state.walk.consecutive_same_node) == (B, 5, 0)


def test_the_state_shows_where_the_walk_is() -> None:
    walk = walk_of(graph_of(Edge(B)), state := State())
    assert state.walk.node == A
    enter(walk)
    advance(walk, NEXT)
    assert state.walk.node == B


def test_a_stop_reads_well() -> None:
    assert str(WalkStop("ended", A, 3)) == "ended at node 'a' after 3 steps"
    stop = WalkStop("time_limit", B, 12, LimitReason("wall_s", 1800.0, 1812.4))
    assert str(stop) == "time_limit at node 'b' after 12 steps: wall_s: 1812.4 used of 1800"
