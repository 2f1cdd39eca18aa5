"""Flows are shown as graphs of which every box can be reached, and routes with what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import NotFound
from sulla.daemon.console.flows import HomeFlows
from sulla.flows.schema import AgentNode, SequenceNode, every
from sulla.gateway.methods.shown_flows import FlowGraph
from tests.flows.test_shelf import shelf_of, write
from tests.routes.test_shelf import GOOD
from tests.routes.test_shelf import shelf_of as routes_of

REVIEW = """
name: review
root:
  type: sequence
  steps:
    - sulla
    - {type: loop, condition: task_not_completed, max_loops: 3, body: task_executor}
    - {type: parallel, branches: [sulla, plan]}
    - {type: if, condition: enable_plan, true_body: plan}
    - {type: switch, variable: agent_mode, cases: {fast: simple, slow: plan}, default: sulla}
"""


@pytest.fixture
def shown(tmp_path: Path) -> HomeFlows:
    return HomeFlows(shelf_of(tmp_path), routes_of(tmp_path))


def ways(graph: FlowGraph) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.target, edge.says) for edge in graph.edges}


async def test_a_flow_is_a_graph_with_a_box_for_each_part_by_its_place(shown: HomeFlows, tmp_path: Path) -> None:
    write(tmp_path, "review.yaml", REVIEW)
    graph = await shown.flow("review")
    assert graph.about.faults == ()
    s = "root.steps"
    assert [(node.id, node.kind, node.name) for node in graph.nodes] == [
        ("begin", "begin", ""),
        (f"{s}[0]", "agent", "sulla"),
        (f"{s}[1]", "loop", "task_not_completed"),
        (f"{s}[1].body", "agent", "task_executor"),
        (f"{s}[2]", "parallel", ""),
        (f"{s}[2].branches[0]", "agent", "sulla"),
        (f"{s}[2].branches[1]", "agent", "plan"),
        (f"{s}[3]", "if", "enable_plan"),
        (f"{s}[3].true_body", "agent", "plan"),
        (f"{s}[4]", "switch", "agent_mode"),
        (f"{s}[4].cases.fast", "agent", "simple"),
        (f"{s}[4].cases.slow", "agent", "plan"),
        (f"{s}[4].default", "agent", "sulla"),
        ("end", "end", ""),
    ]
    assert ways(graph) >= {
        (f"{s}[1]", f"{s}[1].body", "yes"),
        (f"{s}[1].body", f"{s}[1]", ""),
        (f"{s}[1]", f"{s}[2]", "no, or 3 times"),
        (f"{s}[2].branches[1]", f"{s}[3]", ""),
        (f"{s}[3]", f"{s}[4]", "no"),
        (f"{s}[4]", f"{s}[4].default", "else"),
        (f"{s}[4].cases.slow", "end", ""),
    }


async def test_the_shipped_flow_is_shown_and_each_of_its_boxes_is_reached(shown: HomeFlows, tmp_path: Path) -> None:
    graph = await shown.flow("default")
    places = {at for at, node in every(shelf_of(tmp_path).default(None).root) if not isinstance(node, SequenceNode)}
    assert {node.id for node in graph.nodes} == {"begin", "end", *places}
    reached, left = {"begin"}, ["begin"]
    while left:
        at = left.pop()
        following = {edge.target for edge in graph.edges if edge.source == at} - reached
        reached |= following
        left += following
    assert reached == {node.id for node in graph.nodes}
    assert any(isinstance(node, AgentNode) for _, node in every(shelf_of(tmp_path).default(None).root))


async def test_a_flow_that_cannot_be_used_says_why_and_has_no_graph(shown: HomeFlows, tmp_path: Path) -> None:
    write(tmp_path, "broken.yaml", "name: broken\nroot: nobody\n")
    listed = {one.flow: one for one in (await shown.flows()).flows}
    assert set(listed) == {"default", "broken"}
    assert listed["broken"].file == "flows/broken.yaml"
    assert "broken.yaml:2:" in listed["broken"].faults[0]
    graph = await shown.flow("broken")
    assert (graph.nodes, graph.edges, graph.root) == ((), (), None)
    with pytest.raises(NotFound, match="broken"):
        await shown.flow("brokn")


async def test_routes_are_told_as_they_hold_also_while_their_file_is_broken(shown: HomeFlows, tmp_path: Path) -> None:
    assert (await shown.routes()).routes == ()
    file = tmp_path / "routes.yaml"
    file.write_text(GOOD)
    found = await shown.routes()
    assert [(route["name"], route["kind"]) for route in found.routes] == [("fire", "incident")]
    assert [(gate.gate, gate.route, gate.any) for gate in found.gates] == [("fire", "fire", ("fire",))]
    assert (found.faults, found.held) == ((), "")
    file.write_text("routes: 3\n")
    after = await shown.routes()
    assert after.gates == found.gates
    assert after.held == "the ones read before hold"
    assert after.faults[0].startswith("routes.yaml:1:")
