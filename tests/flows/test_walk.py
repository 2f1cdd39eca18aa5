"""A walk through a flow asks for what an ordinary recursion through the same tree asks for, in the same order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.jsontypes import Json
from sulla.flows.schema import AgentNode, FlowNode, IfNode, LoopNode, SequenceNode, SwitchNode, node_to_json
from sulla.flows.walk import Path, after, begin, need, place
from tests.flows.trees import NAMES, Asked, flows, reference

MOST = 400


def walked(flow: FlowNode, values: list[Json]) -> list[Asked]:
    """What a walk asks for, given these values in turn, and the last one from then on."""
    found = list[Asked]()
    tree = node_to_json(flow)
    path: Path | None = begin(tree)
    while path is not None and len(found) < MOST:
        asked = need(tree, path)
        found.append((asked.what, asked.name))
        path = after(tree, path, _value(asked.what, values, len(found) - 1))
    return found


def recursed(flow: FlowNode, values: list[Json]) -> list[Asked]:
    """What the reference asks for, given the same."""
    found, walk = list[Asked](), reference(flow)
    try:
        asked = next(walk)
        while len(found) < MOST:
            found.append(asked)
            asked = walk.send(_value(asked[0], values, len(found) - 1))
    except StopIteration:
        pass
    return found


def _value(what: str, values: list[Json], at: int) -> Json:
    value = values[min(at, len(values) - 1)]
    return bool(value) if what == "condition" else NAMES[int(bool(value))] if what == "variable" else value


@given(flows(), st.lists(st.booleans(), min_size=1, max_size=30))
def test_a_walk_asks_for_what_the_tree_says_in_its_order(flow: FlowNode, values: list[bool]) -> None:
    assert walked(flow, [*values]) == recursed(flow, [*values])


def test_a_loop_whose_condition_still_holds_behind_its_last_pass_says_that_it_may_not_go_on() -> None:
    flow = node_to_json(LoopNode("more", AgentNode("work"), 2))
    path: Path | None = begin(flow)
    lasts = list[bool]()
    while path is not None:
        asked = need(flow, path)
        if asked.what == "condition":
            lasts.append(asked.last)
        path = after(flow, path, True)
    assert lasts == [False, False, True]


@pytest.mark.parametrize(
    ("flow", "path", "told"),
    [
        (SequenceNode([AgentNode("a"), AgentNode("b")]), (1,), "root.steps[1]"),
        (LoopNode("c", SequenceNode([AgentNode("a")])), (3, 0), "root.body#3.steps[0]"),
        (IfNode("c", AgentNode("a"), AgentNode("b")), (0,), "root.false_body"),
        (SwitchNode("v", {"x": AgentNode("a")}, AgentNode("b")), (0,), "root.cases.x"),
        (SwitchNode("v", {"x": AgentNode("a")}, AgentNode("b")), (1,), "root.default"),
    ],
)
def test_where_a_walk_stands_is_told_in_words(flow: FlowNode, path: Path, told: str) -> None:
    assert place(node_to_json(flow), path) == told


@pytest.mark.parametrize(("value", "case"), [(True, "true"), (False, "false"), (3, "3"), (2.5, "2.5"), ("pro", "pro")])
def test_a_switch_takes_the_case_that_is_written_like_the_value(value: Json, case: str) -> None:
    flow = node_to_json(SwitchNode("v", {"other": AgentNode("b"), case: AgentNode("a")}))
    path = after(flow, begin(flow), value)
    assert path is not None
    assert need(flow, path).name == "a"


@pytest.mark.parametrize("value", [None, 1, "yes", {}, "x "])
def test_a_value_that_no_case_has_takes_the_default(value: Json) -> None:
    flow = node_to_json(SwitchNode("v", {"x": AgentNode("a")}, AgentNode("b")))
    path = after(flow, begin(flow), value)
    assert path is not None
    assert need(flow, path).name == "b"


def test_a_switch_without_a_case_for_a_value_and_without_a_default_is_over() -> None:
    flow = node_to_json(SwitchNode("v", {"x": AgentNode("a")}))
    assert after(flow, begin(flow), "y") is None
