"""Of a flow people are told which part is under way, what they could ask, and where it went round too often."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.terminal.flow_lines import flow_line, is_answer


@pytest.mark.parametrize(
    ("type_", "data", "said"),
    [
        ("FLOW_PART_STARTED", {"part": {"key": "task_planning"}}, "part: task_planning"),
        ("FLOW_PART_STARTED", {"part": {"key": "memory_recall", "calls": ["c1"]}}, ""),
        ("FLOW_PART_STARTED", {"part": {"key": "a\x1b[31mb"}}, "part: a[31mb"),
        ("FLOW_MOVED", {"what": "condition", "name": "is_late", "value": {"value": True}}, ""),
        ("FLOW_MOVED", {"what": "part", "name": "plan", "value": {"value": {"status": "x"}}}, ""),
        (
            "FLOW_MOVED",
            {"what": "part", "name": "x", "value": {"value": {"suggestions": ["A?", "B?"]}}},
            "you could ask: A? / B?",
        ),
        (
            "FLOW_MOVED",
            {"what": "limit", "name": "not_done"},
            "not_done still holds, but it went round as often as it may",
        ),
    ],
)
def test_what_people_are_told_of_a_flow(type_: str, data: dict[str, Any], said: str) -> None:
    assert flow_line(type_, data) == said


def test_the_answer_of_a_part_is_told_by_what_it_comes_to() -> None:
    assert is_answer({"name": "give_answer"})
    assert is_answer({"name": "bash", "refused": True})
    assert not is_answer({"name": "bash"})
