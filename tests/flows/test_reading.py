"""A flow is read as it was written, and what is wrong with one is said with its place and what was expected."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from jsonschema_rs import Draft202012Validator

from sulla.agent.subagents.children import MAX_DEPTH
from sulla.core.errors import InvalidInput
from sulla.definitions.file_fault import FileFault
from sulla.flows import schema as s
from sulla.flows.reading import Known, flow_of, names_in, read_flow
from tests.flows.trees import NAMES, flows

KNOWN = Known(NAMES, NAMES)

EVERY = """
name: all kinds
root:
  type: sequence
  steps:
    - a
    - {type: agent, agent_key: b}
    - {type: parallel, branches: [a, b], max_concurrency: 2, on_failure: collect}
    - {type: loop, condition: c, body: a, max_loops: 3}
    - {type: if, condition: c, true_body: a, false_body: b}
    - {type: switch, variable: mode, cases: {x: a, y: b}, default: c}
"""


def faults(text: str) -> tuple[FileFault, ...]:
    """What is wrong with a text."""
    found = read_flow(text, KNOWN)
    assert isinstance(found, tuple), f"{found} is a flow"
    return found


@given(flows())
def test_a_flow_reads_as_it_was_written(root: s.FlowNode) -> None:
    flow = s.AgentFlow("random", root)
    assert read_flow(json.dumps(flow.to_json()), KNOWN) == flow


@given(flows())
def test_what_is_written_meets_the_schema(root: s.FlowNode) -> None:
    Draft202012Validator(s.json_schema()).validate(s.AgentFlow("random", root).to_json())


def test_a_file_may_say_every_node() -> None:
    flow = read_flow(EVERY, KNOWN)
    assert isinstance(flow, s.AgentFlow)
    a, b, c = map(s.AgentNode, "abc")
    assert flow.root == s.SequenceNode(
        [
            a,
            b,
            s.ParallelNode([a, b], 2, "collect"),
            s.LoopNode("c", a, 3),
            s.IfNode("c", a, b),
            s.SwitchNode("mode", {"x": a, "y": b}, c),
        ]
    )


def test_the_names_in_a_flow_are_told_with_their_places() -> None:
    flow = s.AgentFlow("f", s.IfNode("c", s.AgentNode("a")))
    assert list(names_in(flow)) == [("root", "condition", "c"), ("root.true_body", "agent", "a")]


@pytest.mark.parametrize(
    ("text", "line", "path", "said"),
    [
        ("", 1, "the flow", "expected `name` and `root`"),
        ("[]", 1, "the flow", "expected `name` and `root`"),
        ("name: x", 1, "the flow", "the key `root` is missing"),
        ("name: x\nroot: d", 2, "root", "there is no agent 'd'"),
        ("name: x\nroot:\n  agent: a", 3, "root", "the key `type` is missing"),
        ("name: x\nroot: {type: agnt}", 2, "root.type", "Did you mean 'agent'?"),
        ("name: x\nroot: {type: agent, agent_key: a, colour: red}", 2, "root", "there is no key 'colour' here"),
        ("name: x\nroot: {type: sequence, steps: []}", 2, "root.steps", "expected a list of one node or more"),
        ("name: x\nroot:\n  type: sequence\n  steps:\n    - a\n    - e\n", 6, "root.steps[1]", "there is no agent 'e'"),
        ("name: x\nroot: {type: loop, body: a}", 2, "root", "the key `condition` is missing"),
        ("name: x\nroot: {type: loop, condition: z, body: a}", 2, "root.condition", "there is no condition 'z'"),
        ("name: x\nroot: {type: loop, condition: a, body: a, max_loops: 0}", 2, "root.max_loops", "from 1 to 100"),
        ("name: x\nroot: {type: loop, condition: a, body: a, max_loops: true}", 2, "root.max_loops", "whole number"),
        ("name: x\nroot: {type: switch, variable: v, cases: {}}", 2, "root.cases", "expected a node for each value"),
        ("name: x\nroot: {type: if, condition: a, true_body: 3}", 2, "root.true_body", "expected a node"),
        ("name: x\nname: y\nroot: a", 2, "the flow", "stands here a second time"),
        ("name: ''\nroot: a", 1, "name", "expected a text"),
        ("name: x\nroot: {type: parallel, branches: [a], on_failure: stop}", 2, "root.on_failure", "way to fail"),
        ("name: x\nroot: *a", 2, "the file", "anchors"),
        ("name: x\nroot: {", 3, "the file", "flow node"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, line: int, path: str, said: str) -> None:
    found = faults(text)[0]
    assert (found.line, found.path) == (line, path), found
    assert said in found.message


def test_all_that_is_wrong_is_said_at_once_in_the_order_of_the_text() -> None:
    text = "name: x\nroot:\n  type: sequence\n  steps:\n    - d\n    - {type: loop, condition: z, body: e}\n"
    assert [fault.path for fault in faults(text)] == ["root.steps[0]", "root.steps[1].condition", "root.steps[1].body"]


@pytest.mark.parametrize(
    ("root", "said"),
    [
        ({"type": "sequence", "steps": ["a"] * 65}, "64 are allowed"),
        ({"type": "parallel", "branches": ["a"] * 17}, "16 are allowed"),
        ({"type": "sequence", "steps": [{"type": "sequence", "steps": ["a"] * 60}] * 5}, "256 are allowed"),
    ],
)
def test_a_flow_has_bounds(root: dict[str, object], said: str) -> None:
    assert said in faults(json.dumps({"name": "x", "root": root}))[0].message


def test_a_flow_goes_so_deep_and_no_deeper() -> None:
    def nested(depth: int) -> s.AgentFlow:
        node: s.FlowNode = s.AgentNode("a")
        for _ in range(depth - 1):
            node = s.SequenceNode([node])
        return s.AgentFlow("deep", node)

    deepest = nested(s.MOST_DEEP)
    assert read_flow(json.dumps(deepest.to_json()), KNOWN) == deepest
    assert "deep" in faults(json.dumps(nested(s.MOST_DEEP + 1).to_json()))[0].message


def test_a_request_is_told_what_is_wrong_with_its_flow_and_where() -> None:
    with pytest.raises(InvalidInput, match=r"root\.true_body: there is no agent 'simpel'\. Did you mean 'simple'\?"):
        flow_of(
            {"name": "x", "root": {"type": "if", "condition": "c", "true_body": "simpel"}}, Known(("simple",), ("c",))
        )


def test_what_an_editor_puts_before_a_text_is_passed_over() -> None:
    assert read_flow("\ufeffname: x\nroot: a", KNOWN) == s.AgentFlow("x", s.AgentNode("a"))


def test_parallel_nodes_go_as_deep_as_runs_may_and_no_deeper() -> None:
    assert s.MOST_PARALLEL == MAX_DEPTH
    node: s.FlowNode = s.AgentNode("a")
    for _ in range(s.MOST_PARALLEL):
        node = s.SequenceNode([s.ParallelNode([node])])
    assert isinstance(read_flow(json.dumps(s.AgentFlow("deep", node).to_json()), KNOWN), s.AgentFlow)
    deeper = s.AgentFlow("deep", s.ParallelNode([node]))
    assert "parallel nodes go 3 deep" in faults(json.dumps(deeper.to_json()))[0].message


def test_a_list_that_is_cut_says_how_much_is_left_out() -> None:
    many = Known([f"agent{number}" for number in range(30)], ())
    found = read_flow("name: x\nroot: zzzzzz", many)
    assert isinstance(found, tuple)
    assert found[0].message.endswith("and 10 more")
