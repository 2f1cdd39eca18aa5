from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from sulla.core.ids import NodeId
from sulla.graph.decision import END, Continue, Decision, EndWalk, Goto, Next, Revise


@pytest.mark.parametrize("decision", [EndWalk(), Next(), Continue(), Goto(NodeId("a")), Revise()])
def test_a_decision_is_a_value(decision: Decision) -> None:
    twin = Goto(NodeId("a")) if isinstance(decision, Goto) else type(decision)()
    assert decision == twin
    assert hash(decision) == hash(twin)


def test_kinds_of_decisions_are_never_equal() -> None:
    assert len({EndWalk(), Next(), Continue(), Revise(), Goto(NodeId("a")), Goto(NodeId("b"))}) == 6


def test_a_decision_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Goto(NodeId("a")).node = NodeId("b")  # type: ignore[misc]  # that it is refused is the point


def test_the_end_of_an_edge_is_the_decision_to_end_and_no_node_id() -> None:
    assert EndWalk() == END
    assert {NodeId("end"), NodeId("END"), NodeId("End()")}.isdisjoint({END})
