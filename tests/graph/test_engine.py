from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import get_args

import pytest

from sulla.core.control import Control
from sulla.core.errors import Aborted, GraphError, NoSuchNode
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Continue, Decision, Goto, Next, Revise, Target
from sulla.graph.engine import REST_S, GraphHooks, run_graph
from sulla.graph.graph import Edge, Graph, Node
from sulla.graph.limits import GraphLimits, LimitReason, RunMeter
from sulla.graph.walk import WalkStop, Why
from sulla.testing.clock import ManualClock
from tests.graph.doubles import CONTINUE, NEXT, STOP, A, B, C, Does, Script, State, Walk, finish, make_run, times


def chain(
    *nodes: Node[State], input_node: NodeId | None = None, reviser: NodeId | None = None, max_repeat: int = 40
) -> Graph[State]:
    """a → b → c → END, as long as there are nodes."""
    ids = (A, B, C)[: len(nodes)]
    targets: tuple[Target, ...] = (*ids[1:], END)
    edges = {id_: Edge[State](target) for id_, target in zip(ids, targets, strict=True)}
    return Graph(A, dict(zip(ids, nodes, strict=True)), edges, input_node, reviser, max_repeat)


# ------------------------------------------------------------------------------------------------ where a walk goes


def test_a_walk_follows_its_edges_to_the_end() -> None:
    state = State()
    assert finish(run_graph(chain(Does(), Does(), Does()), state, make_run())) == WalkStop("ended", C, 3)
    assert state.trace == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("decision", "trace"),
    [
        (STOP, "a"),
        (NEXT, "abc"),
        (CONTINUE, "aabc"),
        (Goto(C), "ac"),
        (Revise(), "abc"),
    ],
)
def test_each_decision_leads_where_it_says(decision: Decision, trace: str) -> None:
    graph = chain(Script([decision, NEXT]), Does(), Does(), reviser=B)
    finish(run_graph(graph, state := State(), make_run()))
    assert "".join(state.trace) == trace


def test_an_edge_sees_what_the_node_wrote() -> None:
    def choose(state: State) -> Target:
        return END if len(state.trace) == 3 else A

    graph: Graph[State] = Graph(A, {A: Does()}, {A: Edge(choose, (A, END))})
    assert finish(run_graph(graph, State(), make_run())) == WalkStop("ended", A, 3)


def test_goto_a_node_that_is_not_there_raises() -> None:
    with pytest.raises(NoSuchNode, match="node 'a' decided to go to 'ghost'"):
        finish(run_graph(chain(Does(Goto(NodeId("ghost")))), State(), make_run()))


def test_revise_without_a_reviser_raises() -> None:
    with pytest.raises(NoSuchNode, match="node 'a' decided to revise, but the graph declares no reviser"):
        finish(run_graph(chain(Does(Revise())), State(), make_run()))


def test_a_node_that_forgets_to_decide_is_named() -> None:
    async def forgetful(state: State, run: Run) -> None:
        return None

    with pytest.raises(GraphError, match="node 'a' returned None; expected EndWalk, Next"):
        finish(run_graph(chain(forgetful), State(), make_run()))  # type: ignore[arg-type]  # the mistake under test


# ------------------------------------------------------------------------------------------------------ the state


def test_the_state_names_the_node_before_it_runs() -> None:
    seen: list[tuple[str, int, int]] = []

    def look(state: State, run: Run) -> None:
        seen.append((state.walk.node, state.walk.iterations, state.walk.consecutive_same_node))

    graph = chain(Does(act=look), Script([CONTINUE, NEXT]))
    graph = Graph(A, {**graph.nodes, C: Does(act=look)}, {A: Edge(B), B: Edge(C), C: Edge(END)})
    finish(run_graph(graph, State(), make_run()))
    assert seen == [("a", 1, 0), ("c", 4, 0)]


def test_repeats_are_counted_in_the_state() -> None:
    seen: list[int] = []

    @dataclass(frozen=True, slots=True)
    class Again:
        async def __call__(self, state: State, run: Run) -> Decision:
            seen.append(state.walk.consecutive_same_node)
            return Continue() if len(seen) < 4 else Next()

    finish(run_graph(chain(Again()), State(), make_run()))
    assert seen == [0, 1, 2, 3]


# --------------------------------------------------------------------------------------------- the order of checks


def test_abort_comes_first_of_all() -> None:
    control = Control()
    control.abort("stopped")
    state = State(Walk(cycle_complete=True, waiting_for_user=True))
    with pytest.raises(Aborted, match="aborted: stopped"):
        finish(run_graph(chain(Does(), input_node=A), state, make_run(control), limits=GraphLimits(max_steps=0)))
    assert state.trace == []


def test_a_complete_cycle_runs_no_node() -> None:
    state = State(Walk(cycle_complete=True, waiting_for_user=True))
    assert finish(run_graph(chain(Does(), input_node=A), state, make_run())) == WalkStop("cycle_complete", A, 0)
    assert state.trace == []


def test_waiting_for_the_user_stops_at_the_input_node() -> None:
    state = State(Walk(waiting_for_user=True))
    assert finish(run_graph(chain(Does(), Does(), input_node=A), state, make_run())) == WalkStop(
        "waiting_for_user", A, 0
    )


def test_waiting_for_the_user_lets_other_nodes_run() -> None:
    def wait(state: State, run: Run) -> None:
        state.walk.waiting_for_user = True

    graph = chain(Does(act=wait), Does(), input_node=A)
    assert finish(run_graph(graph, State(), make_run())) == WalkStop("ended", B, 2)


def test_a_node_that_completes_the_cycle_is_the_last() -> None:
    def complete(state: State, run: Run) -> None:
        state.walk.cycle_complete = True

    assert finish(run_graph(chain(Does(act=complete), Does()), State(), make_run())) == WalkStop("cycle_complete", B, 1)


def abort(state: State, run: Run) -> None:
    run.control.abort("interrupted")


def test_an_abort_while_a_node_runs_is_seen_before_its_decision_counts() -> None:
    state = State()
    with pytest.raises(Aborted) as caught:
        # Without the check the unknown target would be the error.
        finish(run_graph(chain(Does(Goto(NodeId("ghost")), abort)), state, make_run()))
    assert caught.value.reason == "interrupted"
    assert (state.walk.node, state.trace) == (A, ["a"])


def test_an_abort_in_the_last_node_is_seen_too() -> None:
    with pytest.raises(Aborted):
        finish(run_graph(chain(Does(STOP, abort)), State(), make_run()))


def test_an_abort_by_a_hook_keeps_the_node_from_running() -> None:
    control = Control()
    hooks = GraphHooks[State](before=lambda node, state: control.abort("paused"))
    state = State()
    with pytest.raises(Aborted):
        finish(run_graph(chain(Does()), state, make_run(control), hooks=hooks))
    assert state.trace == []


# ----------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("again", [CONTINUE, Goto(A), Revise()])
@pytest.mark.parametrize(
    ("executions", "stop"),
    [
        (39, WalkStop("ended", A, 39)),
        (40, WalkStop("ended", A, 40)),
        (41, WalkStop("repeat_limit", A, 40, LimitReason("max_repeat", 40, 40))),
    ],
)
def test_one_node_runs_forty_times_in_a_row_at_most(again: Decision, executions: int, stop: WalkStop) -> None:
    graph = chain(times(executions - 1, again, NEXT), reviser=A)
    state = State()
    assert finish(run_graph(graph, state, make_run())) == stop
    assert len(state.trace) == min(executions, 40)


def test_the_step_limit_is_on_without_being_asked_for() -> None:
    graph: Graph[State] = Graph(A, {A: Does(), B: Does()}, {A: Edge(B), B: Edge(A)})
    stop = finish(run_graph(graph, State(), make_run()))
    assert stop == WalkStop("step_limit", A, 1000, LimitReason("max_steps", 1000, 1000))


def test_steps_of_a_resumed_run_count_together() -> None:
    state = State(Walk(node=B, iterations=7))
    graph: Graph[State] = Graph(A, {A: Does(), B: Does()}, {A: Edge(B), B: Edge(A)})
    stop = finish(run_graph(graph, state, make_run(), start=B, limits=GraphLimits(max_steps=10)))
    assert stop == WalkStop("step_limit", A, 3, LimitReason("max_steps", 10, 10))


@dataclass(frozen=True, slots=True)
class Takes:
    """A node that takes its time."""

    seconds: float

    async def __call__(self, state: State, run: Run) -> Decision:
        state.trace.append(state.walk.node)
        assert isinstance(run.clock, ManualClock)
        await run.clock.advance(self.seconds)
        return Next()


@pytest.mark.parametrize(
    ("elapsed_s", "stop"),
    [
        (0.0, WalkStop("time_limit", C, 2, LimitReason("wall_s", 60.0, 80.0))),
        (19.0, WalkStop("time_limit", C, 2, LimitReason("wall_s", 60.0, 99.0))),
        (20.0, WalkStop("time_limit", B, 1, LimitReason("wall_s", 60.0, 60.0))),
        (61.0, WalkStop("time_limit", A, 0, LimitReason("wall_s", 60.0, 61.0))),
    ],
)
async def test_a_run_that_has_taken_too_long_starts_no_node(elapsed_s: float, stop: WalkStop) -> None:
    graph = chain(Takes(40), Takes(40), Takes(40))
    limits, meter = GraphLimits(wall_s=60.0), RunMeter(elapsed_s=elapsed_s)
    assert await run_graph(graph, State(), make_run(), limits=limits, meter=meter) == stop


async def test_somebody_who_sets_the_wall_clock_does_not_use_up_the_limit() -> None:
    def jump(state: State, run: Run) -> None:
        assert isinstance(run.clock, ManualClock)
        run.clock.jump(86_400)

    assert await run_graph(chain(Does(act=jump), Does()), State(), make_run()) == WalkStop("ended", B, 2)


def test_tokens_are_asked_for_at_every_border() -> None:
    used = [0, 300, 600]
    graph = chain(Does(), Does(), Does())
    stop = finish(
        run_graph(
            graph, State(), make_run(), limits=GraphLimits(tokens=500), meter=RunMeter(tokens=lambda: used.pop(0))
        )
    )
    assert stop == WalkStop("token_limit", C, 2, LimitReason("tokens", 500, 600))
    assert used == []


# ------------------------------------------------------------------------------------------------ drain and resume


def test_a_drained_walk_stops_at_the_border_and_goes_on_there() -> None:
    drained = Does(act=lambda state, run: run.control.drain())
    graph = chain(Does(), drained, Does())
    state = State()
    stop = finish(run_graph(graph, state, make_run()))
    assert stop == WalkStop("drained", C, 2)
    assert state.walk.node == C
    assert finish(run_graph(graph, state, make_run(), start=stop.node)) == WalkStop("ended", C, 1)
    assert state.trace == ["a", "b", "c"]
    assert state.walk.iterations == 3


def test_draining_starts_nothing() -> None:
    control = Control()
    control.drain()
    assert finish(run_graph(chain(Does()), State(), make_run(control))) == WalkStop("drained", A, 0)


def test_abort_outranks_drain() -> None:
    control = Control()
    control.drain()
    control.abort("stopped")
    with pytest.raises(Aborted):
        finish(run_graph(chain(Does()), State(), make_run(control)))


def test_a_resumed_run_enters_its_node_and_never_the_input_node() -> None:
    state = State(Walk(node=B, waiting_for_user=True))
    assert finish(run_graph(chain(Does(), Does(), input_node=A), state, make_run(), start=B)) == WalkStop("ended", B, 1)
    assert state.trace == ["b"]


def test_a_run_whose_node_failed_can_go_on_there() -> None:
    crashes = [True]

    def crash_once(state: State, run: Run) -> None:
        if crashes:
            crashes.pop()
            raise ConnectionError("gone")

    graph = chain(Does(), Does(act=crash_once), Does())
    state = State()
    with pytest.raises(ConnectionError, match="gone"):
        finish(run_graph(graph, state, make_run()))
    assert state.walk.node == B
    assert finish(run_graph(graph, state, make_run(), start=state.walk.node)) == WalkStop("ended", C, 2)
    assert state.trace == ["a", "b", "b", "c"]


# ------------------------------------------------------------------------------------------------ hooks and errors


@dataclass(slots=True)
class Witness:
    seen: list[tuple[str, str, object]] = field(default_factory=list)

    def before(self, node: NodeId, state: State) -> None:
        self.seen.append(("before", node, len(state.trace)))

    def after(self, node: NodeId, state: State, decision: Decision) -> None:
        self.seen.append(("after", node, decision))


def test_hooks_see_each_node_and_its_decision() -> None:
    witness = Witness()
    finish(
        run_graph(
            chain(Script([CONTINUE, NEXT]), Does(STOP)),
            State(),
            make_run(),
            hooks=GraphHooks(witness.before, witness.after),
        )
    )
    assert witness.seen == [
        ("before", A, 0),
        ("after", A, CONTINUE),
        ("before", A, 1),
        ("after", A, NEXT),
        ("before", B, 2),
        ("after", B, STOP),
    ]


def test_a_hook_is_not_called_for_a_node_that_does_not_run() -> None:
    witness = Witness()
    finish(
        run_graph(
            chain(Does()), State(Walk(cycle_complete=True)), make_run(), hooks=GraphHooks(witness.before, witness.after)
        )
    )
    assert witness.seen == []


def test_one_hook_is_enough() -> None:
    witness = Witness()
    finish(run_graph(chain(Does()), State(), make_run(), hooks=GraphHooks(after=witness.after)))
    assert witness.seen == [("after", A, NEXT)]


def test_what_a_hook_raises_ends_the_walk() -> None:
    def refuse(node: NodeId, state: State) -> None:
        raise PermissionError(node)

    state = State()
    with pytest.raises(PermissionError, match="a"):
        finish(run_graph(chain(Does()), state, make_run(), hooks=GraphHooks(before=refuse)))
    assert state.trace == []


def test_an_error_says_in_which_node_it_came_up() -> None:
    def fail(state: State, run: Run) -> None:
        raise ValueError("no")

    witness = Witness()
    with pytest.raises(ValueError, match="no") as caught:
        finish(run_graph(chain(Does(), Does(act=fail)), State(), make_run(), hooks=GraphHooks(after=witness.after)))
    assert caught.value.__notes__ == ["in node 'b', step 2 of run 'run_1'"]
    assert witness.seen == [("after", A, NEXT)]


# ------------------------------------------------------------------------------------------------- the event loop


async def test_a_walk_can_be_cancelled_while_a_node_waits() -> None:
    started = asyncio.Event()

    async def wait(state: State, run: Run) -> Decision:
        started.set()
        await asyncio.Event().wait()
        return Next()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(run_graph(chain(wait), State(), make_run()))
        await started.wait()
        task.cancel()
    assert task.cancelled()


class Hurried(ManualClock):
    """A clock on which time passes with every look: five looks to a rest."""

    looks = 0

    def elapsed(self) -> float:
        self.looks += 1
        return super().elapsed() + self.looks * REST_S / 5


async def test_nodes_that_never_wait_do_not_lock_others_out() -> None:
    """An abort from another task reaches a walk that would otherwise spin until its step limit."""
    clock, control = Hurried(), Control()
    graph: Graph[State] = Graph(A, {A: Does(), B: Does()}, {A: Edge(B), B: Edge(A)})
    state = State()
    async with asyncio.TaskGroup() as group:
        walk = group.create_task(_until_aborted(graph, state, make_run(control, clock)))
        await clock.sleep(0)
        control.abort("stopped")
    assert walk.result() == "stopped"
    assert 1 <= len(state.trace) <= 6


async def _until_aborted(graph: Graph[State], state: State, run: Run) -> str:
    try:
        await run_graph(graph, state, run)
    except Aborted as aborted:
        return aborted.reason
    return "never"


def test_a_walk_whose_nodes_are_quick_does_not_rest() -> None:
    # `finish` fails if anything waits.
    assert finish(run_graph(chain(Does(), Does()), State(), make_run())) == WalkStop("ended", B, 2)


def test_every_reason_to_stop_is_tested_here() -> None:
    assert set(get_args(Why)) == {
        "ended",
        "cycle_complete",
        "waiting_for_user",
        "drained",
        "repeat_limit",
        "step_limit",
        "time_limit",
        "token_limit",
    }
