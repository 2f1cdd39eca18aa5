"""Random graphs whose nodes decide by a script: what holds for every graph, and a second walker to compare with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.control import Control
from sulla.core.errors import GraphError
from sulla.core.ids import NodeId
from sulla.core.run import Run
from sulla.graph.decision import END, Continue, Decision, EndWalk, Goto, Next, Revise, Target
from sulla.graph.draw import draw
from sulla.graph.engine import GraphHooks, run_graph
from sulla.graph.graph import Edge, Graph
from sulla.graph.limits import GraphLimits
from sulla.graph.walk import WalkStop
from tests.graph.doubles import State, finish, make_run

GHOST = NodeId("ghost")
NASTY = 'ab"]#;`\n<\\0ü'
quick = settings(max_examples=80, deadline=None)


@dataclass(frozen=True)
class Plan:
    """A graph to be made. Scripts and choices are read off the state alone, so the same state goes the same way."""

    ids: tuple[NodeId, ...]
    edges: dict[NodeId, tuple[Target, ...]]
    """Static where there is one target and the node is not in `choosing`."""
    choosing: frozenset[NodeId]
    scripts: dict[NodeId, tuple[Decision, ...]]
    reviser: NodeId | None
    max_repeat: int
    max_steps: int

    def decision(self, node: NodeId, done: int) -> Decision:
        script = self.scripts[node]
        return script[done % len(script)]

    def choice(self, node: NodeId, done: int) -> Target:
        targets = self.edges[node]
        return targets[done * 7 % len(targets)]

    def graph(self) -> Graph[State]:
        return Graph(
            self.ids[0],
            {id_: _Scripted(self, id_) for id_ in self.ids},
            {id_: self._edge(id_) for id_ in self.ids},
            reviser=self.reviser,
            max_repeat=self.max_repeat,
        )

    def _edge(self, id_: NodeId) -> Edge[State]:
        targets = self.edges[id_]
        if id_ not in self.choosing:
            return Edge(targets[0])
        return Edge(lambda state: self.choice(id_, len(state.trace) - 1), targets)


@dataclass(frozen=True)
class _Scripted:
    plan: Plan
    id: NodeId

    async def __call__(self, state: State, run: Run) -> Decision:
        state.trace.append(self.id)
        return self.plan.decision(self.id, len(state.trace) - 1)


def text_ids() -> st.SearchStrategy[tuple[NodeId, ...]]:
    ids = st.lists(st.text(NASTY, min_size=1, max_size=4).map(NodeId), min_size=1, max_size=6, unique=True)
    return ids.map(tuple)


@st.composite
def plans(draw_: st.DrawFn) -> Plan:
    ids = draw_(text_ids())
    node = st.sampled_from(ids)
    target = st.one_of(node, st.just(END))
    decision = st.one_of(
        st.just(Next()), st.just(Next()), st.just(Next()), st.just(Continue()), st.just(EndWalk()), node.map(Goto)
    )
    reviser = draw_(st.one_of(st.none(), node))
    if reviser is not None:
        decision = st.one_of(decision, st.just(Revise()))
    edges = {id_: tuple(draw_(st.lists(target, min_size=1, max_size=3))) for id_ in ids}
    return Plan(
        ids,
        edges,
        frozenset(id_ for id_ in ids if len(edges[id_]) > 1 or draw_(st.booleans())),
        {id_: tuple(draw_(st.lists(decision, min_size=1, max_size=4))) for id_ in ids},
        reviser,
        draw_(st.integers(1, 5)),
        draw_(st.integers(1, 40)),
    )


def walk(plan: Plan, state: State, *, start: NodeId | None = None, drain_after: int | None = None) -> WalkStop:
    """Walk; with `drain_after`, ask for a drain once that many nodes have run."""
    control = Control()

    def maybe_drain(node: NodeId, state: State, decision: Decision) -> None:
        if len(state.trace) == drain_after:
            control.drain()

    return finish(
        run_graph(
            plan.graph(),
            state,
            make_run(control),
            start=start,
            limits=GraphLimits(max_steps=plan.max_steps),
            hooks=GraphHooks(after=maybe_drain),
        )
    )


def expected(plan: Plan) -> tuple[str, list[str]]:
    """Why, and over which nodes: the rules again, as plainly as they can be written."""
    at, trace = plan.ids[0], list[str]()
    while len(trace) < plan.max_steps:
        done = len(trace)
        trace.append(at)
        target: Target
        match plan.decision(at, done):
            case EndWalk():
                target = END
            case Next():
                target = plan.choice(at, done) if at in plan.choosing else plan.edges[at][0]
            case Continue():
                target = at
            case Goto(node):
                target = node
            case Revise():
                assert plan.reviser is not None
                target = plan.reviser
        if target == at and trace[-plan.max_repeat :] == [at] * plan.max_repeat:
            return "repeat_limit", trace
        if isinstance(target, EndWalk):
            return "ended", trace
        at = target
    return "step_limit", trace


@quick
@given(plans())
def test_a_walk_goes_where_the_rules_say_and_stops_at_its_limits(plan: Plan) -> None:
    state = State()
    stop = walk(plan, state)
    assert (stop.why, state.trace) == expected(plan)
    assert stop.steps == state.walk.iterations == len(state.trace) <= plan.max_steps
    assert state.walk.node == stop.node
    assert (stop.over is None) == (stop.why == "ended")


@quick
@given(plans())
def test_next_leads_only_to_what_the_edge_declares(plan: Plan) -> None:
    state = State()
    stop = walk(plan, state)
    graph = plan.graph()
    for done, (here, there) in enumerate(zip(state.trace, [*state.trace[1:], None], strict=True)):
        if plan.decision(NodeId(here), done) == Next():
            reached: Target = stop.node if there is None else NodeId(there)
            reached = END if there is None and stop.why == "ended" else reached
            assert reached in graph.edges[NodeId(here)].declared


@quick
@given(plans())
def test_the_same_script_gives_the_same_walk(plan: Plan) -> None:
    first, second = State(), State()
    assert walk(plan, first) == walk(plan, second)
    assert first == second


@settings(max_examples=40, deadline=None)
@given(plans())
def test_a_walk_drained_at_any_border_ends_like_one_that_was_not(plan: Plan) -> None:
    whole = State()
    end = walk(plan, whole)
    for steps in range(1, len(whole.trace)):
        state = State()
        drained = walk(plan, state, drain_after=steps)
        assert (drained.why, drained.steps, state.trace) == ("drained", steps, whole.trace[:steps])
        assert drained.node == whole.trace[steps]
        assert walk(plan, state, start=drained.node) == replace(end, steps=end.steps - steps)
        assert state == whole


@dataclass
class _Crash:
    at: int
    seen: list[str] = field(default_factory=list)

    def before(self, node: NodeId, state: State) -> None:
        self.seen.append(node)
        if len(self.seen) == self.at:
            raise ConnectionError("gone")


@settings(max_examples=40, deadline=None)
@given(plans(), st.integers(1, 40))
def test_a_walk_that_crashed_before_any_node_goes_on_there(plan: Plan, at: int) -> None:
    whole = State()
    end = walk(replace(plan, max_steps=1000), whole)
    if len(whole.trace) < at:
        return
    state = State()
    crash = GraphHooks(before=_Crash(at).before)
    with pytest.raises(ConnectionError):
        finish(run_graph(plan.graph(), state, make_run(), limits=GraphLimits(max_steps=1000), hooks=crash))
    assert state.walk.node == whole.trace[at - 1]
    # The step that crashed counts, so there has to be room for one more.
    resumed = finish(
        run_graph(plan.graph(), state, make_run(), start=state.walk.node, limits=GraphLimits(max_steps=1001))
    )
    assert (resumed.why, state.trace) == (end.why, whole.trace)


@quick
@given(plans(), st.data())
def test_a_graph_with_an_unknown_target_cannot_be_constructed(plan: Plan, data: st.DataObject) -> None:
    victim = data.draw(st.sampled_from(plan.ids))
    place = data.draw(st.sampled_from(["entry", "reviser", "input_node", "static", "declared", "source", "missing"]))
    graph = plan.graph()
    edges = dict(graph.edges)
    roles = {"entry": graph.entry, "reviser": graph.reviser, "input_node": None}
    if place in roles:
        roles[place] = GHOST
    elif place == "static":
        edges[victim] = Edge(GHOST)
    elif place == "declared":
        edges[victim] = Edge(lambda state: END, (*plan.edges[victim], GHOST))
    elif place == "source":
        edges[GHOST] = Edge(END)
    else:
        del edges[victim]
    with pytest.raises(GraphError) as caught:
        Graph(roles["entry"] or GHOST, graph.nodes, edges, roles["input_node"], roles["reviser"])
    assert repr(victim if place == "missing" else GHOST) in caught.value.message


@quick
@given(plans())
def test_a_drawing_shows_each_node_and_each_declared_edge_and_nothing_else(plan: Plan) -> None:
    graph = plan.graph()
    text = draw(graph)
    assert text == draw(plan.graph())
    names = {"finish": END} if 'finish(["END"])' in text else {}
    boxes: dict[str, Target] = {**names}
    for name, label in re.findall(r'^    (n\d+)[\[({]+"(.*)"[\])}]+$', text, re.MULTILINE):
        boxes[name] = NodeId(re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label))
    assert set(boxes.values()) - {END} == set(graph.nodes)
    drawn = re.findall(r"^    (\w+) (-->|-\.->) (\w+)$", text, re.MULTILINE)
    assert drawn[0][:2] == ("start", "-->")
    assert boxes[drawn[0][2]] == graph.entry
    found = [(boxes[source], arrow, boxes[target]) for source, arrow, target in drawn[1:]]
    declared = {
        (source, "-.->" if edge.conditional else "-->", target)
        for source, edge in graph.edges.items()
        for target in edge.declared
    }
    assert set(found) == declared
    assert len(found) == len(declared)
    assert len(text.splitlines()) == 3 + len(graph.nodes) + len(declared) + (END in boxes.values())
