"""The engine: the only place that awaits a node."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Final, Generic, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import Decision
from sulla.graph.graph import Graph
from sulla.graph.limits import GraphLimits, RunMeter
from sulla.graph.walk import GraphState, GraphWalk, WalkStop

REST_S: Final = 0.005
"""How long a walk whose nodes never wait may hold the event loop, in seconds."""

S = TypeVar("S", bound=GraphState)
T = TypeVar("T")


@dataclass(frozen=True)  # no slots: see graph.Edge
class GraphHooks(Generic[T]):
    """Observers of a walk: plain callables that must not block. What one raises ends the walk."""

    before: Callable[[NodeId, T], None] | None = None
    """Called when a node is about to run."""
    after: Callable[[NodeId, T, Decision], None] | None = None
    """Called with what a node decided; not for a node that raised."""


def run_graph(
    graph: Graph[S],
    state: S,
    run: Run,
    *,
    start: NodeId | None = None,
    limits: GraphLimits | None = None,
    hooks: GraphHooks[S] | None = None,
    meter: RunMeter | None = None,
) -> Coroutine[object, object, WalkStop]:
    """Walk through `graph` until there is a reason to stop.

    Each step, in this order (design §5): abort, `cycle_complete`, `waiting_for_user` at the input node, limits, drain;
    run the node; abort; resolve where to go; the count of the same node; end.

    Args:
        graph: where to walk.
        state: what nodes and edges work on; `walk` in it is kept here.
        run: handed to each node; its control ends the walk, its clock times it.
        start: for a resumed run, the node to re-enter, usually ``state.walk.node``: the counters go on. None begins
            afresh at the graph's entry.
        limits: what the run may use; None for the defaults, never for none.
        hooks: called before and after each node.
        meter: what the run has used already, where it was resumed or uses tokens.

    Returns:
        Why, where and after how many steps it stopped. A limit is such a reason too, not an error.

    Raises:
        Aborted: the run was told to end; looked at before and after each node.
        NoSuchNode: `start`, a decision or an edge names a node that the graph does not have.
        GraphError: a node returned no decision.
        Exception: whatever a node, an edge or a hook raises; a node's gets a note that names it.
    """
    # Handed out, not awaited here: whenever a node waits, Python passes through every coroutine above it, twice.
    return _follow(graph, state, run, start, limits or GraphLimits(), hooks or GraphHooks(), meter or RunMeter())


async def _follow(
    graph: Graph[S],
    state: S,
    run: Run,
    start: NodeId | None,
    limits: GraphLimits,
    hooks: GraphHooks[S],
    meter: RunMeter,
) -> WalkStop:
    walk = GraphWalk(graph, state, start=start, limits=limits)
    control, clock, elapsed = run.control, run.clock, run.clock.elapsed
    before, after, tokens = hooks.before, hooks.after, meter.tokens
    now = elapsed()
    began, rest_at = now - meter.elapsed_s, now + REST_S
    control.check()
    stop = walk.enter(now - began, tokens() if tokens else 0, control.draining)
    while stop is None:
        if before is not None:
            before(walk.at, state)
            if control.signalled:
                control.check()
        try:
            decision = await walk.node(state, run)
        except Exception as error:
            error.add_note(f"in node {walk.at!r}, step {state.walk.iterations} of run {run.id!r}")
            raise
        if after is not None:
            after(walk.at, state, decision)
        now = elapsed()
        if now >= rest_at:
            await clock.sleep(0)
            now = elapsed()
            rest_at = now + REST_S
        # One look serves as "after this node" and "before the next": nothing is awaited in between.
        draining = control.signalled
        if draining:
            control.check()
            draining = control.draining
        stop = walk.advance(decision, now - began, tokens() if tokens else 0, draining)
    return stop
