from __future__ import annotations

from sulla.core.ids import NodeId
from sulla.graph.decision import END, Target
from sulla.graph.draw import draw
from sulla.graph.graph import Edge, Graph
from tests.graph.doubles import A, B, C, Does, State


def choose(state: State) -> Target:
    return END


def test_a_graph_is_drawn_with_all_that_it_declares() -> None:
    handler, agent, critic = NodeId("input_handler"), NodeId("agent"), NodeId("critic")
    graph = Graph(
        handler,
        {handler: Does(), agent: Does(), critic: Does()},
        {handler: Edge(agent), agent: Edge(choose, (agent, END)), critic: Edge(choose)},
        input_node=handler,
        reviser=critic,
    )
    assert draw(graph) == (
        "flowchart TD\n"
        '    n0("input_handler")\n'
        '    n1["agent"]\n'
        '    n2{{"critic"}}\n'
        '    start(["start"])\n'
        '    finish(["END"])\n'
        '    unknown["?"]\n'
        "    start --> n0\n"
        "    n0 --> n1\n"
        "    n1 -.-> n1\n"
        "    n1 -.-> finish\n"
        "    n2 -.-> unknown\n"
    )


def test_what_a_graph_does_not_have_is_not_drawn() -> None:
    graph: Graph[State] = Graph(A, {A: Does()}, {A: Edge(choose, (A,))})
    assert draw(graph) == 'flowchart TD\n    n0["a"]\n    start(["start"])\n    start --> n0\n    n0 -.-> n0\n'


def test_a_target_declared_twice_is_drawn_once() -> None:
    graph: Graph[State] = Graph(A, {A: Does()}, {A: Edge(choose, (END, A, END))})
    assert draw(graph).count("n0 -.-> finish") == 1


def test_no_id_can_break_out_of_its_box() -> None:
    nasty = NodeId('end"];\n`x`<b>#35;\\ü')
    graph: Graph[State] = Graph(nasty, {nasty: Does()}, {nasty: Edge(END)})
    label = "end#34;#93;#59;#10;#96;x#96;#60;b#62;#35;35#59;#92;#252;"
    assert f'    n0["{label}"]\n' in draw(graph)


def test_the_same_graph_gives_the_same_drawing() -> None:
    def make() -> Graph[State]:
        nodes = {C: Does(), A: Does(), B: Does()}
        return Graph(A, nodes, {B: Edge(C), A: Edge(choose, (C, B)), C: Edge(END)})

    assert draw(make()) == draw(make())
